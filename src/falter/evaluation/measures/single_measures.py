"""Measures of single replies: precision, recall and F1 of yes/no questions, open questions, and response bias.

Of yes/no questions without variants, yes is the positive answer. Open questions are judged by two rules: the
benchmark's official one, and one that reads as a careful person would. Response bias is how often a model says yes,
names the first choice, or answers off the list."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from falter.evaluation.answers import CAREFUL_VERSION
from falter.evaluation.measures.caption_measures import REQUIRES_PROBABILITY
from falter.evaluation.measures.measure import Measure, Sums
from falter.evaluation.measures.outcomes.coding import Floats
from falter.evaluation.measures.outcomes.expressions import (
    ANSWERS,
    ONE,
    PAIRED,
    Side,
    asks_yes_no,
    is_,
    judged,
    o,
    on_both_sides,
    parsed,
    says_no,
    says_yes,
)

_YES_NO = asks_yes_no(o) & ~PAIRED
_TRUE_POSITIVE = says_yes(o) & o("gold_yes")
_GOLD_YES = judged(o) & o("gold_yes")

PRECISION = Measure(
    name="precision",
    title="precision",
    description=(
        "Of the single yes/no questions answered with yes, the share whose gold answer is yes. Texts that are matched "
        "one by one count as such questions. There is none where no answer is yes."
    ),
    grain="pair",
    where=_YES_NO,
    sums={"part": _TRUE_POSITIVE, "n": says_yes(o)},
    higher_is_better=True,
    requires=REQUIRES_PROBABILITY,
)

RECALL = Measure(
    name="recall",
    title="recall",
    description=(
        "Of the single yes/no questions whose gold answer is yes, the share answered with yes; an unparsed reply says "
        "neither yes nor no."
    ),
    grain="pair",
    where=_YES_NO,
    sums={"part": _TRUE_POSITIVE, "n": _GOLD_YES},
    higher_is_better=True,
    requires=REQUIRES_PROBABILITY,
)


def _harmonic_mean(sums: Sums) -> Floats:
    """2 P R / (P + R) in this order, so that it is the usual formula's to the last digit; 0 where nothing is found."""
    found, answered, gold = sums["found"], sums["answered_yes"], sums["gold_yes"]
    nothing = np.where(answered + gold > 0, 0.0, np.nan)
    some = found > 0
    precision = np.divide(found, answered, out=np.zeros_like(nothing), where=some)
    recall = np.divide(found, gold, out=np.zeros_like(nothing), where=some)
    return np.asarray(np.divide(2 * precision * recall, precision + recall, out=nothing, where=some))


def _questions(sums: Sums) -> Floats:
    """All questions, as far as there is a yes among answers or golds."""
    return np.asarray(np.where(sums["answered_yes"] + sums["gold_yes"] > 0, sums["questions"], 0.0))


def _twice_found(sums: Sums) -> tuple[Floats, Floats]:
    """F1 as one ratio: the true positives twice, over the yes among answers and the yes among golds."""
    return 2 * sums["found"], sums["answered_yes"] + sums["gold_yes"]


F1 = Measure(
    name="f1",
    title="F1",
    description=(
        "The harmonic mean of precision and recall over single yes/no questions, yes being the positive answer. n is "
        "the number of questions."
    ),
    grain="pair",
    where=_YES_NO,
    sums={
        "found": _TRUE_POSITIVE,
        "answered_yes": says_yes(o),
        "gold_yes": _GOLD_YES,
        "questions": judged(o).cast(pl.Float64),
    },
    finalize=_harmonic_mean,
    share=_twice_found,
    n=_questions,
    higher_is_better=True,
    headline=True,
    requires=REQUIRES_PROBABILITY,
)


_OPEN = o("open").fill_null(False) & ~PAIRED
_COUNTS = judged(o).cast(pl.Float64)

ACC_OFFICIAL = Measure(
    name="acc_official",
    title="official",
    description=(
        "Accuracy over single open questions by the benchmark's official rule: the answer that the reply gives is the "
        "gold answer letter by letter in lower case; where several humans answered, the official VQA accuracy."
    ),
    grain="pair",
    where=_OPEN,
    sums={"part": _COUNTS * o("official"), "n": _COUNTS},
    higher_is_better=True,
    headline=True,
    shown="when it counts",
    signature_parts=("open:official",),
)

ACC_CAREFUL = Measure(
    name="acc_careful",
    title="careful",
    description=(
        "Accuracy over single open questions as a careful person would judge, who reads question, gold answer and "
        "reply: case, articles, number, wrapping, filler words, spelled numbers, British and American spelling, "
        "synonyms and answers that imply yes or no do not matter; a hedge, two answers at once and another thing that "
        "shares a word are incorrect. Where several humans answered, the VQA accuracy over the answers so compared."
    ),
    grain="pair",
    where=_OPEN,
    sums={"part": _COUNTS * o("careful"), "n": _COUNTS},
    higher_is_better=True,
    headline=True,
    shown="when it counts",
    signature_parts=(f"open:{CAREFUL_VERSION}",),
)

RULES_DIFFER = Measure(
    name="rules_differ",
    title="rules differ",
    description=(
        "Replies to single open questions that the official and the careful rule judge differently; falter "
        "open-answers lists them."
    ),
    grain="pair",
    where=_OPEN,
    sums={"part": o("official") != o("careful"), "n": ONE},
    scale="count",
    shown=_OPEN,
)


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
