"""Probes as training files, in a format that the suite's bundle writes.

The manifest beside them says what they hold: questions by test, originals and variants, images, answers, sizes of sets,
facets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.core.bundle import SuiteBundle
from falter.core.errors import InputError, UsageError
from falter.core.executors import executor_for
from falter.core.files import atomic_file, read_json, refuse_input_file, seal_json, sha256_of_file, write_atomically
from falter.core.version import __version__
from falter.data.images import Source
from falter.data.items import Probe
from falter.data.suite import Suite, open_suite
from falter.generation.authoring.generator import GenerateContext, check_options, load_generator
from falter.generation.authoring.options import GenerateOptions, TrainingOptions, uses_wordnet
from falter.generation.authoring.training_formats import OBJECT, TrainingLayout, TrainingWriter, UsesSource

_VALUES = 30
"""How many values of an answer or a facet are listed, the most frequent first."""


class TrainingStatistics:
    """Counts what is written of each probe."""

    def __init__(self) -> None:
        self.questions: Counter[str] = Counter()
        self._roles: Counter[str] = Counter()
        self._images: set[str] = set()
        self._answers: dict[str, Counter[str]] = {}
        self._sizes: dict[str, Counter[int]] = {}
        self._facets: dict[str, Counter[str]] = {}
        self._texts: set[tuple[str | None, str]] = set()

    def add(self, probe: Probe, written: int) -> None:
        """Count a probe of which so many questions were new."""
        test = probe.original.test
        self.questions[test] += written
        self._sizes.setdefault(test, Counter())[len(probe.variants)] += 1
        for item in probe.items:
            if item.image_id is not None:
                self._images.add(item.image_id)
            if (item.image_id, item.text) in self._texts:
                continue
            self._texts.add((item.image_id, item.text))
            self._roles[item.role] += 1
            self._answers.setdefault(test, Counter())[str(item.gold)] += 1
            for name, value in item.facets.items() if item.variant else ():
                self._facets.setdefault(name, Counter())[value] += 1

    def to_dict(self) -> dict[str, Any]:
        """All counts, for the manifest."""
        return {
            "questions": dict(sorted(self.questions.items())),
            "originals": self._roles["original"],
            "variants": self._roles["variant"],
            "images": len(self._images),
            "answers": {test: dict(count.most_common(_VALUES)) for test, count in sorted(self._answers.items())},
            "variants_of_an_original": {
                test: {str(size): many for size, many in sorted(count.items())}
                for test, count in sorted(self._sizes.items())
            },
            "facets_of_variants": {
                name: dict(count.most_common(_VALUES)) for name, count in sorted(self._facets.items())
            },
        }


class TrainingCounts(NamedTuple):
    """How many questions were written for each test, what was rejected, by its reason, and further statistics."""

    questions: dict[str, int]
    refused: dict[str, int]
    statistics: dict[str, Any]


def write_training(
    bundle: SuiteBundle,
    source: Source,
    out: Path,
    options: GenerateOptions,
    training: TrainingOptions | None = None,
    *,
    inputs: Sequence[Path] = (),
    progress: Callable[[], None] = lambda: None,
) -> TrainingCounts:
    """Write ``OUT/{split}_{suite}_questions.json``, whole or not at all, in one of the bundle's formats.

    Questions on images of the suites to evaluate on are refused. ``OUT/{split}_{suite}_training.json`` has statistics.
    Tests that change the image make no questions here: they have nothing to teach.
    """
    if not bundle.training:
        raise UsageError(f"{bundle.name} writes no training files; generate it as a suite")
    training = training or TrainingOptions()
    if not training.split.replace("-", "").replace("_", "").isalnum():
        raise UsageError(f"--split {training.split!r} becomes part of a file name: use letters and digits")
    if uses_wordnet(options.suite_options):
        raise UsageError(
            "--wordnet does not go with --as training: generate a suite, and pass its folder words as --plugin-dir"
        )
    form, split = training.format or next(iter(bundle.training)), training.split
    writer: TrainingWriter = bundle.get("training", form)(split)
    if isinstance(writer, UsesSource):
        writer.use_source(source)
    layout: TrainingLayout = getattr(writer, "layout", OBJECT)
    generator = load_generator(bundle)
    check_options(bundle, generator, source, options)
    path = out / f"{split}_{bundle.name}_questions.json"
    described = out / f"{split}_{bundle.name}_training.json"
    _refuse_existing(path, described, inputs, overwrite=options.overwrite)
    evaluation = [open_suite(folder) for folder in training.evaluation]
    held_out = {
        item.image_id: suite.name for suite in evaluation for item in suite.items() if item.image_id is not None
    }
    context = GenerateContext(
        source=source,
        options=options,
        executor=executor_for(options.workers, options.executor),
        plugin_dirs=options.plugins,
        held_out=held_out,
    )
    statistics = TrainingStatistics()
    empty = True
    with atomic_file(path) as stream:
        stream.write(layout.opening)
        for probe in generator.probes(source, options, context):
            tested = held_out.get(probe.original.image_id or "")
            if tested is not None:
                context.rejected[f"the image is in the evaluation suite {tested}"] += 1
                continue
            written = 0
            for key, record in writer.records(probe):
                stream.write((b"\n" if empty else b",\n") + layout.encode(key, record))
                empty = False
                written += 1
                progress()
            statistics.add(probe, written)
        stream.write(layout.closing)
        if empty:
            hint = "train on other images than those of --evaluation" if held_out else "check the source"
            raise InputError(path, "no question could be made", hint=hint)
    refused = dict(sorted(context.rejected.items()))
    counts = TrainingCounts(dict(sorted(statistics.questions.items())), refused, statistics.to_dict())
    _write_manifest(described, bundle, counts, form, path, context, evaluation)
    return counts


def _refuse_existing(path: Path, record: Path, inputs: Sequence[Path], *, overwrite: bool) -> None:
    """Refuse to replace what is read, and what its record does not name as training files of this command."""
    for file in (path, record):
        if file.exists() and not overwrite:
            raise UsageError(f"{file} already exists; choose another --out or pass --overwrite")
        refuse_input_file(file, [one for one in inputs if one.is_file()])
    if not path.exists() and not record.exists():
        return
    try:
        made_by = read_json(record, _Record, what="the record of training files").made_by
    except InputError:
        made_by = ""
    if not made_by.startswith("falter generate "):
        raise UsageError(
            f"{path} is not replaced: no {record.name} says that it has training files; choose another --out"
        )


class _Record(msgspec.Struct):
    made_by: str = ""


def _write_manifest(
    path: Path,
    bundle: SuiteBundle,
    counts: TrainingCounts,
    form: str,
    questions: Path,
    context: GenerateContext,
    evaluation: Sequence[Suite],
) -> None:
    options = context.options
    manifest = {
        "name": bundle.name,
        "falter": __version__,
        "made_by": f"falter generate {bundle.name} --as training",
        "format": form,
        "file": {"name": questions.name, "sha256": sha256_of_file(questions)},
        "seed": options.seed,
        "parameters": {
            "tests": list(options.tests),
            "size": options.size,
            **({} if options.suite_options is None else msgspec.to_builtins(options.suite_options)),
        },
        "sources": [context.source.describe()],
        "licence": context.source.licence,
        "evaluation": [
            {"name": suite.manifest.name, "items_sha256": suite.manifest.items_sha256} for suite in evaluation
        ],
        "counts": {**counts.statistics, "refused": counts.refused},
    }
    write_atomically(path, seal_json(msgspec.json.encode(manifest)))
