"""The scores of HallusionBench: accuracy over questions, over figures, and over questions with all their figures."""

from __future__ import annotations

import numpy as np
import polars as pl

from falter.evaluation.measures.counting import MICRO, Summary
from falter.evaluation.measures.measure import Measure, Sums
from falter.evaluation.measures.outcomes.coding import Floats
from falter.evaluation.measures.outcomes.expressions import ONE, PAIRED, correct, is_, o

_WITHOUT_FIGURE = (pl.col("facet:visual") == "none").fill_null(value=False)
_RIGHT = correct(o) | (is_(o, "unparsed", "off_list") & _WITHOUT_FIGURE)
"""An unclear answer counts as right where no figure is shown, and else as wrong."""
_UNCLEAR = (
    "An unclear answer (unparsed, or neither yes nor no) counts as right where the question comes without a figure, "
    "and else as wrong."
)


def _weights(sums: Sums) -> Floats:
    """How often each stratum was drawn: its rows over its size. Every row adds the size, so these are whole numbers."""
    rows = sums["rows"]
    return np.asarray(np.divide(rows * rows, sums["sizes"], out=np.zeros(np.shape(rows)), where=rows > 0))


def _share_complete(sums: Sums) -> Floats:
    """The share of strata in which every answer is right."""
    weights = _weights(sums)
    complete = np.where(sums["right"] == sums["rows"], weights, 0.0).sum(axis=-1)
    total = weights.sum(axis=-1)
    return np.asarray(np.divide(complete, total, out=np.full(np.shape(total), np.nan), where=total > 0))


def _count_strata(sums: Sums) -> Floats:
    return np.asarray(np.rint(_weights(sums).sum(axis=-1)))


def _all_right(name: str, title: str, description: str, by: str, size: str, where: pl.Expr) -> Measure:
    return Measure(
        name=name,
        title=title,
        description=f"{description} {_UNCLEAR}",
        grain="pair",
        where=~PAIRED & where,
        sums={"right": _RIGHT, "rows": ONE, "sizes": pl.col(f"facet:{size}").cast(pl.Float64)},
        # Sets are named so that intervals are resampled by them: neither figures nor pairs are torn apart.
        by=("facet:cluster", f"facet:{by}"),
        finalize=_share_complete,
        n=_count_strata,
        higher_is_better=True,
        headline=True,
    )


A_ACC = Measure(
    name="a_acc",
    title="aAcc",
    description=f"The share of questions that are answered correctly. {_UNCLEAR}",
    grain="pair",
    where=~PAIRED,
    sums={"part": _RIGHT, "n": ONE},
    higher_is_better=True,
    headline=True,
)

F_ACC = _all_right(
    "f_acc",
    "fAcc",
    "The share of figures with all their questions answered correctly.",
    "figure",
    "figure_questions",
    pl.col("facet:figure").is_not_null(),
)

Q_ACC = _all_right(
    "q_acc",
    "qAcc",
    "The share of questions that are answered correctly for all figures of their set.",
    "pair",
    "pair_questions",
    pl.lit(value=True),
)

EASY = _all_right(
    "easy_acc",
    "easy",
    "The share of questions that are answered correctly without a figure and with the original one, as far as they "
    "are asked so.",
    "pair",
    "part_questions",
    pl.col("facet:part") == "easy",
)

HARD = _all_right(
    "hard_acc",
    "hard",
    "The share of questions that are answered correctly for all edited figures of their set.",
    "pair",
    "part_questions",
    pl.col("facet:part") == "hard",
)

MEASURES = (A_ACC, F_ACC, Q_ACC, EASY, HARD)

SUMMARIES = (Summary(name=MICRO, how="pooled", where=~PAIRED),)
"""VD and VS taken together, as on the leaderboard."""
