"""Response bias: how often a model says yes, names the first choice, or answers off the list."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from falter.measures.measure import Measure
from falter.measures.outcomes.expressions import (
    ANSWERS,
    PAIRED,
    Side,
    asks_yes_no,
    is_,
    judged,
    on_both_sides,
    parsed,
    says_no,
    says_yes,
)

__all__ = ["FIRST_CHOICE_RATE", "NO_RATE", "OFF_LIST_RATE", "OTHER_RATE", "YES_RATE"]


_QUESTIONS = ANSWERS | ((pl.col("task") == "match") & ~PAIRED)
"""Questions to answer, and texts to match one by one."""


def _rate(
    name: str, title: str, description: str, of: Callable[[Side], pl.Expr], part: Callable[[Side], pl.Expr]
) -> Measure:
    """The share of replies with something, over the questions of both sides that are of some sort."""
    sums = {"part": on_both_sides(lambda side: of(side) & part(side)), "n": on_both_sides(of)}
    return Measure(name=name, title=title, description=description, grain="pair", where=_QUESTIONS, sums=sums)


def _is_yes_no(side: Side) -> pl.Expr:
    return asks_yes_no(side) & judged(side)


def _has_choices(side: Side) -> pl.Expr:
    return side("choices") > 0


def _has_other_choices(side: Side) -> pl.Expr:
    return _has_choices(side) & ~side("yes_no")


YES_RATE = _rate(
    "yes_rate",
    "yes rate",
    "The share of replies to yes/no questions that say yes, whatever is correct; unparsed replies say neither.",
    _is_yes_no,
    says_yes,
)

NO_RATE = _rate(
    "no_rate",
    "no rate",
    "The share of replies to yes/no questions that say no, whatever is correct.",
    _is_yes_no,
    says_no,
)

OTHER_RATE = _rate(
    "other_rate",
    "neither yes nor no",
    "The share of replies to yes/no questions that are clear answers, but neither yes nor no. Yes, no, neither and "
    "unparsed add up to all replies.",
    _is_yes_no,
    lambda side: parsed(side) & ~says_yes(side) & ~says_no(side),
)

FIRST_CHOICE_RATE = _rate(
    "first_choice_rate",
    "first choice rate",
    "The share of replies to questions with choices other than yes and no that name the first of them.",
    _has_other_choices,
    lambda side: side("first"),
)

OFF_LIST_RATE = _rate(
    "off_list_rate",
    "off-list rate",
    "The share of replies to questions with choices that are clear answers, but none of the choices.",
    _has_choices,
    lambda side: is_(side, "off_list"),
)
