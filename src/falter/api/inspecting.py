"""What a suite holds and what is wrong with it: contents, blind checks, a second opinion, an audit of its labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from falter.api.paths import PathOrStr, SourceLike, SuiteLike, as_source, as_suite, warn_of_copies
from falter.core.errors import UsageError
from falter.core.progress import StepProgress, open_steps
from falter.core.tables import PIPE_WIDTH, Block, Column, Grid, format_count, print_blocks, wrap_lines

if TYPE_CHECKING:
    from falter.data.blind_checks import BlindCheck
    from falter.data.items import Probe
    from falter.data.suite import Suite
    from falter.generation.inspection.audit import Audit
    from falter.generation.inspection.contents import ContentsTable, Inspection
    from falter.generation.inspection.second_opinion import SecondOpinion


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
    progress: StepProgress = None,
) -> Audit:
    """Derive every label of a suite again, from its text and the scene; count agreements and disagreements."""
    from falter.core.plugins import load_plugins
    from falter.generation.english import default_grammar
    from falter.generation.inspection.audit import audit as audit_probes

    grammar = default_grammar(*load_plugins([Path(folder) for folder in plugins]))
    with ExitStack() as stack:
        done = open_steps(progress, stack)
        return audit_probes(_each(as_suite(suite), done), as_source(scenes), grammar)


def _each(suite: Suite, done: Callable[[], None]) -> Iterator[Probe]:
    for probe in suite.probes():
        yield probe
        done()


def blind_blocks(checks: Sequence[BlindCheck], unchecked: Mapping[tuple[str, str], int]) -> Iterator[Block]:
    """A table of what text-only baselines reach, and what there is to know about it."""
    if checks:
        yield from _table(checks)
        yield from _gaps([one for one in checks if any(two.mean_gap is not None for two in one.scorers.values())])
        yield from (wrap_lines(one, PIPE_WIDTH) for one in _notes(checks))
    for (test, questions), items in unchecked.items():
        told = f"{test}, {questions}: {items} are too few for a blind check, or have one answer or few images"
        yield wrap_lines(told, PIPE_WIDTH)


def _table(checks: Sequence[BlindCheck]) -> Iterator[Block]:
    from rich.text import Text

    def column(heading: str, cells: Sequence[str]) -> Column:
        return Column(heading, [Text(cell) for cell in cells], right=True)

    yield "\ntext-only baselines: correct answers without the image, in per cent"
    yield Grid(
        [
            Column("test", [Text(one.test) for one in checks]),
            Column("questions", [Text(one.questions) for one in checks]),
        ],
        [
            column("checked", [f"{one.items:,}" for one in checks]),
            column("chance", ["-" if one.chance is None else f"{100 * one.chance:.1f}" for one in checks]),
            column("majority", [f"{100 * one.majority:.1f}" for one in checks]),
            column("n-grams", [_share(one.accuracy, one.low, one.high) for one in checks]),
            column("by", [one.baseline for one in checks]),
            column("common sense", [_format_common_sense(one) for one in checks]),
            column("AUC", [_format_area(one) for one in checks]),
            *(column(name, [_format_scorer(one, name) for one in checks]) for name in _scorer_names(checks)),
        ],
        most=PIPE_WIDTH,
    )


def _gaps(checks: Sequence[BlindCheck]) -> Iterator[Block]:
    """How much more plausible or grammatical captions are than their foils, by scorer."""
    if not checks:
        return
    from rich.text import Text

    names = [name for name in _scorer_names(checks) if any(_has_gap(one, name) for one in checks)]
    yield "\ngap: the score of the caption less that of the foil, mean (and middle half); 0 on a sound test"
    yield Grid(
        [Column("test", [Text(one.test) for one in checks])],
        [Column(name, [Text(_format_gap(one, name)) for one in checks], right=True) for name in names],
        most=PIPE_WIDTH,
    )


def _has_gap(one: BlindCheck, name: str) -> bool:
    return name in one.scorers and one.scorers[name].mean_gap is not None


def _format_gap(one: BlindCheck, name: str) -> str:
    found = one.scorers.get(name)
    if found is None or found.mean_gap is None or found.gap_quartiles is None:
        return "-"
    first, _, last = found.gap_quartiles
    return f"{found.mean_gap:+.3f} ({first:+.3f} to {last:+.3f})"


def _notes(checks: Sequence[BlindCheck]) -> Iterator[str]:
    known = {one.common_sense.knows for one in checks if one.common_sense is not None}
    if "words and scenes" in known:
        yield "common sense: by counts of other images, of the words and of the other objects in the scene graph"
    elif known:
        yield "common sense: by counts of other images, of the words alone (--scenes adds the other objects)"
    for one in checks:
        if one.flagged:
            yield f"{one.test}: {_explain_flag(one)}"
    for one in checks:
        if one.items != one.sampled_from:
            what = "pairs" if one.over_pairs else "questions"
            sample = f"a sample of {one.items:,} of {one.sampled_from:,} {what}, seed {one.seed}"
            yield f"{one.test}, {one.questions}: {sample}"
        if one.common_sense_reason:
            yield f"{one.test}, {one.questions}: no common sense: {one.common_sense_reason}"


def _scorer_names(checks: Sequence[BlindCheck]) -> list[str]:
    return list(dict.fromkeys(name for one in checks for name in one.scorers))


def _format_scorer(one: BlindCheck, name: str) -> str:
    found = one.scorers.get(name)
    return "-" if found is None else _share(found.accuracy, found.low, found.high)


def _explain_flag(one: BlindCheck) -> str:
    told = f"FLAGGED: captions are told from foils by {one.solved_by} in over 60 % of the pairs"
    if one.one_way:
        return f"{told}; their words change one way only, so no subsample can be balanced"
    return f"{told}; falter debias makes a suite without the pairs that give most away"


def _format_common_sense(one: BlindCheck) -> str:
    found = one.common_sense
    return "-" if found is None else _share(found.accuracy, found.low, found.high)


def _format_area(one: BlindCheck) -> str:
    found = one.common_sense
    return "-" if found is None or found.auc is None else f"{found.auc:.2f}"


def _share(value: float, low: float, high: float) -> str:
    return f"{100 * value:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def ask_witnesses(
    suite: Suite, scenes: SourceLike | None, captions: Sequence[PathOrStr], hierarchy: PathOrStr | None, seed: int
) -> SecondOpinion:
    """Compare the labels of a suite with WordNet where it is installed, and with the files that are given."""
    from falter.generation.english import default_grammar
    from falter.generation.inspection.second_opinion import (
        CaptionWitness,
        HierarchyWitness,
        Witness,
        WordNetWitness,
        read_hierarchy,
        second_opinion,
    )
    from falter.generation.nlp import load_wordnet
    from falter.generation.sources import HasCaptions, require_scenes
    from falter.generation.sources.coco import read_captions

    source = as_source(scenes)
    if source is None:
        raise UsageError("a second opinion needs the annotated objects; pass --scenes SOURCE")
    ontology = default_grammar().ontology
    witnesses: list[Witness] = []
    notes = []
    try:
        witnesses.append(WordNetWitness(ontology, load_wordnet()))
    except UsageError as error:
        notes.append(f"not compared with WordNet: {error}")
    if hierarchy is not None:
        witnesses.append(HierarchyWitness(ontology, read_hierarchy(Path(hierarchy))))
    if captions:
        witnesses.append(CaptionWitness(ontology, read_captions(Path(path) for path in captions)))
    elif isinstance(source, HasCaptions):
        said = {image: texts for image in source.image_ids() if (texts := source.captions(image))}
        witnesses.append(CaptionWitness(ontology, said))
    return second_opinion(suite, require_scenes(source), witnesses, seed=seed, notes=notes)


def opinion_blocks(opinion: SecondOpinion) -> Iterator[Block]:
    """The table of rates, and the labels that were contradicted."""
    from rich.text import Text

    def column(title: str, cells: Iterable[str], *, right: bool = True) -> Column:
        return Column(title, [Text(cell) for cell in cells], right=right)

    rates = opinion.rates
    yield ""
    yield Grid(
        [column("second opinion", (one.witness for one in rates), right=False)],
        [
            column("claim", (one.claim for one in rates), right=False),
            column("questions", (f"{one.items:,}" for one in rates)),
            column("contradicted", (f"{one.contradicted:,}" for one in rates)),
            column("rate", (f"{one.rate:.2%}" if one.items else "-" for one in rates)),
            column("95 % interval", (f"{one.low:.2%} to {one.high:.2%}" if one.items else "-" for one in rates)),
        ],
    )
    yield from opinion.notes
    for one in opinion.contradictions:
        yield f"  {one.witness}: image {one.image_id}: {one.text} -> {one.gold}"
