"""Running models on suites, from Python and from the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from falter.api.paths import (
    PathOrStr,
    RunLike,
    SourceLike,
    SuiteLike,
    as_image_dir,
    as_run,
    as_source,
    as_suite,
    find_runs,
)
from falter.errors import UsageError
from falter.models.failures import BudgetExceededError
from falter.progress import ProgressCallback, ProgressDisplay, no_progress

if TYPE_CHECKING:
    from falter.engine import Plan, ReplyCache, RunObserver
    from falter.models import LoadContext, Model, ModelOptions, Request
    from falter.models.prompts import Prompt
    from falter.probes import Suite, Task
    from falter.runs import Run, RunSettings

__all__ = [
    "BudgetExceededError",
    "ModelJob",
    "ModelLike",
    "RunSetup",
    "build_model_options",
    "dry_run",
    "load_run",
    "load_runs",
    "merge",
    "model_jobs",
    "open_cache",
    "prepare_run",
    "prompts",
    "run",
    "run_all",
    "run_folders",
    "shortfall",
]

ModelLike: TypeAlias = "Model | str | Callable[[Sequence[Request]], Sequence[Any]]"
"""A spec such as ``"hf:..."``, a model, or a function from a list of requests to texts or replies."""

MOST_FAILED = 0.01
"""Where a larger share of a run's items than this failed, a command that made it exits with 1."""

Notify: TypeAlias = Callable[[str], None]


def load_run(path: PathOrStr, *, suite: PathOrStr | None = None) -> Run:
    """Open a run, complete or not: a folder that ``run`` wrote. ``suite`` is where its suite is, if it has moved."""
    return as_run(path, suite)


def load_runs(folder: PathOrStr, *, suite: PathOrStr | None = None) -> list[Run]:
    """Open every run in a folder, in the order of their names."""
    return [as_run(path, suite) for path in find_runs(Path(folder))]


def run(
    suite: SuiteLike,
    model: ModelLike,
    *,
    out: PathOrStr | None = None,
    name: str | None = None,
    version: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    repeat: int = 1,
    image_input: str | None = None,
    prompt: str | None = None,
    batch_size: int | None = None,
    cache: PathOrStr | None = None,
    scenes: SourceLike | None = None,
    train: SourceLike | None = None,
    options: ModelOptions | Mapping[str, Any] | None = None,
    shard: str | None = None,
    plugins: Sequence[PathOrStr] = (),
    image_dir: PathOrStr | None = None,
    progress: bool | RunObserver | None = None,
) -> Run:
    """Run a model on a suite and give the run; an interrupted run resumes.

    ``model`` is a spec (``"builtin:blind"``, ``"hf:..."``), a model, or any function from a list of requests to texts
    or replies. A function is told apart from others by ``name`` and ``version``: another function in the same folder
    is refused. ``out`` is by default ``runs/MODEL-SUITE``. ``image_input`` is none, blank or shuffle; ``options`` are
    the :class:`~falter.models.ModelOptions` or a dictionary of them. Images are read from the suite's folder and from
    ``image_dir``, nowhere else.
    """
    setup = prepare_run(
        suite,
        limit=limit,
        seed=seed,
        repeat=repeat,
        image_input=image_input,
        prompt=prompt,
        scenes=scenes,
        train=train,
        options=options,
        shard=shard,
        plugins=plugins,
        image_dir=image_dir,
    )
    (job,) = model_jobs([model], setup, name=name, version=version)
    folder = Path(out) if out is not None else Path("runs") / f"{_slug(job.name)}-{_slug(setup.suite.name)}"
    with ExitStack() as stack:
        kept = None if cache is None else stack.enter_context(open_cache(Path(cache)))
        return job.run(folder, batch_size=batch_size, cache=kept, observer=_observer(progress, stack))


def run_all(
    suite: SuiteLike,
    models: Iterable[ModelLike],
    *,
    out: PathOrStr,
    prompts: Sequence[str | None] = (None,),
    image_inputs: Sequence[str | None] = (None,),
    batch_size: int | None = None,
    cache: PathOrStr | None = None,
    progress: bool | RunObserver | None = None,
    **settings: Any,
) -> list[Run]:
    """Run every model under every prompt and image input, each in a folder of its own below ``out``.

    ``settings`` are those of :func:`run`: limit, seed, repeat, scenes, train, options, shard, plugins.
    """
    several = [*models]
    jobs: list[ModelJob] = []
    for image_input in image_inputs:
        setup = prepare_run(suite, image_input=image_input, **settings)
        jobs += model_jobs(several, setup, prompts=[one for one in prompts if one is not None])
    named = [job.name if len(image_inputs) == 1 else job.run_name for job in jobs]
    folders = run_folders(Path(out), named)
    done: list[Run] = []
    with ExitStack() as stack:
        kept = None if cache is None else stack.enter_context(open_cache(Path(cache)))
        observer = _observer(progress, stack)
        for folder in folders:
            # Each is let go of before the next is loaded: weights may not fit twice.
            job = jobs.pop(0)
            done.append(job.run(folder, batch_size=batch_size, cache=kept, observer=observer))
    return done


def dry_run(
    suite: SuiteLike,
    model: ModelLike,
    *,
    out: PathOrStr | None = None,
    name: str | None = None,
    version: str | None = None,
    batch_size: int | None = None,
    cache: PathOrStr | None = None,
    **settings: Any,
) -> Plan:
    """What :func:`run` would call, and what that takes; nothing is called."""
    setup = prepare_run(suite, **settings)
    (job,) = model_jobs([model], setup, name=name, version=version)
    folder = Path(out) if out is not None else Path("runs") / f"{_slug(job.name)}-{_slug(setup.suite.name)}"
    with ExitStack() as stack:
        known = cache is not None and (Path(cache) / "replies.sqlite").is_file()
        kept = stack.enter_context(open_cache(Path(cache))) if known and cache is not None else None
        return job.plan(folder, batch_size=batch_size, cache=kept)


def merge(parts: Sequence[RunLike], out: PathOrStr, *, suite: PathOrStr | None = None, overwrite: bool = False) -> Run:
    """Make one run of the parts that ``shard`` made, byte-identical to an undivided one; folders of parts will do."""
    from falter.engine import merge_runs

    folders = [
        folder
        for one in parts
        for folder in (find_runs(Path(one)) if isinstance(one, str | PathLike) else [one.folder])
    ]
    return merge_runs(folders, Path(out), suite_folder=None if suite is None else Path(suite), overwrite=overwrite)


def shortfall(run: Run) -> str:
    """Why a run is no basis for scores: it is incomplete, or over 1 % of its items failed; "" where it is one."""
    manifest = run.manifest
    failed, unsupported = (manifest.counts.get(status, 0) for status in ("failed", "unsupported"))
    if not manifest.complete:
        return "the run is incomplete: some items have no reply or failed with transient errors; rerun to retry them"
    if failed > MOST_FAILED * manifest.asked:
        return f"{failed:,} of {manifest.asked:,} items failed, more than 1 %; scores leave them out"
    if unsupported == manifest.asked:
        return f"{manifest.model.name} supports none of the {manifest.asked:,} items; there is nothing to score"
    return ""


def prompts() -> list[Prompt]:
    """The prompts that come with Falter."""
    from falter.models import ModelOptions
    from falter.models.prompts import load_prompt, prompt_names

    return [load_prompt(ModelOptions(prompt=name)) for name in prompt_names()]


@dataclass(frozen=True)
class RunSetup:
    """What all models of a command share: the suite, the settings of the run, what models are loaded with."""

    suite: Suite
    settings: RunSettings
    context: LoadContext


@dataclass(frozen=True)
class ModelJob:
    """A model to run on a suite, loaded when its turn comes, and the name it gets in tables."""

    setup: RunSetup
    spec: str
    name: str
    options: ModelOptions
    load: Callable[[], Model]

    @property
    def run_name(self) -> str:
        """What the run is called: the model's name under the settings of the run."""
        return self.setup.settings.named(self.name)

    def run(
        self, out: Path, *, batch_size: int | None, cache: ReplyCache | None, observer: RunObserver | None = None
    ) -> Run:
        """Run the model, or resume its run."""
        from falter.engine import run_suite

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
        )

    def plan(self, out: Path, *, batch_size: int | None, cache: ReplyCache | None) -> Plan:
        """What running it would call."""
        from falter import engine

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


def prepare_run(
    suite: SuiteLike,
    *,
    limit: int | None = None,
    seed: int = 0,
    repeat: int = 1,
    image_input: Any = None,
    prompt: str | None = None,
    scenes: SourceLike | None = None,
    train: SourceLike | None = None,
    options: ModelOptions | Mapping[str, Any] | None = None,
    shard: str | None = None,
    plugins: Sequence[PathOrStr] = (),
    image_dir: PathOrStr | None = None,
) -> RunSetup:
    """Open the suite and the sources and check the settings."""
    from falter.models import LoadContext
    from falter.models.load_context import find_yes_no, score_file_layouts
    from falter.plugins import load_plugins, plugin_hashes
    from falter.runs import RunSettings, Shard

    opened = as_suite(suite)
    if image_dir is not None:
        opened.allow_images(as_image_dir(image_dir))
    folders = load_plugins([Path(folder) for folder in plugins])
    settings = RunSettings(
        limit=limit,
        seed=seed,
        plugin_hashes=tuple(plugin_hashes(folders)),
        repeat=repeat,
        image_input=image_input,
        shard=None if shard is None else Shard.parse(shard),
    )
    context = LoadContext(
        scenes=as_source(scenes),
        train=as_source(train),
        plugin_dirs=folders,
        options=build_model_options(options, prompt),
        layouts=score_file_layouts(opened),
        yes_no_ids=partial(find_yes_no, opened),
    )
    return RunSetup(opened, settings, context)


def build_model_options(given: ModelOptions | Mapping[str, Any] | None, prompt: str | None = None) -> ModelOptions:
    """Options of models from a dictionary; an unknown name, a bad value or a missing prompt is a UsageError."""
    from falter.models import ModelOptions
    from falter.models.prompts import load_prompt

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
    if prompt is not None:
        options = msgspec.structs.replace(options, prompt=prompt)
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
    notify: Notify = lambda _: None,
) -> list[ModelJob]:
    """Every model under every prompt, for the tasks of the suite.

    Each model is loaded before the first is called, for a slip in the last must not come to light after hours; under
    its second prompt and those after it, a model is loaded when its turn comes. ``notify`` is told which options have
    no effect.
    """
    return [
        job
        for model in models
        for job in _jobs_of_model(model, setup, prompts, name=name, version=version, notify=notify)
    ]


def _jobs_of_model(
    model: ModelLike,
    setup: RunSetup,
    prompts: Sequence[str],
    *,
    name: str | None,
    version: str | None,
    notify: Notify,
) -> Iterator[ModelJob]:
    from falter.models import load_model

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
    for line in _without_effect(spec or called, first, context.options, prompted=words is not None):
        notify(line)
    if not chosen:
        if words is not None and options.prompt is not None:
            called = f"{called} (prompt: {words.name})"
        yield ModelJob(setup, spec, called, options, partial(_itself, first))
        return
    if words is None:
        raise UsageError(f"{spec or called} uses no prompt on this suite; several prompts need a model that does")
    for number, (prompt, label) in enumerate(chosen):
        options = msgspec.structs.replace(context.options, prompt=prompt)
        if isinstance(model, str) and number:
            load: Callable[[], Model] = partial(load_model, model, replace(context, options=options))
        else:
            load = partial(_itself, first)
        yield ModelJob(setup, spec, f"{called} (prompt: {label})", options, load)


def _own_model(model: Any, name: str | None, version: str | None) -> Model:
    """A model as it is, or a function made into one."""
    from falter.models.python import CallableModel

    if hasattr(model, "reply") and hasattr(model, "fingerprint"):
        return model  # type: ignore[no-any-return]
    if callable(model):
        return CallableModel(model, name=name, version=version)
    raise UsageError(
        f"a model is a spec, a model or a function from a list of requests to texts, not a {type(model).__name__}"
    )


def _without_effect(spec: str, model: Model, options: ModelOptions, *, prompted: bool) -> Iterator[str]:
    """What the user chose that changes nothing about a model."""
    budgets = [("--max-requests", options.max_requests), ("--max-cost", options.max_cost)]
    given = [name for name, value in budgets if value is not None]
    if given and not model.capabilities.remote:
        yield f"{spec} calls no server; {_list_options(given)} no effect on it"
    words = [("--prompt", options.prompt), ("--system", options.system), ("--few-shot", options.few_shot)]
    given = [name for name, value in words if value is not None]
    if given and not prompted:
        yield f"{spec} uses no prompt on this suite; {_list_options(given)} no effect on it"


def _list_options(names: Sequence[str]) -> str:
    return f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'}"


def _itself(model: Model) -> Model:
    return model


def _several_prompts(names: Sequence[str], options: ModelOptions) -> list[tuple[str, str]]:
    """Prompts as they were given, each with its name."""
    from falter.models.prompts import load_prompt

    if options.prompt is not None:
        raise UsageError("choose one prompt or several, not both")
    if len(names) < 2:
        raise UsageError(f"several prompts are two or more, such as standard,plain, not {', '.join(names)!r}")
    labels = [load_prompt(msgspec.structs.replace(options, prompt=name)).name for name in names]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        # Two files may have one name in different folders: then nothing would tell their runs apart.
        raise UsageError(f"two prompts are named {twice[0]}; give each once, or rename a file")
    return list(zip(names, labels, strict=True))


def run_folders(out: Path, names: Sequence[str]) -> list[Path]:
    """One model's run is the folder itself; several have a folder each, named after them.

    >>> run_folders(Path("runs"), ["blind"]), [path.name for path in run_folders(Path("runs"), ["a b", "a/b"])]
    ([PosixPath('runs')], ['a-b', 'a-b-2'])
    """
    if len(names) == 1:
        return [out]
    folders: list[Path] = []
    for name in names:
        folder, number = out / _slug(name), 2
        while folder in folders:
            folder = out / f"{_slug(name)}-{number}"
            number += 1
        folders.append(folder)
    return folders


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:80] or "model"


def open_cache(folder: Path) -> ReplyCache:
    """A cache of replies on disk, to be used in a ``with`` statement."""
    from falter.engine import ReplyCache

    return ReplyCache(folder)


def _observer(progress: bool | RunObserver | None, stack: ExitStack) -> RunObserver | None:
    """What is told of the run: nothing, a bar, or the caller's own observer."""
    if progress is None or progress is False:
        return None
    if progress is True:
        from falter.progress import show_progress

        return _ShowReplies(stack.enter_context(show_progress()))
    return progress


class _ShowReplies:
    """Shows the replies of a run as they come."""

    def __init__(self, display: ProgressDisplay) -> None:
        self._display = display
        self._advance: ProgressCallback = no_progress

    def on_plan(self, plan: Plan) -> None:
        self._advance = self._display.start_stage(plan.model, plan.to_ask + plan.unsupported)

    def on_replies(self, count: int) -> None:
        self._advance(count)
