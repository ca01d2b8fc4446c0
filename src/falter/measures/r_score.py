"""R_score: how little accuracy falls under noise, from 1 (within the tolerance) to 0 (at the limit or beyond)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from falter.errors import UsageError
from falter.measures.cells import Cells, Floats, SetCells
from falter.measures.measure import ANSWERS, Ratio, Tally, Unit

__all__ = ["ACC_DI", "LIMIT", "R_SCORE", "TOLERANCE", "VQA_ACCURACY_ORIGINAL", "VQA_ACCURACY_PERTURBED", "r_score"]

TOLERANCE = 0.05
LIMIT = 20.0
"""The paper's t and m, in percent points."""

SAME = frozenset({"same"})


def r_score(acc_di: npt.ArrayLike, t: npt.ArrayLike = TOLERANCE, m: npt.ArrayLike = LIMIT) -> Floats:
    """The robustness score of a difference between two accuracies, all in percent points.

    1 up to the tolerance ``t``, 0 from the limit ``m`` on, and between them (sqrt(m) - sqrt(acc_di)) /
    (sqrt(m) - sqrt(t)): steep at first, flatter later. (Huang et al., 2022, equations 7 to 9.)

    >>> r_score([0, 6.59, 20]).round(2).tolist()
    [1.0, 0.45, 0.0]
    """
    difference, low, high = (np.asarray(value, dtype=np.float64) for value in (acc_di, t, m))
    if not (np.all(low >= 0) and np.all(low < high) and np.all(high <= 100)):
        raise UsageError("R_score needs 0 <= t < m <= 100, in percent points")
    score = (np.sqrt(high) - np.sqrt(np.abs(difference))) / (np.sqrt(high) - np.sqrt(low))
    return np.asarray(np.clip(score, 0.0, 1.0), dtype=np.float64)


def _asked(cells: Cells) -> Floats:
    return (cells.kept & cells.original.asked_people & cells.variant.asked_people).astype(np.float64)


VQA_ACCURACY_ORIGINAL = Ratio(
    name="vqa_accuracy_original",
    title="VQA orig.",
    meaning="The mean VQA accuracy over the original of every pair, where several people answered.",
    part=lambda cells: _asked(cells) * cells.original.credit,
    whole=_asked,
    expects=SAME,
    always=False,
)

VQA_ACCURACY_PERTURBED = Ratio(
    name="vqa_accuracy_perturbed",
    title="VQA pert.",
    meaning="The mean VQA accuracy over the variant of every pair, where several people answered.",
    part=lambda cells: _asked(cells) * cells.variant.credit,
    whole=_asked,
    expects=SAME,
    always=False,
)


@dataclass(frozen=True, kw_only=True)
class AccuracyDifference:
    """A measure that follows from the mean VQA accuracies of originals and variants."""

    name: str
    title: str
    meaning: str
    of: Callable[[Floats], Floats]
    marks: tuple[str, ...] = ()
    """What its signatures say besides."""
    tasks: frozenset[str] = ANSWERS
    expects: frozenset[str] = SAME
    unit: Unit = "pair"

    def tally(self, cells: Cells | SetCells) -> Tally | None:
        assert isinstance(cells, Cells)
        asked = _asked(cells)
        if not asked.any():
            return None
        adds = np.stack([asked * cells.original.credit, asked * cells.variant.credit, asked], axis=1)
        return Tally(adds, self._value, lambda sums: np.asarray(sums[..., 2]))

    def _value(self, sums: Floats) -> Floats:
        number = sums[..., 2]
        lost = np.abs(sums[..., 0] - sums[..., 1])
        mean = np.divide(lost, number, out=np.full(np.shape(number), np.nan), where=number > 0)
        return self.of(mean)


ACC_DI = AccuracyDifference(
    name="acc_di",
    title="Acc_di",
    meaning="How far apart the mean VQA accuracies of originals and variants are, whichever is higher.",
    of=np.asarray,
)

R_SCORE = AccuracyDifference(
    name="r_score",
    title="R_score",
    meaning=(
        "Robustness: 100 where the accuracies of originals and variants lie within 0.05 percent points of each other, "
        "0 where they lie 20 or more apart, falling with the square root between. The paper takes the first partition "
        "alone: break the scores down by partition, or see falter robustness."
    ),
    of=lambda share: r_score(100 * share),
    marks=(f"t:{TOLERANCE:g}", f"m:{LIMIT:g}"),
)
