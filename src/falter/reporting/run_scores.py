"""The scores of one run in a report: all measures over whole tests, the headline ones by facet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from falter.measures import Score, ScoringSettings, measures_for, score_outcomes, summaries_for
from falter.measures.outcomes import FACET, Outcomes, choose_subset, subset_signature
from falter.measures.outcomes.coding import NONE, Bools, Codes, Integers
from falter.measures.scoring import facets_used
from falter.reporting.published import Published
from falter.runs import Run
from falter.runs.scoring import signature_parts

__all__ = ["FacetScores", "score_facets"]

_FACET_VALUES = range(2, 401)
"""A facet with one value says nothing; one with more than this is a name, not a facet."""

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
    found: Outcomes,
    *,
    published: Mapping[str, Published],
    most: int,
    seed: int = 0,
    n_resamples: int = 1000,
    subset: str | None = None,
) -> FacetScores:
    """What breakdowns show: the headline measures by facet, of the ``most`` commonest values of each test.

    Values and measures that a paper published stay, however rare.
    """
    suites = _occurring(found, "suite")
    papers = [published[name] for name in suites if name in published]
    printed = {measure for paper in papers for table in paper.breakdowns for measure in table.measures}
    measures = [one for one in measures_for(suites) if one.headline or one.name in printed]
    counts = _count_values(found)
    kept = {facet: _commonest(by_test, most) for facet, by_test in counts.items()}
    for table in (table for paper in papers for table in paper.breakdowns if table.facet in kept):
        kept[table.facet] |= np.isin(found.facet_values(table.facet), list(table.values))
    if not kept or not measures:
        return FacetScores([], {})
    summaries = [one for one in summaries_for(suites) if one.how == "pooled"]
    # A measure that reads a facet needs all its values.
    own = facets_used(measures, summaries)
    reduced = _merge_rare(found, {facet: keep for facet, keep in kept.items() if facet not in own})
    chosen = choose_subset(run.suite().items_path, subset)
    parts = (*signature_parts(run.manifest, _occurring(found, "task")), *subset_signature(chosen))
    scores = []
    few = [facet for facet in kept if np.count_nonzero(kept[facet]) <= _MOST_WITH_INTERVALS]
    for facets, resamples in ((few, n_resamples), ([facet for facet in kept if facet not in few], 0)):
        if facets:
            settings = ScoringSettings(seed, resamples, signature_parts=parts)
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
    """The values that are among the commonest of a test."""
    kept = np.zeros(counts.shape[1], dtype=bool)
    for row in counts:
        order = np.argsort(-row, kind="stable")[:most]
        kept[order[row[order] > 0]] = True
    return kept


def _merge_rare(found: Outcomes, kept: Mapping[str, Bools]) -> Outcomes:
    """The same outcomes, with one value for all those that are not kept."""
    columns = []
    for facet, keep in kept.items():
        if not keep.all():
            values = found.facet_values(facet)
            names = [*(value for value, stays in zip(values, keep, strict=True) if stays), _RARE]
            number = np.where(keep, np.cumsum(keep) - 1, len(names) - 1).astype(np.uint32)
            codes = found.facet_codes(facet)
            merged = pl.Series(names, dtype=pl.Enum(names)).gather(pl.Series(number[np.where(codes == NONE, 0, codes)]))
            present = pl.Series(codes != NONE)
            columns.append(pl.select(pl.when(present).then(merged)).to_series().alias(FACET + facet))
    return replace(found, frame=found.frame.with_columns(columns)) if columns else found
