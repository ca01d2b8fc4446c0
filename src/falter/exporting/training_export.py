"""Probes as training files, in a format that the suite's bundle writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from falter.authoring.generate import check_options, load_generator
from falter.authoring.generator import GenerateContext, GenerateOptions
from falter.authoring.options import uses_wordnet
from falter.bundle import SuiteBundle
from falter.errors import InputError, UsageError
from falter.files import atomic_file
from falter.parallel import Executor, Inline
from falter.probes import Probe
from falter.sources import Source

__all__ = ["TrainingCounts", "TrainingWriter", "write_training"]

INLINE = Inline()


class TrainingWriter(Protocol):
    """Turns probes into the records of one format; made for one split."""

    def records(self, probe: Probe) -> Iterator[tuple[str, dict[str, Any]]]:
        """The records of a probe, each with its key in the file."""
        ...


class TrainingCounts(NamedTuple):
    """How many questions were written for each test, and what was rejected, by its reason."""

    questions: dict[str, int]
    refused: dict[str, int]


def write_training(
    bundle: SuiteBundle,
    source: Source,
    out: Path,
    options: GenerateOptions,
    *,
    form: str = "",
    split: str = "train",
    executor: Executor = INLINE,
    plugin_dirs: Sequence[Path] = (),
    overwrite: bool = False,
    progress: Callable[[], None] = lambda: None,
) -> TrainingCounts:
    """Write ``OUT/{split}_{suite}_questions.json``, whole or not at all; ``form`` is one of the bundle's formats.

    Tests that change the image make no questions here: they have nothing to teach.
    """
    if not bundle.training:
        raise UsageError(f"{bundle.name} writes no training files; generate it as a suite")
    if not split.replace("-", "").replace("_", "").isalnum():
        raise UsageError(f"--split {split!r} becomes part of a file name: use letters and digits")
    if uses_wordnet(options.suite_options):
        raise UsageError(
            "--wordnet does not go with --as training: generate a suite, and pass its folder words as --plugin-dir"
        )
    writer: TrainingWriter = bundle.get("training", form or next(iter(bundle.training)))(split)
    generator = load_generator(bundle)
    check_options(bundle, generator, source, options)
    path = out / f"{split}_{bundle.name}_questions.json"
    if path.exists() and not overwrite:
        raise UsageError(f"{path} already exists; choose another --out or pass --overwrite")
    context = GenerateContext(source=source, options=options, executor=executor, plugin_dirs=tuple(plugin_dirs))
    counts: Counter[str] = Counter()
    with atomic_file(path) as stream:
        stream.write(b"{")
        for probe in generator.probes(source, options, context):
            for key, record in writer.records(probe):
                stream.write(b",\n" if counts else b"\n")
                stream.write(msgspec.json.encode(key) + b": " + msgspec.json.encode(record))
                counts[probe.original.test] += 1
                progress()
        stream.write(b"\n}\n")
        if not counts:
            raise InputError(path, "no question could be made", hint="check the source")
    return TrainingCounts(dict(sorted(counts.items())), dict(sorted(context.rejected.items())))
