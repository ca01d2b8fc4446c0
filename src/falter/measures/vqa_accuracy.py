"""VQA accuracy: how many of the people who were asked gave the same answer."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from falter.measures.cells import Cells, Floats
from falter.measures.measure import Ratio

__all__ = ["RULES", "VQA_ACCURACY", "Rule", "credit"]

Rule = Literal["vqa-v2", "min3"]
RULES: tuple[Rule, ...] = ("vqa-v2", "min3")


def credit(matches: npt.ArrayLike, people: npt.ArrayLike, rule: Rule = "vqa-v2") -> Floats:
    """The accuracy of an answer that ``matches`` of ``people`` gave.

    ``vqa-v2`` is the official figure: leave each person out in turn, take min(matches among the others / 3, 1), and
    average. ``min3`` takes min(matches / 3, 1) over all of them at once.

    >>> credit([0, 1, 2, 3, 4], 10).round(2).tolist()
    [0.0, 0.3, 0.6, 0.9, 1.0]
    >>> credit([0, 1, 2, 3, 4], 10, "min3").round(2).tolist()
    [0.0, 0.33, 0.67, 1.0, 1.0]
    """
    k = np.asarray(matches, dtype=np.int64)
    n = np.asarray(people, dtype=np.int64)
    if rule == "min3":
        return np.minimum(k, 3) / 3
    # Thirds are kept as whole numbers, so that one half is exactly one half.
    without_one_who_agrees = k * np.clip(k - 1, 0, 3)
    without_one_who_does_not = (n - k) * np.minimum(k, 3)
    return np.asarray((without_one_who_agrees + without_one_who_does_not) / (3 * np.maximum(n, 1)))


def _credit(cells: Cells) -> Floats:
    return cells.kept * (
        cells.original.credit * cells.original.asked_people + cells.variant.credit * cells.variant.asked_people
    )


def _questions(cells: Cells) -> Floats:
    return 1.0 * cells.kept * (1.0 * cells.original.asked_people + cells.variant.asked_people)


VQA_ACCURACY = Ratio(
    name="vqa_accuracy",
    title="VQA acc",
    meaning=(
        "The mean VQA accuracy over both questions of every pair, where several people answered the question: the "
        "official leave-one-out mean of min(agreeing / 3, 1), or under rule:min3 the plain min(agreeing / 3, 1)."
    ),
    part=_credit,
    whole=_questions,
    always=False,
)
