"""The counts that stand beside the measures: how many pairs there are, and what became of those that are no answers."""

from __future__ import annotations

import polars as pl

from falter.measures.measure import Measure
from falter.measures.outcomes import Outcome
from falter.measures.outcomes.expressions import EVERYTHING, FOILS, INCLUDED, ONE, PAIRED, is_, o, v

__all__ = ["FAILED", "MISSING", "PAIRS", "TIES", "TRUNCATED", "UNPARSED", "UNSUPPORTED"]


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


PAIRS = _count("pairs", "All pairs of the test, excluded ones included.", PAIRED)

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
