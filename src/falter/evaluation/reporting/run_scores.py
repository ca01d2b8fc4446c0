"""The scores of one run in a report, and what a reader must know of its replies before any figure.

All measures are computed over whole tests, the headline ones by facet; facets are read a part of the file at a time.
The notes say what was not answered, and what is odd about answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from falter.core.files import open_parquet
from falter.core.tables import format_count
from falter.data.items import TOTALS
from falter.data.suite import ITEM_SCHEMA, Suite
from falter.evaluation.measures import (
    AnsweredPairs,
    Score,
    ScoringSettings,
    Summary,
    measures_for,
    score_outcomes,
    summaries_for,
)
from falter.evaluation.measures.counts import answer_notes
from falter.evaluation.measures.outcomes import FACET, Outcomes, choose_subset, subset_signature
from falter.evaluation.measures.outcomes.coding import NONE, Bools, Codes, Integers, code_rows
from falter.evaluation.measures.outcomes.reading import read_facets
from falter.evaluation.measures.scoring import facets_used
from falter.evaluation.reporting.published import Published
from falter.evaluation.reporting.report_data import ModelInfo
from falter.evaluation.runs import Run
from falter.evaluation.runs.scoring import outcomes_of_run, signature_parts
from falter.evaluation.score_options import PLAIN, ScoreOptions

MOST_VALUES = 400
"""A facet with more values than this is a name, not a facet."""

_ROWS_AT_ONCE = 65_536


class _FacetColumn:
    """The values of one facet, numbered in the order met."""

    def __init__(self, rows: int) -> None:
        self.codes: Codes = np.full(rows, NONE, dtype=np.int32)
        self.values: dict[str, int] = {}

    def add(self, start: int, codes: Codes, words: list[str]) -> None:
        table = np.full(len(words) + 1, NONE, dtype=np.int32)
        for code in np.unique(codes[codes != NONE]).tolist():
            table[code] = self.values.setdefault(words[code], len(self.values))
        self.codes[start : start + len(codes)] = table[codes]

    def series(self, name: str) -> pl.Series:
        """An enumeration of the values that occur, sorted."""
        names = sorted(self.values)
        place = np.array([*(names.index(value) for value in self.values), 0], dtype=np.uint32)
        column = pl.Series(names, dtype=pl.Enum(names)).gather(pl.Series(place[self.codes]))
        present = pl.Series(self.codes != NONE)
        return pl.select(pl.when(present).then(column)).to_series().alias(FACET + name)


def add_facets(found: Outcomes, suite: Suite, keep: Collection[str] = ()) -> Outcomes | None:
    """The outcomes with a column for every facet that has few values, or that ``keep`` names.

    None where the outcomes are not of all items in the order of the file.
    """
    file = open_parquet(suite.items_path, ITEM_SCHEMA)
    if found.ids is None or file.num_rows != len(found):
        return None
    columns: dict[str, _FacetColumn] = {}
    dropped: set[str] = set()
    start = 0
    for batch in file.iter_batches(["item_id", "facets"], batch_size=_ROWS_AT_ONCE):
        ids = pl.Series(pl.from_arrow(batch["item_id"])).cast(pl.String)
        if not ids.equals(found.ids["item_id"][start : start + len(ids)]):
            return None
        for name, facet in read_facets(pa.chunked_array([batch["facets"]])).items():
            if name in dropped:
                continue
            column = columns.setdefault(name, _FacetColumn(len(found)))
            column.add(start, facet.codes, facet.values)
            if len(column.values) > MOST_VALUES and name not in keep:
                dropped.add(name)
                del columns[name]
        start += len(ids)
    names = sorted(columns)
    return replace(found, frame=found.frame.with_columns([columns.pop(name).series(name) for name in names]))


_FACET_VALUES = range(2, MOST_VALUES + 1)
"""A facet with one value says nothing."""

_MOST_WITH_INTERVALS = 120
"""Intervals for hundreds of values would take longer than everything else, and most of them are not shown."""

_RARE = "\0rare"
"""Stands for the values that are not shown; what a suite holds has no such character."""


class FacetScores(NamedTuple):
    """Scores by facet; and by suite, test and facet the number of values, rare ones included."""

    scores: list[Score]
    values: dict[tuple[str, str, str], int]


def score_facets(
    run: Run,
    plain: Outcomes,
    *,
    published: Mapping[str, Published],
    most: int,
    options: ScoreOptions = PLAIN,
) -> FacetScores:
    """What breakdowns show: the headline measures by facet, of the ``most`` commonest values of each test.

    ``plain`` are the outcomes of the run without facets. Values and measures that a paper published stay, however rare.
    """
    suites = _occurring(plain, "suite")
    papers = [published[name] for name in suites if name in published]
    printed = {measure for paper in papers for table in paper.breakdowns for measure in table.measures}
    measures = [one for one in measures_for(suites) if one.headline or one.name in printed]
    # Totals are shown whole, and would triple the groups of every facet.
    summaries = [one for one in summaries_for(suites) if one.how == "pooled" and one.name not in TOTALS]
    # A measure that reads a facet needs all its values.
    own = facets_used(measures, summaries)
    found = add_facets(plain, run.suite(), own) or outcomes_of_run(run, options)
    counts = _count_values(found)
    kept = {facet: _commonest(by_test, most) for facet, by_test in counts.items()}
    for table in (table for paper in papers for table in paper.breakdowns if table.facet in kept):
        kept[table.facet] |= np.isin(found.facet_values(table.facet), list(table.values))
    if _has_summary(found, summaries):
        # Tests taken together need a value in all of them.
        kept = {facet: np.broadcast_to(keep.any(axis=0), keep.shape) for facet, keep in kept.items()}
    if not kept or not measures:
        return FacetScores([], {})
    reduced = _merge_rare(found, {facet: keep for facet, keep in kept.items() if facet not in own})
    chosen = choose_subset(run.suite().items_path, options.subset)
    parts = (*signature_parts(run.manifest, _occurring(found, "task"), run.suite().manifest), *subset_signature(chosen))
    scores = []
    few = [facet for facet in kept if np.count_nonzero(kept[facet].any(axis=0)) <= _MOST_WITH_INTERVALS]
    for facets, resamples in ((few, options.n_resamples), ([facet for facet in kept if facet not in few], 0)):
        if facets:
            settings = ScoringSettings(options.replace(n_resamples=resamples), parts)
            scores += score_outcomes(reduced, by=facets, measures=measures, summaries=summaries, settings=settings)
    values = {
        (*test, facet): int(np.count_nonzero(by_test[number]))
        for facet, by_test in counts.items()
        for number, test in enumerate(found.pairs.tests)
    }
    return FacetScores([one for one in scores if one.group.facet in kept and one.group.value != _RARE], values)


def _occurring(found: Outcomes, column: str) -> list[str]:
    return sorted(found.frame[column].unique().cast(pl.String).to_list())


def _count_values(found: Outcomes) -> dict[str, Integers]:
    """The facets worth a table, each with the number of pairs by test and value."""
    pairs = found.pairs
    if not len(pairs):
        return {}
    test, tests = pairs.test[pairs.cell], len(pairs.tests)
    with_foils = "rank" in found.frame.columns
    found_counts = {}
    for facet in found.facets:
        codes, size = pairs.facet_codes(facet), len(found.facet_values(facet))
        known = codes != NONE
        counts = np.bincount(test[known] * size + codes[known], minlength=tests * size).reshape(tests, size)
        if np.count_nonzero(counts.any(axis=0)) not in _FACET_VALUES:
            continue
        # Where captions are ranked, a facet that is the same throughout every test says nothing new about it.
        if with_foils and not ((counts > 0).sum(axis=1) + _lacks(test, known, tests) > 1).any():
            continue
        found_counts[facet] = counts
    return found_counts


def _lacks(test: Codes, known: Bools, tests: int) -> Bools:
    """By test whether a pair has no value."""
    return np.bincount(test[~known], minlength=tests) > 0


def _commonest(counts: Integers, most: int) -> Bools:
    """By test and value whether it is among the commonest of the test."""
    rank = np.argsort(np.argsort(-counts, axis=1, kind="stable"), axis=1, kind="stable")
    return (rank < most) & (counts > 0)


def _has_summary(found: Outcomes, summaries: Sequence[Summary]) -> bool:
    """Whether tests are taken together, so that there are scores over several of them."""
    known = [one for one in summaries if set(one.where.meta.root_names()) <= set(found.pairs.cells.columns)]
    return any(found.pairs.cells.select(one.where.any()).item() for one in known)


def _categories(found: Outcomes, column: str) -> list[str]:
    dtype = found.frame.schema[column]
    assert isinstance(dtype, pl.Enum)
    return dtype.categories.to_list()


def _merge_rare(found: Outcomes, kept: Mapping[str, Bools]) -> Outcomes:
    """The same outcomes, with one value for all those of a test that are not kept."""
    codes, occurring = code_rows([found.codes(name) for name in ("suite", "test")])
    suites, tests = (_categories(found, name) for name in ("suite", "test"))
    numbers = [found.pairs.tests.index((suites[suite], tests[test])) for suite, test in occurring.tolist()]
    test_of_item = np.array(numbers, dtype=np.int64)[codes]
    columns = []
    for facet, keep in kept.items():
        if keep.all():
            continue
        anywhere: Bools = np.asarray(keep.any(axis=0), dtype=bool)
        values = [*(value for value, stays in zip(found.facet_values(facet), anywhere, strict=True) if stays), _RARE]
        number = np.where(keep, np.cumsum(anywhere) - 1, len(values) - 1).astype(np.uint32)
        code = found.facet_codes(facet)
        merged = number[test_of_item, np.where(code == NONE, 0, code)]
        column = pl.Series(values, dtype=pl.Enum(values)).gather(pl.Series(merged))
        columns.append(pl.select(pl.when(pl.Series(code != NONE)).then(column)).to_series().alias(FACET + facet))
    return replace(found, frame=found.frame.with_columns(columns)) if columns else found


_LONGEST_ERROR = 200


def note_lacking(name: str, answered: Iterable[AnsweredPairs]) -> list[str]:
    """One sentence for each suite of a run in which more than 1 % of the pairs of a test have no answer."""
    by_suite: dict[str, list[AnsweredPairs]] = {}
    for one in answered:
        if one.lacks_answers:
            by_suite.setdefault(one.group.suite, []).append(one)
    return [
        f"{name} has no answer to more than 1 % of the pairs of {_format_tests(lacking)} in {suite}. These pairs are "
        f"in no score: {'; '.join(_format_excluded(one) for one in lacking)}."
        for suite, lacking in by_suite.items()
    ]


def note_answers(name: str, suite: str, found: Outcomes) -> list[str]:
    """What is odd about the answers of a run, in a sentence; nothing where nothing is."""
    notes = answer_notes(found)
    return [f"{name} on {suite}: {'; '.join(notes)}."] if notes else []


def _format_tests(lacking: Sequence[AnsweredPairs]) -> str:
    return "one test" if len(lacking) == 1 else f"{len(lacking)} tests"


def _format_excluded(one: AnsweredPairs) -> str:
    counts = {"failed": one.failed, "missing": one.missing, "unsupported": one.unsupported}
    why = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number)
    return f"{one.group.test} {one.excluded:,} of {one.pairs:,} ({why})"


def note_silent(info: ModelInfo, run: Run) -> str:
    """What became of a run in which no pair was answered, with the commonest error."""
    counts = (
        ", ".join(f"{number:,} {status}" for status, number in run.manifest.counts.items() if number)
        or "no reply at all"
    )
    note = f"{info.name} on {run.manifest.suite.name}: {counts}, of {format_count(run.manifest.asked, 'items')} asked."
    errors = run.replies()["error"].drop_nulls().value_counts(sort=True)
    if len(errors):
        error = " ".join(str(errors["error"][0]).split())
        shown = error if len(error) <= _LONGEST_ERROR else f"{error[:_LONGEST_ERROR]}…"
        note += f" The commonest error: {shown}"
    return note
