"""The models of a command line, under every prompt that was chosen, each with the name it gets in tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from falter.cli.output import note
from falter.errors import UsageError

if TYPE_CHECKING:
    from falter.models import LoadContext, Model, ModelOptions
    from falter.probes import Task

__all__ = ["ToAsk", "models_to_ask"]


class ToAsk(NamedTuple):
    """A model to ask, and what to call it."""

    spec: str
    name: str
    options: ModelOptions
    load: Callable[[], Model]


def models_to_ask(
    specs: Sequence[str], context: LoadContext, prompts: str | None, tasks: Collection[Task] = ("answer", "match")
) -> Iterator[ToAsk]:
    """Every model under every prompt, for a suite that asks these tasks.

    Each spec is loaded before the first is asked, for a slip in the last must not come to light after hours; under
    its second prompt and those after it, a model is loaded when its turn comes.
    """
    from falter.models import load_model

    chosen = [] if prompts is None else _several(prompts, context.options)
    for spec in specs:
        options = context.options if not chosen else msgspec.structs.replace(context.options, prompt=chosen[0][0])
        first = load_model(spec, replace(context, options=options))
        mine = sorted(first.capabilities.tasks & set(tasks))
        words = next((used for task in mine if (used := first.capabilities.prompt_used(task)) is not None), None)
        for line in _without_effect(spec, first, context.options, prompted=words is not None):
            note(line)
        if not chosen:
            name = first.name
            if words is not None and options.prompt is not None:
                name = f"{first.name} (prompt: {words.name})"
            yield ToAsk(spec, name, options, partial(_itself, first))
            continue
        if words is None:
            raise UsageError(f"{spec} is asked without a prompt here: --prompts needs a model and a suite with one")
        for number, (prompt, label) in enumerate(chosen):
            options = msgspec.structs.replace(context.options, prompt=prompt)
            later = partial(load_model, spec, replace(context, options=options))
            load = later if number else partial(_itself, first)
            yield ToAsk(spec, f"{first.name} (prompt: {label})", options, load)


def _without_effect(spec: str, model: Model, options: ModelOptions, *, prompted: bool) -> Iterator[str]:
    """What the user chose that changes nothing about a model."""
    budgets = [("--max-requests", options.max_requests), ("--max-cost", options.max_cost)]
    given = [name for name, value in budgets if value is not None]
    if given and not model.capabilities.remote:
        yield f"{spec} asks no server: {_listed(given)} no effect on it"
    words = [("--prompt", options.prompt), ("--system", options.system), ("--few-shot", options.few_shot)]
    given = [name for name, value in words if value is not None]
    if given and not prompted:
        yield f"{spec} is asked without a prompt here: {_listed(given)} no effect on it"


def _listed(names: Sequence[str]) -> str:
    return f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'}"


def _itself(model: Model) -> Model:
    return model


def _several(given: str, options: ModelOptions) -> list[tuple[str, str]]:
    """The prompts of ``A,B,...``, each with its name."""
    from falter.models.prompts import load_prompt

    if options.prompt is not None:
        raise UsageError("give --prompt for one prompt, or --prompts for several, not both")
    names = [name.strip() for name in given.split(",") if name.strip()]
    if len(names) < 2:
        raise UsageError(f"--prompts takes two or more, such as standard,plain, not {given!r}")
    labels = [load_prompt(msgspec.structs.replace(options, prompt=name)).name for name in names]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        # Two files may bear one name in different folders: then nothing would tell their runs apart.
        raise UsageError(f"two of --prompts are named {twice[0]}: give each once, or rename a file")
    return list(zip(names, labels, strict=True))
