"""Suites: open them, generate them, import released ones, build one's own, inspect and audit them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from falter.api.inspection_blocks import ask_witnesses, blind_blocks, opinion_blocks
from falter.api.paths import PathOrStr, SourceLike, SuiteLike, as_source, as_suite, open_imported, warn_of_copies
from falter.core.errors import UsageError
from falter.core.tables import PIPE_WIDTH, Block, Column, Grid, format_count, print_blocks, wrap_lines

if TYPE_CHECKING:
    from falter.core.bundle import SuiteBundle
    from falter.core.progress import StageCallback
    from falter.data.blind_checks import BlindCheck
    from falter.data.items import Probe
    from falter.data.suite import Suite
    from falter.data.suite_writing import ImageMode
    from falter.generation.authoring.generator import GenerateOptions
    from falter.generation.authoring.importer import Importer
    from falter.generation.authoring.training import TrainingCounts
    from falter.generation.inspection.audit import Audit
    from falter.generation.inspection.contents import ContentsTable, Inspection
    from falter.generation.inspection.second_opinion import SecondOpinion
    from falter.generation.sources import Source
    from falter.world.object_groups import SceneMix
    from falter.world.write_world import WorldCounts

__all__ = [
    "SuiteInspection",
    "audit",
    "find_importer",
    "generate",
    "import_suite",
    "inspect",
    "load",
    "uses_workers",
    "write_suite",
    "write_training",
    "write_world",
]

Progress = bool | Callable[[], None] | None
"""A bar, or a function that is called after each probe."""


def load(path: PathOrStr) -> Suite:
    """Open a suite: a folder that ``generate``, ``import_suite`` or ``write_suite`` wrote. ``load_run`` opens a run."""
    return as_suite(path)


def write_world(
    out: PathOrStr,
    *,
    scenes: int = 1000,
    seed: int = 0,
    workers: int = 1,
    images: bool = True,
    mix: SceneMix = "default",
    overwrite: bool = False,
    progress: Callable[[int], None] | None = None,
) -> WorldCounts:
    """Draw the world: scenes with exact scene graphs, written as GQA, VQA, VisDial and others publish theirs.

    With the mix ``contrastive``, more scenes have actions and positions that other scenes have the other way round.
    """
    from falter.world.write_world import write_world as write

    return write(
        Path(out), scenes, seed, workers=workers, overwrite=overwrite, progress=progress, images=images, mix=mix
    )


def generate(
    name: str,
    source: SourceLike,
    *,
    out: PathOrStr,
    tests: Sequence[str] = (),
    size: int | Literal["paper"] | None = None,
    seed: int = 0,
    workers: int = 1,
    executor: str = "",
    images: ImageMode = "copy",
    overwrite: bool = False,
    plugins: Sequence[PathOrStr] = (),
    progress: Progress = None,
    start_stage: StageCallback | None = None,
    **options: Any,
) -> Suite:
    """Generate a suite from a source, e.g. ``falter.generate("carets", "gqa:data/gqa", out="suite", size=1000)``.

    ``options`` are those of the suite, named as on the command line with underscores. ``executor`` names how work is
    spread where it is not over processes of this machine.
    """
    from falter.core.executors import executor_for
    from falter.core.progress import no_stages
    from falter.generation.authoring.generator import generate as write

    order = _prepare(name, source, plugins, tests=tests, size=size, seed=seed, images=images, options=options)
    with ExitStack() as stack:
        write(
            order.bundle,
            order.source,
            Path(out),
            order.options,
            executor=executor_for(workers, executor),
            plugin_dirs=order.plugin_dirs,
            overwrite=overwrite,
            inputs=order.inputs,
            progress=_progress(progress, stack),
            start_stage=start_stage or no_stages,
        )
    return as_suite(out)


def write_training(
    name: str,
    source: SourceLike,
    *,
    out: PathOrStr,
    format: str = "",  # noqa: A002  the word of the command line
    split: str = "train",
    evaluation: Sequence[SuiteLike] = (),
    tests: Sequence[str] = (),
    size: int | Literal["paper"] | None = None,
    seed: int = 0,
    workers: int = 1,
    executor: str = "",
    overwrite: bool = False,
    plugins: Sequence[PathOrStr] = (),
    progress: Progress = None,
    **options: Any,
) -> TrainingCounts:
    """Generate questions to train on, in one of the formats of the suite, and count them.

    Questions on images of the ``evaluation`` suites are refused.
    """
    from falter.core.executors import executor_for
    from falter.generation.authoring.training import write_training as write

    order = _prepare(name, source, plugins, tests=tests, size=size, seed=seed, images="copy", options=options)
    with ExitStack() as stack:
        return write(
            order.bundle,
            order.source,
            Path(out),
            order.options,
            form=format,
            split=split,
            evaluation=[as_suite(suite) for suite in evaluation],
            executor=executor_for(workers, executor),
            plugin_dirs=order.plugin_dirs,
            overwrite=overwrite,
            inputs=order.inputs,
            progress=_progress(progress, stack),
        )


class _Order(NamedTuple):
    """What is to be generated, of what."""

    bundle: SuiteBundle
    source: Source
    options: GenerateOptions
    plugin_dirs: tuple[Path, ...]
    inputs: list[Path]
    """What is read: neither overwritten nor inside what is."""


def _prepare(
    name: str, source: SourceLike, plugins: Sequence[PathOrStr], *, options: Mapping[str, Any], **settings: Any
) -> _Order:
    from falter.core.bundle import BUNDLES
    from falter.core.plugins import load_plugins
    from falter.generation.authoring.generator import GenerateOptions
    from falter.generation.authoring.options import build_options, paths_of_options
    from falter.generation.sources import spec_paths

    folders = load_plugins([Path(folder) for folder in plugins])
    bundle = BUNDLES.get(name)
    suite_options = build_options(name, bundle.get("options"), options, settings["tests"])
    settings["tests"] = tuple(dict.fromkeys(settings["tests"]))
    opened = as_source(source)
    assert opened is not None
    inputs = [*(spec_paths(source) if isinstance(source, str) else ()), *folders, *paths_of_options(suite_options)]
    return _Order(bundle, opened, GenerateOptions(suite_options=suite_options, **settings), folders, inputs)


def import_suite(
    format: str,  # noqa: A002  the word of the command line
    path: PathOrStr,
    *,
    out: PathOrStr,
    image_dir: PathOrStr | None = None,
    images: ImageMode = "copy",
    workers: int = 1,
    overwrite: bool = False,
    plugins: Sequence[PathOrStr] = (),
    progress: Progress = None,
    **options: Any,
) -> Suite:
    """Import a released suite, e.g. ``falter.import_suite("valse", "data/valse", out="suites/valse")``.

    Texts, ids and pairs stay as they were released. ``options`` are those of the importer.
    """
    from falter.core.executors import executor_for
    from falter.core.plugins import load_plugins
    from falter.generation.authoring.import_suite import import_suite as write
    from falter.generation.authoring.import_suite import load_importer
    from falter.generation.authoring.options import build_options

    load_plugins([Path(folder) for folder in plugins])
    importer = load_importer(format)
    if workers != 1 and not uses_workers(importer):
        raise UsageError(f"workers has no effect: importing {format} is not divided; leave it out")
    if image_dir is None and images == "link":
        raise UsageError("images=link has no effect without image_dir; name the folder that holds them")
    with ExitStack() as stack:
        write(
            importer,
            Path(path),
            Path(out),
            options=build_options(format, importer.options, options),
            image_dir=None if image_dir is None else Path(image_dir),
            images=images,
            executor=executor_for(workers),
            overwrite=overwrite,
            progress=_progress(progress, stack),
        )
    return open_imported(out)


def find_importer(name: str) -> Importer:
    """The importer of a released suite, with its title, its licence and its own options."""
    from falter.generation.authoring.import_suite import load_importer

    return load_importer(name)


def uses_workers(importer: Importer) -> bool:
    """Whether importing a release is divided among workers."""
    from falter.generation.authoring.importer import UsesWorkers

    return isinstance(importer, UsesWorkers)


def write_suite(
    probes: Iterable[Probe],
    out: PathOrStr,
    *,
    name: str,
    title: str = "",
    licence: str = "not stated",
    citation: str = "",
    images: ImageMode = "copy",
    overwrite: bool = False,
) -> Suite:
    """Write a suite of your own probes and open it; image paths are those of files to copy or link."""
    from falter.data.suite_writing import write_suite as write

    return write(
        probes,
        Path(out),
        name=name,
        title=title,
        licence=licence,
        citation=citation,
        images=images,
        overwrite=overwrite,
    )


class SuiteInspection(msgspec.Struct, frozen=True):
    """What a suite holds: its contents, a sample of probes, and blind checks where they were asked for."""

    contents: Inspection
    sample: tuple[Probe, ...]
    blind: tuple[BlindCheck, ...] = ()
    blind_unchecked: dict[tuple[str, str], int] = msgspec.field(default_factory=dict)
    """By test and kind of question the number of questions, where there are too few for a blind check."""
    second_opinion: SecondOpinion | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything as ``falter inspect --json`` prints it."""
        found = self.contents.to_dict()
        found |= {
            "sample": msgspec.to_builtins(self.sample),
            "blind": msgspec.to_builtins(self.blind),
            "blind_unchecked": [
                {"test": test, "questions": questions, "items": items}
                for (test, questions), items in self.blind_unchecked.items()
            ],
        }
        if self.second_opinion is not None:
            found["second_opinion"] = msgspec.to_builtins(self.second_opinion)
        return found

    def blocks(self) -> Iterator[Block]:
        """What ``falter inspect`` prints."""
        contents = self.contents
        yield wrap_lines(f"{contents.name}: {contents.title}", PIPE_WIDTH)
        seed = "" if contents.seed is None else f"; seed {contents.seed}"
        yield wrap_lines(
            f"{format_count(contents.probes, 'probes')}, {format_count(contents.items, 'items')} "
            f"({contents.distinct_items:,} distinct), {format_count(contents.images, 'images')}, "
            f"{contents.mean_words:.1f} words per text; licence {contents.licence.rstrip('.')}{seed}",
            PIPE_WIDTH,
        )
        for name, test in contents.tests.items():
            # Without variants there is nothing that an answer could be the same as.
            single = test.items == test.probes
            probes = format_count(test.probes, "single questions" if single else "probes")
            expected = "" if single else f", expects {', '.join(test.expects)}"
            yield wrap_lines(f"\n{name}: {probes}{expected}; golds {_counts(test.golds)}", PIPE_WIDTH)
            for facet, values in test.facets.items():
                yield wrap_lines(f"  {facet}: {_counts(values)}", PIPE_WIDTH)
        for table in contents.tables:
            yield from _table_blocks(table)
        yield from blind_blocks(self.blind, self.blind_unchecked)
        if self.second_opinion is not None:
            yield from opinion_blocks(self.second_opinion)
        for probe in self.sample:
            yield f"\n{probe.probe_id}  {probe.original.image or probe.original.image_id or ''}"
            for item in probe.items:
                earlier = "".join(f"{turn.speaker}: {turn.text} / " for turn in item.context or ())
                yield f"  {item.variant}  {earlier}{item.text}  -> {item.gold}"

    def __str__(self) -> str:
        buffer = StringIO()
        print_blocks(self.blocks(), file=buffer)
        return buffer.getvalue().rstrip("\n")

    def __repr__(self) -> str:
        return f"<SuiteInspection: {self.contents.name}, {format_count(self.contents.probes, 'probes')}>"


def _table_blocks(table: ContentsTable) -> Iterator[Block]:
    from rich.text import Text

    yield ""
    yield Grid(
        [Column(table.title, [Text(name) for name in table.rows])],
        [Column(name, [Text(cell) for cell in cells], right=True) for name, cells in table.columns.items()],
        most=PIPE_WIDTH,
    )
    if table.note:
        yield wrap_lines(table.note, PIPE_WIDTH)


def _counts(values: dict[str, int], most: int = 6) -> str:
    shown = ", ".join(f"{value} {count:,}" for value, count in list(values.items())[:most])
    return shown if len(values) <= most else f"{shown}, and {len(values) - most} more"


def inspect(
    suite: SuiteLike,
    *,
    sample: int = 3,
    seed: int = 0,
    blind: bool = False,
    blind_sample: int | None = 5000,
    scenes: SourceLike | None = None,
    scorers: Sequence[str] = (),
    second_opinion: bool = False,
    captions: Sequence[PathOrStr] = (),
    hierarchy: PathOrStr | None = None,
) -> SuiteInspection:
    """Show what a suite holds: counts, balance, facets, a sample; with ``blind``, how far text-only baselines get.

    ``blind_sample`` is how many questions of a test are checked at most, drawn by ``seed``; None checks all. With
    ``scenes``, the common-sense baseline gets the other objects in the image as well as the words. Captions
    and foils are also ranked by ``scorers``, such as ``lm:smollm2`` and ``grammar:rules``.

    With ``second_opinion``, which needs ``scenes``, labels are compared with WordNet, with the files ``captions`` (in
    COCO's format) and with the file ``hierarchy`` (names by class, as GQA publishes it).
    """
    from falter.generation.inspection.contents import inspect_suite, sample_probes

    opened = as_suite(suite)
    warn_of_copies(opened)
    checks: Sequence[BlindCheck] = ()
    unchecked: dict[tuple[str, str], int] = {}
    if blind:
        from falter.generation.inspection.blind import run_blind_checks
        from falter.generation.inspection.text_scorers import load_scorer
        from falter.generation.sources import require_scenes

        source = as_source(scenes)
        known = None if source is None else require_scenes(source)
        loaded = [load_scorer(spec) for spec in scorers]
        checks, unchecked = run_blind_checks(opened, most=blind_sample, seed=seed, scenes=known, scorers=loaded)
    elif scorers:
        raise UsageError("--scorer is for --blind; pass it too")
    opinion = None
    if second_opinion:
        opinion = ask_witnesses(opened, scenes, captions, hierarchy, seed)
    elif captions or hierarchy is not None:
        raise UsageError("--captions and --hierarchy are for --second-opinion; pass it too")
    drawn = tuple(sample_probes(opened, sample, seed))
    return SuiteInspection(inspect_suite(opened), drawn, tuple(checks), unchecked, opinion)


def audit(
    suite: SuiteLike,
    scenes: SourceLike | None = None,
    *,
    plugins: Sequence[PathOrStr] = (),
    progress: Progress = None,
) -> Audit:
    """Derive every label of a suite again, from its text and the scene; count agreements and disagreements."""
    from falter.core.plugins import load_plugins
    from falter.generation.english import default_grammar
    from falter.generation.inspection.audit import audit as audit_probes

    grammar = default_grammar(*load_plugins([Path(folder) for folder in plugins]))
    with ExitStack() as stack:
        done = _progress(progress, stack)
        return audit_probes(_each(as_suite(suite), done), as_source(scenes), grammar)


def _each(suite: Suite, done: Callable[[], None]) -> Iterator[Probe]:
    for probe in suite.probes():
        yield probe
        done()


def _progress(given: Progress, stack: ExitStack) -> Callable[[], None]:
    """What is called after each probe: nothing, a bar, or the caller's own function."""
    if given is None or given is False:
        return lambda: None
    if given is True:
        from falter.core.progress import show_progress

        advance = stack.enter_context(show_progress()).start_stage("probes")
        return lambda: advance(1)
    return given
