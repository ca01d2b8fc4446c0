"""The measures of the suite: Acc_di, R_score, and Kendall's tau of the loss over partitions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from falter.core.errors import UsageError
from falter.evaluation.measures.measure import Measure, Sums
from falter.evaluation.measures.outcomes.coding import Floats
from falter.evaluation.measures.outcomes.expressions import PAIRED, expects, o, v

TOLERANCE = 0.05
LIMIT = 20.0
"""The paper's t and m, in percent points."""


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


def kendall_tau(values: Floats) -> Floats:
    """Tau-b of values against their places along the last axis: 1 if each is above the one before, -1 if below.

    NaN where there are fewer than two values or all are equal.

    >>> kendall_tau(np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]])).round(3).tolist()
    [1.0, 0.667]
    """
    size = values.shape[-1]
    first, second = np.triu_indices(size, k=1)
    steps = np.sign(values[..., second] - values[..., first])
    pairs = float(len(first))
    untied = np.abs(steps).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = steps.sum(axis=-1) / np.sqrt(pairs * untied)
    return np.where(untied > 0, tau, np.nan)


_NOISE = (pl.col("task") == "answer") & expects("same") & PAIRED
_ASKED = (o("has_human_answers") & v("has_human_answers")).cast(pl.Float64)


def _difference(sums: Sums) -> Floats:
    lost = np.abs(sums["original"] - sums["variant"])
    n = sums["n"]
    return np.asarray(np.divide(lost, n, out=np.full(np.shape(n), np.nan), where=n > 0))


_SUMS = {"original": _ASKED * o("credit"), "variant": _ASKED * v("credit"), "n": _ASKED}

_PARTITION = pl.col("facet:partition")

ACC_DI = Measure(
    name="acc_di",
    title="Acc_di",
    description=(
        "How far apart the mean VQA accuracies of originals and variants are, whichever is higher. Where variants are "
        "partitions, over the first alone, as R_score; falter basic-questions robustness has the others."
    ),
    grain="pair",
    where=_NOISE & (_PARTITION.is_null() | (_PARTITION == "1")),
    sums=_SUMS,
    finalize=_difference,
    scale="difference",
    higher_is_better=False,
    shown="when it counts",
    signature_parts=("partition:1-or-none",),
)

R_SCORE = Measure(
    name="r_score",
    title="R_score",
    description=(
        "Robustness: 100 where the accuracies of originals and variants are within 0.05 percentage points of each "
        "other, 0 where they are 20 or more apart, falling with the square root between. As in the paper, over the "
        "first partition alone; falter basic-questions robustness has the others."
    ),
    grain="pair",
    where=_NOISE & (_PARTITION == "1"),
    sums=_SUMS,
    finalize=lambda sums: r_score(100 * _difference(sums)),
    higher_is_better=True,
    shown="when it counts",
    signature_parts=(f"t:{TOLERANCE:g}", f"m:{LIMIT:g}", "partition:1"),
)

MEASURES = (ACC_DI, R_SCORE)
