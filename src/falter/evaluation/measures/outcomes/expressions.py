"""The words that measures are written in: polars expressions over the columns of pairs."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from falter.evaluation.measures.outcomes.grading import EXCLUDED, Outcome

Side = Callable[[str], pl.Expr]
"""``o`` or ``v``: from the name of a column to that of the original or of the variant."""


def o(name: str) -> pl.Expr:
    """A column of the original."""
    return pl.col(f"original_{name}")


def v(name: str) -> pl.Expr:
    """A column of the variant."""
    return pl.col(f"variant_{name}")


def is_(side: Side, *outcomes: Outcome) -> pl.Expr:
    """Whether a side's outcome is one of these; no where there is no variant."""
    return side("outcome").is_in(outcomes).fill_null(False)


def correct(side: Side) -> pl.Expr:
    """The reply is correct."""
    return is_(side, "correct")


def listed(side: Side) -> pl.Expr:
    """A clear answer that is among the choices; to an open question, any clear answer."""
    return is_(side, "correct", "incorrect")


def parsed(side: Side) -> pl.Expr:
    """A clear answer was given."""
    return is_(side, "correct", "incorrect", "off_list")


def judged(side: Side) -> pl.Expr:
    """The reply is correct or incorrect by itself, which a score without a threshold is not."""
    return is_(side, "correct", "incorrect", "off_list", "unparsed", "truncated")


def on_both_sides(of_side: Callable[[Side], pl.Expr]) -> pl.Expr:
    """The sum of an expression over original and variant."""
    one, two = (of_side(side).fill_null(False).cast(pl.Float64) for side in (o, v))
    return one + two


def asks_yes_no(side: Side) -> pl.Expr:
    """Yes and no are the answers: a question with these choices, or a text to match with an image."""
    return side("yes_no") | (pl.col("task") == "match")


def says_yes(side: Side) -> pl.Expr:
    """The answer is yes, or the text is taken for a match."""
    matches = (correct(side) & side("gold_yes")) | (is_(side, "incorrect") & ~side("gold_yes"))
    return pl.when(pl.col("task") == "match").then(matches).otherwise(side("says_yes"))


def says_no(side: Side) -> pl.Expr:
    """The answer is no, or the text is taken for no match."""
    matches = (correct(side) & ~side("gold_yes")) | (is_(side, "incorrect") & side("gold_yes"))
    return pl.when(pl.col("task") == "match").then(matches).otherwise(side("says_no"))


def expects(*expectations: str) -> pl.Expr:
    """Something of these is expected between the answers."""
    return pl.col("expects").is_in(expectations)


ONE = pl.lit(1.0)
EVERYTHING = pl.lit(True)
INCLUDED = ~(is_(o, *EXCLUDED) | is_(v, *EXCLUDED))
"""Both replies were received; the other pairs are excluded and counted."""
PAIRED = v("outcome").is_not_null()
ANSWERS = (pl.col("task") == "answer") & expects("same", "different", "each")
"""Questions to answer."""
FOILS = (pl.col("task") == "match") & expects("prefer") & PAIRED
"""Captions with their foils."""
CROSSED = expects("crossed") & PAIRED
"""Two images by two texts."""
SAME = pl.col("equal") & parsed(o) & parsed(v)
DIFFER = parsed(o) & parsed(v) & ~pl.col("equal")
CONSISTENT = pl.when(expects("same")).then(SAME).otherwise(expects("different") & DIFFER)
"""The two answers relate as expected, correct or not; a pair with a reply that holds no answer is never consistent."""
CONSISTENT_REPLIES = (
    pl.when(expects("same")).then(pl.col("said_equal")).otherwise(expects("different") & ~pl.col("said_equal"))
)
"""The two normalized replies relate as expected, whatever they are."""
