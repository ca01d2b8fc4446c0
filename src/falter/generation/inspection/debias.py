"""Excludes pairs that text alone gives away, and writes the rest as a suite."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from falter.core.errors import InputError, UsageError
from falter.core.files import refuse_full_folder
from falter.core.optional_packages import one_thread
from falter.data.blind_checks import BlindCheck, is_pair
from falter.data.items import Probe
from falter.data.suite import Suite, SuiteManifest
from falter.data.suite_writing import SUITE_FOLDER, SuiteWriter, create_suite
from falter.data.votes import Vote, read_votes, write_votes
from falter.generation.inspection.adversarial_filter import FilteredPairs, filter_pairs
from falter.generation.inspection.blind import FEWEST_PAIRS, check_pairs, has_enough
from falter.generation.inspection.common_sense import CommonSenseBaseline
from falter.generation.inspection.foil_pairs import FoilPair, differ_one_way, divergence_of_words
from falter.generation.inspection.ngram_baselines import Floats
from falter.generation.inspection.text_scorers import COMMON_SENSE, PairScorer


class SubsampleRecord(NamedTuple):
    """What the manifest says of how probes were chosen."""

    made_by: str
    parameters: Mapping[str, Any]
    counts: Mapping[str, Any]


def write_subsample(
    suite: Suite,
    out: Path,
    keep: Callable[[Probe], bool],
    record: SubsampleRecord,
    *,
    overwrite: bool = False,
    change: Callable[[Probe], Probe] = lambda probe: probe,
    votes: Sequence[Vote] | None = None,
    inputs: Sequence[Path] = (),
) -> SuiteManifest:
    """Write the probes that are kept; texts and ids stay the same, and facets unless ``change`` sets them.

    ``votes`` take the place of the suite's own; ``inputs`` are files that were read besides the suite.

    The manifest says what the suite was made from and how, and holds the former parameters and counts under ``suite``.
    """
    inputs = check_target(suite, out, overwrite=overwrite, inputs=inputs)
    former = suite.manifest
    manifest = SuiteManifest(
        name=former.name,
        title=former.title,
        made_by=record.made_by,
        parameters={**record.parameters, "suite": {"made_by": former.made_by, "parameters": former.parameters}},
        seed=former.seed,
        sources=[*former.sources, {"suite": former.name, "items_sha256": former.items_sha256}],
        licence=former.licence,
        citation=former.citation,
        counts={"suite": former.counts, **record.counts},
        notes=list(former.notes),
    )
    ids: set[str] = set()
    probe_ids: set[str] = set()
    with create_suite(out, manifest, overwrite=overwrite, inputs=inputs) as writer:
        for probe in suite.probes():
            if keep(probe):
                writer.add(change(probe))
                probe_ids.add(probe.probe_id)
                for item in probe.items:
                    ids.add(item.item_id)
                    if item.image is not None:
                        _carry(suite, item.image, writer)
        if not probe_ids:
            raise InputError(suite.folder, "nothing of it would be left", hint="take more of its pairs")
        judged = read_votes(suite.folder) if votes is None else votes
        left = [vote for vote in judged if vote.probe_id in probe_ids or vote.item_id in ids]
        if left:
            write_votes(writer.folder, left)
    return manifest


def check_target(suite: Suite, out: Path, *, overwrite: bool, inputs: Sequence[Path] = ()) -> list[Path]:
    """Refuse a folder that holds what it must not, and that of the suite itself in any case; gives what is read."""
    if out.resolve() == suite.folder.resolve():
        raise UsageError(f"{out} is the suite itself; choose another --out")
    inputs = [suite.folder, *inputs]
    refuse_full_folder(out, overwrite=overwrite, kind=SUITE_FOLDER, inputs=inputs)
    return inputs


def _carry(suite: Suite, image: str, writer: SuiteWriter) -> None:
    """Copy an image of the suite's own folder; one that is linked stays where it is, one that is absent stays so."""
    name = Path(image)
    if name.is_absolute():
        writer.refuse_replaced(name)
    if name.is_absolute() or ".." in name.parts or (writer.folder / name).exists():
        return
    found = suite.image_folders.find(image)
    if found is None or not found.is_file():
        return
    target = writer.folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(found, target)


PairSubset = Literal["all", "valid", "unanimous"]
"""Which pairs are taken: all, those that most annotators confirmed, or those that all of them did."""

_FOLDS = 3
NOT_CHOSEN = "another test was to be repaired"
_ONE_WAY = "captions and foils differ in words that never change the other way: nothing can be balanced"
_FEW = f"fewer than {FEWEST_PAIRS} pairs, or too few images"


class DebiasedTest(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one test of captions and foils."""

    test: str
    pairs: int
    kept: int
    not_taken: int = 0
    """Pairs that are not of the subset, such as those that annotators rejected."""
    scorers_before: dict[str, float] = msgspec.field(default_factory=dict)
    """By scorer that pairs were dropped by, the share of captions that it preferred."""
    scorers_after: dict[str, float] = msgspec.field(default_factory=dict)
    before: BlindCheck | None = None
    """What the judges reached, which pairs were not dropped by."""
    after: BlindCheck | None = None
    js_before: float | None = None
    """How far apart the words are that captions and foils have for themselves: Jensen-Shannon, 0 to 1."""
    js_after: float | None = None
    exempt: str = ""
    """Why nothing was dropped, where the test is left as it is."""

    @property
    def share(self) -> float:
        """The share of pairs that stayed."""
        return self.kept / self.pairs if self.pairs else 1.0


class _Row(NamedTuple):
    probe_id: str
    pair: FoilPair


def debias_suite(
    suite: Suite,
    out: Path,
    *,
    scorers: Sequence[PairScorer] = (),
    judges: Sequence[PairScorer] = (),
    min_kept: float = 0.5,
    subset: PairSubset = "valid",
    tests: Sequence[str] = (),
    overwrite: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> list[DebiasedTest]:
    """Write a suite without the pairs that text alone gives away, and give what was dropped and what is left to see.

    Pairs are dropped by the words in which captions and foils differ and by ``scorers``, as long as one of them prefers
    captions and ``min_kept`` of a test's pairs would stay. The outcome is judged by others: a regression over n-grams
    of the whole texts, length, common sense, and ``judges``. Only ``tests`` are changed, or all; a test whose
    captions and foils differ in one direction only is left as it is. Probes of other kinds stay.
    """
    if not 0 < min_kept <= 1:
        raise UsageError(f"the share of pairs to keep is above 0 and at most 1, not {min_kept}")
    shared = {one.name for one in scorers} & {one.name for one in judges}
    if shared:
        raise UsageError(f"{min(shared)} cannot judge what it was used to choose; give another judge")
    check_target(suite, out, overwrite=overwrite)
    rows, not_taken = _gather(suite, subset)
    if not rows:
        raise InputError(suite.folder, "has no captions and foils", hint="give a suite of pairs, such as VALSE's")
    unknown = [test for test in tests if test not in rows]
    if unknown:
        raise UsageError(f"the suite has no pairs of the test {unknown[0]!r}: there are {', '.join(rows)}")
    # What pairs were chosen by does not judge them.
    sense = None if any(one.name == COMMON_SENSE for one in scorers) else CommonSenseBaseline()
    found: list[DebiasedTest] = []
    dropped: set[str] = set()
    for test, some in rows.items():
        chosen = not tests or test in tests
        one, gone = _debias_test(test, some, scorers, judges, sense, min_kept, chosen=chosen)
        found.append(msgspec.structs.replace(one, not_taken=not_taken.get(test, 0)))
        dropped |= gone
        progress(test)
    write_subsample(
        suite,
        out,
        lambda probe: probe.probe_id not in dropped and (not is_pair(probe) or _is_in(probe, subset)),
        SubsampleRecord(
            made_by="falter debias",
            parameters={
                "min_kept": min_kept,
                "subset": subset,
                "tests": list(tests),
                "scorers": ["words", *(one.name for one in scorers)],
                "judges": [
                    *("n-grams", "length"),
                    *([] if sense is None else ["common sense"]),
                    *(one.name for one in judges),
                ],
            },
            counts={"debias": {one.test: msgspec.to_builtins(one) for one in found}},
        ),
        overwrite=overwrite,
    )
    return found


def _debias_test(
    test: str,
    rows: Sequence[_Row],
    scorers: Sequence[PairScorer],
    judges: Sequence[PairScorer],
    sense: CommonSenseBaseline | None,
    min_kept: float,
    *,
    chosen: bool,
) -> tuple[DebiasedTest, set[str]]:
    """What became of a test, and the probes to leave out."""
    pairs = [row.pair for row in rows]
    result = DebiasedTest(test=test, pairs=len(pairs), kept=len(pairs))
    if not has_enough(pairs, _FOLDS):
        return msgspec.structs.replace(result, exempt=_FEW), set()
    judged = {one.name: one.gaps(pairs) for one in judges}
    before = check_pairs(test, pairs, sense, judged, folds=_FOLDS)
    if not chosen or differ_one_way(pairs):
        reason = _ONE_WAY if chosen else NOT_CHOSEN
        return msgspec.structs.replace(result, before=before, after=before, exempt=reason), set()
    filtered = _filter(rows, {one.name: one.gaps(pairs) for one in scorers}, min_kept)
    left = [pairs[number] for number in filtered.kept]
    result = DebiasedTest(
        test=test,
        pairs=len(pairs),
        kept=len(left),
        scorers_before=filtered.before,
        scorers_after=filtered.after,
        js_before=divergence_of_words(pairs),
        js_after=divergence_of_words(left),
        before=before,
        after=check_pairs(test, left, sense, _take(judged, filtered), folds=_FOLDS)
        if has_enough(left, _FOLDS)
        else None,
    )
    kept = {rows[number].probe_id for number in filtered.kept}
    return result, {row.probe_id for row in rows} - kept


def _filter(rows: Sequence[_Row], gaps: Mapping[str, Floats], min_kept: float) -> FilteredPairs:
    with one_thread():
        return filter_pairs(
            [row.pair for row in rows],
            gaps,
            least=ceil(min_kept * len(rows)),
            units=[row.probe_id for row in rows],
        )


def _take(gaps: Mapping[str, Floats], filtered: FilteredPairs) -> dict[str, Floats]:
    return {name: np.asarray(gap)[filtered.kept] for name, gap in gaps.items()}


def _gather(suite: Suite, subset: PairSubset) -> tuple[dict[str, list[_Row]], dict[str, int]]:
    """By test the pairs of the subset, and how many there are besides."""
    rows: dict[str, list[_Row]] = {}
    others: dict[str, int] = {}
    for probe in suite.probes():
        if not is_pair(probe):
            continue
        if _is_in(probe, subset):
            rows.setdefault(probe.original.test, []).extend(_rows(probe))
        else:
            others[probe.original.test] = others.get(probe.original.test, 0) + len(probe.variants)
    return rows, others


def _rows(probe: Probe) -> Iterator[_Row]:
    caption = probe.original
    for foil in probe.variants:
        yield _Row(probe.probe_id, FoilPair(caption.text, foil.text, caption.image_id or caption.item_id))


def _is_in(probe: Probe, subset: PairSubset) -> bool:
    return subset == "all" or probe.original.facets.get(subset, "yes") == "yes"
