"""The counts that stand beside the measures: how many pairs there are, and what became of those that are no answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import polars as pl

from falter.measures.catalogue import summaries_for
from falter.measures.measure import Measure
from falter.measures.outcomes import Outcome, OutcomeRows
from falter.measures.outcomes.expressions import CROSSED, EVERYTHING, FOILS, INCLUDED, ONE, PAIRED, is_, o, v
from falter.measures.results import AnsweredPairs, Group, Score

__all__ = [
    "FAILED",
    "MISSING",
    "PAIRS",
    "QUESTIONS",
    "TIES",
    "TRUNCATED",
    "UNPARSED",
    "UNSUPPORTED",
    "count_answered",
    "count_by_test",
]


def _holds(outcome: Outcome) -> pl.Expr:
    return is_(o, outcome) | is_(v, outcome)


def _count(
    name: str, description: str, counted: pl.Expr, *, shown: pl.Expr | None = None, better: bool | None = None
) -> Measure:
    return Measure(
        name=name,
        title=name,
        description=description,
        grain="pair",
        where=EVERYTHING,
        sums={"part": counted, "n": ONE},
        scale="count",
        shown="always" if shown is None else shown,
        higher_is_better=better,
    )


PAIRS = _count("pairs", "All pairs of the test, excluded ones included.", PAIRED & ~CROSSED)

QUESTIONS = _count(
    "questions",
    "All single questions of the test, those without variants; excluded ones included.",
    ~PAIRED,
    shown=~PAIRED,
)

TIES = _count(
    "ties",
    "Included pairs whose caption and foil score the same; acc_r does not count them.",
    FOILS & INCLUDED & (pl.col("preference") == "tied"),
    shown=FOILS,
)

UNPARSED = _count(
    "unparsed",
    "Included pairs in which a reply could not be read as an answer; it counts as incorrect.",
    INCLUDED & _holds("unparsed"),
    better=False,
)

TRUNCATED = _count(
    "truncated",
    "Included pairs in which a reply was cut off before it held an answer; it counts as incorrect.",
    INCLUDED & _holds("truncated"),
    shown=_holds("truncated"),
    better=False,
)

UNSUPPORTED = _count(
    "unsupported",
    "Pairs excluded because the model cannot be asked one of the questions.",
    _holds("unsupported"),
    better=False,
)

FAILED = _count(
    "failed",
    "Pairs excluded because one of the questions got no reply.",
    _holds("failed") & ~_holds("unsupported"),
    better=False,
)

MISSING = _count(
    "missing",
    "Pairs excluded because one of the questions has not been asked.",
    _holds("missing") & ~_holds("unsupported") & ~_holds("failed"),
    better=False,
)


def count_by_test(pairs: OutcomeRows) -> list[AnsweredPairs]:
    """How many pairs of each test were answered, from outcomes."""
    excluded = [(one.name, one.sums["part"] * pl.col("number")) for one in (FAILED, MISSING, UNSUPPORTED)]
    table = pairs.cells.with_columns(test_number=pl.Series(pairs.test), number=pl.Series(pairs.number))
    found = (
        table.group_by("test_number")
        .agg(pairs=pl.col("number").sum(), **{name: number.sum() for name, number in excluded})
        .sort("test_number")
    )
    return [
        AnsweredPairs(group=Group(*pairs.tests[row.pop("test_number")]), **row) for row in found.iter_rows(named=True)
    ]


def count_answered(scores: Iterable[Score]) -> list[AnsweredPairs]:
    """How many pairs of each test were answered, from the counts among the scores of a run; by facet where they are.

    A mean over tests has no counts of its own: it has those of the tests it is over.
    """
    scores = list(scores)
    names = {one.name for one in (PAIRS, FAILED, MISSING, UNSUPPORTED)}
    counts: dict[Group, dict[str, Score]] = {}
    for score in scores:
        of_group = counts.setdefault(score.group, {})
        if score.measure in names:
            of_group[score.measure] = score
    found = {group: _answered(group, [own]) for group, own in counts.items() if own}
    for group in counts.keys() - found.keys():
        own = [counts[test] for test in _tests_of(group, list(found))]
        if own:
            found[group] = _answered(group, own)
    return [found[group] for group in counts if group in found]


def _answered(group: Group, counts: Iterable[dict[str, Score]]) -> AnsweredPairs:
    total: Counter[str] = Counter()
    for own in counts:
        total["rows"] += max(one.n for one in own.values())
        total.update({name: int(one.value or 0) for name, one in own.items()})
    return AnsweredPairs(
        group=group,
        pairs=total["rows"],
        failed=total[FAILED.name],
        missing=total[MISSING.name],
        unsupported=total[UNSUPPORTED.name],
    )


def _tests_of(mean: Group, groups: Iterable[Group]) -> list[Group]:
    """The tests that a mean is over: with its facet's value where they are broken down by it, else whole."""
    summaries = {one.name: one for one in summaries_for([mean.suite])}
    named = summaries[mean.test].tests if mean.test in summaries else ()
    tests = [
        group
        for group in groups
        if group.suite == mean.suite and (group.test in named if named else group.test not in summaries)
    ]
    same = [group for group in tests if (group.facet, group.value) == (mean.facet, mean.value)]
    return same or [group for group in tests if group.facet is None]
