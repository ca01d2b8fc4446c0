"""Generating a suite from a source, or questions to train on."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import msgspec

from falter.api.keywords import split_options, takes_options
from falter.api.paths import PathOrStr, SourceLike, as_source, as_suite
from falter.core.errors import UsageError
from falter.core.progress import StageCallback, StepProgress, no_stages, open_steps
from falter.generation.authoring.options import GenerateOptions, TrainingOptions, build_options

if TYPE_CHECKING:
    from falter.core.bundle import SuiteBundle
    from falter.data.images import Source
    from falter.data.suite import Suite
    from falter.generation.authoring.training import TrainingCounts

__all__ = ["GenerateOptions", "TrainingOptions", "generate"]


@overload
def generate(
    name: str,
    source: SourceLike,
    *,
    out: PathOrStr,
    training: None = None,
    progress: StepProgress = None,
    start_stage: StageCallback | None = None,
    **options: Any,
) -> Suite: ...


@overload
def generate(
    name: str,
    source: SourceLike,
    *,
    out: PathOrStr,
    training: Mapping[str, Any],
    progress: StepProgress = None,
    start_stage: StageCallback | None = None,
    **options: Any,
) -> TrainingCounts: ...


@takes_options(GenerateOptions, without=["suite_options"])
def generate(
    name: str,
    source: SourceLike,
    *,
    out: PathOrStr,
    training: Mapping[str, Any] | None = None,
    progress: StepProgress = None,
    start_stage: StageCallback | None = None,
    **options: Any,
) -> Suite | TrainingCounts:
    """Generate a suite from a source, e.g. ``falter.generate("carets", "gqa:data/gqa", out="suite", size=1000)``.

    ``options`` are also those of the suite, named as on the command line with underscores. With ``training``, such as
    ``{"split": "train"}``, questions to train on are written instead, and counted: ``format``, ``split`` and the suites
    to evaluate on (``evaluation``), about whose images no question is.
    """
    order = _prepare(name, source, options)
    target = Path(out)
    with ExitStack() as stack:
        count = open_steps(progress, stack)
        if training is not None:
            from falter.generation.authoring.training import write_training

            wanted = _training_options(name, training)
            return write_training(
                order.bundle, order.source, target, order.options, wanted, inputs=order.inputs, progress=count
            )
        from falter.generation.authoring.generator import generate as write

        write(
            order.bundle,
            order.source,
            target,
            order.options,
            inputs=order.inputs,
            progress=count,
            start_stage=start_stage or no_stages,
        )
    return as_suite(out)


class _Order(NamedTuple):
    """What is to be generated, of what."""

    bundle: SuiteBundle
    source: Source
    options: GenerateOptions
    inputs: list[Path]
    """What is read: neither overwritten nor inside what is."""


def _prepare(name: str, source: SourceLike, options: Mapping[str, Any]) -> _Order:
    from falter.core.bundle import BUNDLES
    from falter.core.plugins import load_plugins
    from falter.data.sources import spec_paths
    from falter.generation.authoring.options import paths_of_options

    own, of_suite = split_options(GenerateOptions, options)
    own["plugins"] = load_plugins([Path(folder) for folder in own.get("plugins", ())])
    own["tests"] = tuple(dict.fromkeys(own.get("tests", ())))
    own["size"] = _parse_size(own.get("size"))
    built = build_options(name, GenerateOptions, own)
    assert built is not None
    bundle = BUNDLES.get(name)
    suite_options = build_options(name, bundle.get("options"), of_suite, own["tests"])
    opened = as_source(source)
    assert opened is not None
    inputs = [*(spec_paths(source) if isinstance(source, str) else ()), *built.plugins]
    inputs += paths_of_options(suite_options)
    return _Order(bundle, opened, msgspec.structs.replace(built, suite_options=suite_options), inputs)


def _parse_size(given: int | str | None) -> int | str | None:
    """A number of pairs, or the paper's."""
    if given is None or given == "paper":
        return given
    text = str(given)
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise UsageError(f"--size {given!r} is neither a number of pairs nor 'paper'")
    return int(text)


def _training_options(name: str, given: Mapping[str, Any]) -> TrainingOptions:
    folders = [as_suite(suite).folder for suite in given.get("evaluation", ())]
    built = build_options(name, TrainingOptions, {**given, "evaluation": folders})
    assert built is not None
    return built
