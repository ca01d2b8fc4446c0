"""Response bias: how often a model says yes, names the first choice, or answers off the list."""

from __future__ import annotations

import polars as pl

from falter.measures.measure import Measure
from falter.measures.outcomes.expressions import ANSWERS, Side, is_, on_both_sides, parsed

__all__ = ["FIRST_CHOICE_RATE", "NO_RATE", "OFF_LIST_RATE", "OTHER_RATE", "YES_RATE"]


def _is_yes_no(side: Side) -> pl.Expr:
    return side("yes_no")


def _has_choices(side: Side) -> pl.Expr:
    return side("choices") > 0


def _has_other_choices(side: Side) -> pl.Expr:
    return _has_choices(side) & ~side("yes_no")


YES_RATE = Measure(
    name="yes_rate",
    title="yes rate",
    description="The share of replies to yes/no questions that say yes, whatever is correct; unparsed ones say none.",
    grain="pair",
    where=ANSWERS,
    sums={"part": on_both_sides(lambda side: side("yes_no") & side("says_yes")), "n": on_both_sides(_is_yes_no)},
)

NO_RATE = Measure(
    name="no_rate",
    title="no rate",
    description="The share of replies to yes/no questions that say no, whatever is correct.",
    grain="pair",
    where=ANSWERS,
    sums={"part": on_both_sides(lambda side: side("yes_no") & side("says_no")), "n": on_both_sides(_is_yes_no)},
)

OTHER_RATE = Measure(
    name="other_rate",
    title="neither yes nor no",
    description=(
        "The share of replies to yes/no questions that are clear answers, but neither yes nor no. Yes, no, neither and "
        "unparsed add up to all replies."
    ),
    grain="pair",
    where=ANSWERS,
    sums={
        "part": on_both_sides(lambda side: side("yes_no") & parsed(side) & ~side("says_yes") & ~side("says_no")),
        "n": on_both_sides(_is_yes_no),
    },
)

FIRST_CHOICE_RATE = Measure(
    name="first_choice_rate",
    title="first choice rate",
    description="The share of replies to questions with choices other than yes and no that name the first of them.",
    grain="pair",
    where=ANSWERS,
    sums={
        "part": on_both_sides(lambda side: _has_other_choices(side) & side("first")),
        "n": on_both_sides(_has_other_choices),
    },
)

OFF_LIST_RATE = Measure(
    name="off_list_rate",
    title="off-list rate",
    description="The share of replies to questions with choices that are clear answers, but none of the choices.",
    grain="pair",
    where=ANSWERS,
    sums={
        "part": on_both_sides(lambda side: _has_choices(side) & is_(side, "off_list")),
        "n": on_both_sides(_has_choices),
    },
)
