"""The scores of one run in a report: all measures over whole tests, the headline ones by facet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from falter.measures import Score, ScoringSettings, Summary, VqaRule, measures_for, score_outcomes, summaries_for
from falter.measures.counting import TOTALS
from falter.measures.outcomes import FACET, Outcomes, choose_subset, subset_signature
from falter.measures.outcomes.coding import NONE, Bools, Codes, Integers, code_rows
from falter.measures.scoring import facets_used
from falter.reporting.facet_columns import MOST_VALUES, add_facets
from falter.reporting.published import Published
from falter.runs import Run
from falter.runs.scoring import outcomes_of_run, signature_parts

__all__ = ["FacetScores", "score_facets"]

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
    seed: int = 0,
    n_resamples: int = 1000,
    subset: str | None = None,
    vqa_rule: VqaRule = "vqa-v2",
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
    found = add_facets(plain, run.suite(), own) or outcomes_of_run(run, vqa_rule=vqa_rule, subset=subset)
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
    chosen = choose_subset(run.suite().items_path, subset)
    parts = (*signature_parts(run.manifest, _occurring(found, "task"), run.suite().manifest), *subset_signature(chosen))
    scores = []
    few = [facet for facet in kept if np.count_nonzero(kept[facet].any(axis=0)) <= _MOST_WITH_INTERVALS]
    for facets, resamples in ((few, n_resamples), ([facet for facet in kept if facet not in few], 0)):
        if facets:
            settings = ScoringSettings(seed, resamples, vqa_rule, parts)
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
