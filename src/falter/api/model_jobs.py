"""What a command runs: the suite with the settings, and the models, each under each of its prompts.

An option that no model of a command reads would be ignored: it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import msgspec

from falter.api.paths import SuiteLike, as_image_dir, as_source, as_suite
from falter.core.errors import UsageError, warn_user
from falter.core.untrusted_text import hide_address
from falter.data.image_mode import ImageInput
from falter.data.items import Task
from falter.data.model import Model
from falter.data.model_options import ModelOptions, option_of_field
from falter.data.run_options import RunOptions
from falter.evaluation.models.backends import BACKENDS, BUILTINS, parse_builtin

if TYPE_CHECKING:
    from falter.data.model import Request
    from falter.data.model_loading import LoadContext
    from falter.data.suite import Suite
    from falter.evaluation.engine import Plan, ReplyCache, RunObserver, StoppingRule
    from falter.evaluation.runs import Run, RunSettings

ModelLike: TypeAlias = "Model | str | Callable[[Sequence[Request]], Sequence[Any]]"
"""A spec such as ``"hf:..."``, a model, or a function from a list of requests to texts or replies."""


@dataclass(frozen=True)
class RunSetup:
    """What all models of a command share: the suite, the settings of the run, what models are loaded with."""

    suite: Suite
    settings: RunSettings
    context: LoadContext
    stopping: Callable[[], StoppingRule] | None = None
    """Makes the rule of a run that may stop early."""


@dataclass(frozen=True)
class ModelJob:
    """A model to run on a suite, loaded when its turn comes, and the name it gets in tables."""

    setup: RunSetup
    spec: str
    name: str
    options: ModelOptions
    load: Callable[[], Model]
    replays: bool = False
    """Whether its replies are stored predictions."""

    @property
    def run_name(self) -> str:
        """What the run is called: the model's name under the settings of the run."""
        return self.setup.settings.named(self.name)

    def run(
        self, out: Path, *, batch_size: int | None, cache: ReplyCache | None, observer: RunObserver | None = None
    ) -> Run:
        """Run the model, or resume its run."""
        from falter.evaluation.engine import run_suite

        return run_suite(
            self.setup.suite,
            self.load(),
            out,
            self.setup.settings,
            spec=self.spec,
            name=self.name,
            batch_size=batch_size,
            cache=cache,
            options=self.options,
            observer=observer,
            stopping=None if self.setup.stopping is None else self.setup.stopping(),
        )

    def plan(self, out: Path, *, batch_size: int | None, cache: ReplyCache | None) -> Plan:
        """What running it would call."""
        from falter.evaluation import engine

        return engine.dry_run(
            self.setup.suite,
            self.load(),
            out,
            self.setup.settings,
            name=self.name,
            batch_size=batch_size,
            cache=cache,
            options=self.options,
        )


def prepare_run(suite: SuiteLike, options: RunOptions | None = None, image_input: str | None = None) -> RunSetup:
    """Open the suite and the sources and check the settings of a run with one image input."""
    from falter.api.gates import find_until, stopping_rules
    from falter.core.plugins import load_plugins, plugin_hashes
    from falter.data.model_loading import LoadContext, find_yes_no, read_suite_rows, score_file_layouts
    from falter.evaluation.runs import RunSettings, Shard

    options = options or RunOptions()
    opened = as_suite(suite)
    if options.image_dir is not None:
        opened.allow_images(as_image_dir(options.image_dir))
    folders = load_plugins([Path(folder) for folder in options.plugins])
    if options.until and options.helpers:
        raise UsageError(
            "--helpers does not go with --until: its intervals are for a sample whose size was fixed beforehand, by "
            "--limit or a budget; --until learns from --baseline"
        )
    required, requirements, other = find_until(options)
    settings = RunSettings(
        limit=options.limit,
        seed=options.seed,
        plugin_hashes=tuple(plugin_hashes(folders)),
        repeat=options.repeat,
        image_input=_check_image_input(image_input),
        shard=None if options.shard is None else Shard.parse(options.shard),
        random_order=options.random_order or bool(options.helpers),
        until=required,
    )
    context = LoadContext(
        scenes=as_source(options.scenes),
        train=as_source(options.train),
        plugin_dirs=folders,
        options=build_model_options(options.options),
        layouts=score_file_layouts(opened),
        suite_rows=partial(read_suite_rows, opened),
        yes_no_ids=partial(find_yes_no, opened),
    )
    stopping = None if required is None else stopping_rules(opened, settings, requirements, other)
    return RunSetup(opened, settings, context, stopping)


def _check_image_input(given: str | None) -> ImageInput | None:
    if given is not None and given not in get_args(ImageInput):
        raise UsageError(f"the image input is {', '.join(get_args(ImageInput))} or None, not {given!r}")
    return given  # type: ignore[return-value]


def build_model_options(given: ModelOptions | Mapping[str, Any] | None) -> ModelOptions:
    """Options of models from a dictionary; an unknown name, a bad value or a missing prompt is a UsageError."""
    from falter.evaluation.models.prompts import load_prompt

    if given is None:
        options = ModelOptions()
    elif isinstance(given, Mapping):
        unknown = sorted(set(given) - set(ModelOptions.__struct_fields__))
        if unknown:
            raise UsageError(
                f"there is no model option {unknown[0]!r}; available: {', '.join(ModelOptions.__struct_fields__)}"
            )
        try:
            options = msgspec.convert(dict(given), ModelOptions, dec_hook=lambda kind, value: kind(value))
        except msgspec.ValidationError as error:
            if isinstance(error.__cause__, UsageError):
                raise error.__cause__ from None
            raise UsageError(f"model options: {error}") from error
    else:
        options = given
    # A slip in a name or a file must come to light before weights are loaded.
    load_prompt(options)
    return options


def model_jobs(
    models: Sequence[ModelLike],
    setup: RunSetup,
    *,
    prompts: Sequence[str] = (),
    name: str | None = None,
    version: str | None = None,
) -> list[ModelJob]:
    """Every model under every prompt, for the tasks of the suite.

    Each model is loaded before the first is called, for a slip in the last must not come to light after hours; under
    its second prompt and those after it, a model is loaded when its turn comes. An option that no model reads is
    refused; one that some do not read is named in a warning.
    """
    if len(prompts) == 1:
        setup = replace(setup, context=replace(setup.context, options=_with_prompt(setup.context.options, prompts[0])))
        prompts = ()
    jobs: list[ModelJob] = []
    not_read: list[Mapping[str, str]] = []
    for model in models:
        jobs += _jobs_of_model(model, setup, prompts, name=name, version=version, not_read=not_read)
    _refuse_unread(not_read)
    return jobs


def refuse_unused(jobs: Sequence[ModelJob], *, batch_size: int | None, cache: object) -> None:
    """Stop where all models replay stored predictions, which are neither cached nor put into batches."""
    if jobs and all(job.replays for job in jobs):
        for option, given in (("--batch-size", batch_size), ("--cache", cache)):
            if given is not None:
                raise UsageError(
                    f"{option} has no effect: {jobs[0].spec or jobs[0].name} replays stored predictions; leave it out"
                )


def _refuse_unread(not_read: Sequence[Mapping[str, str]]) -> None:
    """Stop where no model reads an option; where some do, warn of the others."""
    for option in dict.fromkeys(option for one in not_read for option in one):
        reasons = [one[option] for one in not_read if option in one]
        if len(reasons) == len(not_read):
            raise UsageError(f"{option} has no effect: {'; '.join(dict.fromkeys(reasons))}; leave it out")
    for one in not_read:
        # A source is given for the models that need it.
        told = {option: reason for option, reason in one.items() if option not in ("--scenes", "--train")}
        for reason in dict.fromkeys(told.values()):
            named = [option for option, why in told.items() if why == reason]
            warn_user(f"{reason}; {_list_options(named)} no effect on it")


def _jobs_of_model(
    model: ModelLike,
    setup: RunSetup,
    prompts: Sequence[str],
    *,
    name: str | None,
    version: str | None,
    not_read: list[Mapping[str, str]],
) -> Iterator[ModelJob]:
    from falter.evaluation.engine.plan import overlap_notes
    from falter.evaluation.models import load_model

    context, tasks = setup.context, setup.suite.tasks()
    chosen = _several_prompts(prompts, context.options) if prompts else []
    options = context.options if not chosen else msgspec.structs.replace(context.options, prompt=chosen[0][0])
    spec = model if isinstance(model, str) else ""
    if isinstance(model, str):
        first = load_model(model, replace(context, options=options))
    else:
        first = _own_model(model, name, version)
    called = name or first.name
    mine: list[Task] = sorted(first.capabilities.tasks & set(tasks))
    words = next((used for task in mine if (used := first.capabilities.prompt_used(task)) is not None), None)
    prompted = words is not None
    unread = options_not_read(spec, first, context.options, tasks=mine, prompted=prompted)
    unread |= sources_not_read(spec, scenes=context.scenes is not None, train=context.train is not None)
    not_read.append(unread)
    few_shot = None if words is None else options.few_shot
    for line in overlap_notes(setup.suite, first, few_shot):
        warn_user(line)
    if not chosen:
        if words is not None and options.prompt is not None:
            called = f"{called} (prompt: {words.name})"
        yield ModelJob(setup, spec, called, options, partial(_itself, first), first.capabilities.replays)
        return
    if words is None:
        raise UsageError(
            f"{hide_address(spec or called)} uses no prompt on this suite; several prompts need a model that does"
        )
    for number, (prompt, label) in enumerate(chosen):
        options = msgspec.structs.replace(context.options, prompt=prompt)
        if isinstance(model, str) and number:
            load: Callable[[], Model] = partial(load_model, model, replace(context, options=options))
        else:
            load = partial(_itself, first)
        yield ModelJob(setup, spec, f"{called} (prompt: {label})", options, load)


def _own_model(model: Any, name: str | None, version: str | None) -> Model:
    """A model as it is, or a function made into one."""
    from falter.evaluation.models.python import CallableModel

    if hasattr(model, "reply") and hasattr(model, "fingerprint"):
        return model  # type: ignore[no-any-return]
    if callable(model):
        return CallableModel(model, name=name, version=version)
    raise UsageError(
        f"a model is a spec, a model or a function from a list of requests to texts, not a {type(model).__name__}"
    )


def _list_options(names: Sequence[str]) -> str:
    return f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'}"


def _itself(model: Model) -> Model:
    return model


def _with_prompt(options: ModelOptions, name: str) -> ModelOptions:
    """The options with a prompt that can be loaded."""
    from falter.evaluation.models.prompts import load_prompt

    if options.prompt is not None:
        raise UsageError("the model options name a prompt already; give prompts in one place")
    chosen = msgspec.structs.replace(options, prompt=name)
    load_prompt(chosen)
    return chosen


def _several_prompts(names: Sequence[str], options: ModelOptions) -> list[tuple[str, str]]:
    """Prompts as they were given, each with its name."""
    from falter.evaluation.models.prompts import load_prompt

    labels = [load_prompt(_with_prompt(options, name)).name for name in names]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        # Two files may have one name in different folders: then nothing would tell their runs apart.
        raise UsageError(f"two prompts are named {twice[0]}; give each once, or rename a file")
    return list(zip(names, labels, strict=True))


_WEIGHTS = ("device", "dtype", "revision", "trust_remote_code")
_PROMPT = ("prompt", "system", "few_shot")
_COST = ("prices", "image_tokens")
"""What estimates of any model read."""
BACKEND_OPTIONS: Mapping[str, frozenset[str]] = {
    "builtin": frozenset(),
    "file": frozenset(),
    "python": frozenset(),
    "clip": frozenset(_WEIGHTS),
    "lm": frozenset((*_WEIGHTS, "lm_score", "bos")),
    "hf": frozenset((*_WEIGHTS, "region_features", "answer_by", "match_by", "max_new_tokens")),
    "openai": frozenset(
        ("answer_by", "match_by", "max_new_tokens", "concurrency", "timeout", "model_name", "max_requests", "max_cost")
    ),
}
"""By backend of Falter's own the options that it reads, besides those of prompts and of costs."""
_OF_TASK: Mapping[str, Task] = {"answer_by": "answer", "match_by": "match"}


class NotRead(dict[str, str]):
    """By option, as on the command line, why a model does not read it."""


def options_not_read(
    spec: str, model: Model, options: ModelOptions, *, tasks: Sequence[Task], prompted: bool
) -> NotRead:
    """The options that were chosen and that a model does not read on a suite of these tasks."""
    found = NotRead()
    shown = hide_address(spec or model.name)
    backend = spec.partition(":")[0]
    chosen = [field.name for field in msgspec.structs.fields(options) if getattr(options, field.name) != field.default]
    for name in chosen:
        option = option_of_field(name)
        if name in _PROMPT:
            if not prompted:
                found[option] = f"{shown} uses no prompt on this suite"
        elif name in ("max_requests", "max_cost") and not model.capabilities.remote:
            found[option] = f"{shown} calls no server"
        elif name in _OF_TASK and _OF_TASK[name] not in tasks:
            found[option] = f"the suite has nothing for {shown} to {_OF_TASK[name]}"
        elif backend in BACKEND_OPTIONS and name not in (*_COST, *BACKEND_OPTIONS[backend]):
            found[option] = f"{shown} does not read it"
    return found


def sources_not_read(spec: str, *, scenes: bool, train: bool) -> NotRead:
    """Which of ``--scenes`` and ``--train`` was given to a model of Falter's own that does not read it."""
    backend, _, rest = spec.partition(":")
    if backend not in BACKENDS or backend == "python" or backend not in BACKEND_OPTIONS:
        return NotRead()
    needs, own = "", None
    if backend == "builtin":
        name, _, own = parse_builtin(rest)
        needs = BUILTINS.get(name).needs if name in BUILTINS else "--scenes --train"
    found = NotRead()
    for option, given in (("--scenes", scenes), ("--train", train)):
        if given and (option not in needs or (option == "--train" and own is not None)):
            found[option] = f"{hide_address(spec)} does not read it"
    return found
