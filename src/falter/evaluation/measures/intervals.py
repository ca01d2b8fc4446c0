"""The interval of a score or a difference: tables, gates, comparisons, reports and plots all have it from here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from falter.evaluation.measures.measure import Measure, Sums, ratio
from falter.evaluation.measures.outcomes.coding import Floats
from falter.evaluation.measures.statistics import Shares, percentile_interval

IntervalKind = Literal["bootstrap", "exact", "anytime", "none"]

_FEWEST_IMAGES = 20
"""Below so many images nothing but a share has an interval."""
_FEWEST_CARRYING = 10
"""Nor has it where fewer images than this make a difference to the value. With this rule the interval misses an AUROC
in 0 to 7 % of the samples of 20 to 200 images, without it in up to 27 % (``benchmarks/intervals.py``)."""
_PARTS = 100
"""Into so many parts images are divided to see how many make a difference. Chosen by hand, not measured."""
_WHOLE = 1e-9


class ScoreInterval(NamedTuple):
    """The ends of a 95 % interval, and how they were found; ``none`` where there are too few images for any."""

    low: float | None = None
    high: float | None = None
    kind: IntervalKind | None = None

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """What a signature says of it; nothing of a bootstrap."""
        return () if self.kind in (None, "bootstrap") else (f"interval:{self.kind}",)


NO_INTERVAL = ScoreInterval()
"""Where none is asked for."""


def choose_interval(images: int, shares: Shares | None, drawn: Floats, without: Callable[[], Floats]) -> ScoreInterval:
    """The interval of a value that so many images carry.

    Shares over few images have the exact one, other shares that of a bootstrap: ``drawn`` are the values of resamples.
    So has what is no share, where enough images make a difference to it: ``without`` gives its values where each part
    of the images is left out in turn.
    """
    if images < 2:
        return ScoreInterval(kind="none")
    if shares is not None and shares.is_few():
        ends = shares.exact()
        return ScoreInterval(float(ends.low), float(ends.high), "exact")
    if shares is None and (images < _FEWEST_IMAGES or _carrying(without()) < _FEWEST_CARRYING):
        return ScoreInterval(kind="none")
    low, high = percentile_interval(drawn)
    return ScoreInterval(low, high, "none" if low is None else "bootstrap")


def _carrying(values: Floats) -> float:
    """How many parts of the images the variance of the value comes from, if they contribute alike."""
    known = values[~np.isnan(values)]
    squares = (known - known.mean()) ** 2 if len(known) else known
    fourth = float((squares**2).sum())
    # Rounding is no variance.
    return float(squares.sum()) ** 2 / fourth if fourth > 1e-40 else 0.0


def leave_out_sums(sums: Floats) -> Floats:
    """The sums over all images but those of each part in turn."""
    part = np.arange(len(sums)) % _PARTS
    parts = np.stack([np.bincount(part, weights=column) for column in sums.T], axis=-1)
    return np.asarray(sums.sum(axis=0) - parts)


def leave_out_weights(clusters: int) -> Floats:
    """The weights of all images, a row for each part that is left out."""
    part = np.arange(clusters) % _PARTS
    return np.asarray(part != np.arange(min(clusters, _PARTS))[:, None], dtype=np.float64)


def shares_of(measure: Measure, sums: Floats) -> Shares | None:
    """A value as shares, from the sums of its images, with columns by test where it is a mean; None if it is none."""
    ratios = _as_share(measure, sums)
    if ratios is None:
        return None
    part, n = ratios[:, 0::2], ratios[:, 1::2]
    if measure.scale == "difference":
        return Shares.from_sums(ratios, signed=True) if (np.abs(part) <= n + _WHOLE).all() else None
    return Shares.from_sums(ratios) if ((part >= -_WHOLE) & (part <= n + _WHOLE)).all() else None


def share_difference(measure: Measure, first: Floats, second: Floats) -> Shares | None:
    """The second value minus the first as shares; None where the two do not count the same cases of every image."""
    one, other = _as_share(measure, first), _as_share(measure, second)
    if one is None or other is None or one.shape != other.shape or not np.array_equal(one[:, 1::2], other[:, 1::2]):
        return None
    counts = one[:, 1::2].any(axis=0)
    n, change = one[:, 1::2][:, counts], (other[:, 0::2] - one[:, 0::2])[:, counts]
    widest = 2.0 if measure.scale == "difference" else 1.0
    return Shares.from_changes(change, n, widest) if (np.abs(change) <= widest * n + _WHOLE).all() else None


def _as_share(measure: Measure, sums: Floats) -> Floats | None:
    if measure.scale not in ("share", "difference") or measure.by:
        return None
    names = tuple(measure.sums)
    if measure.finalize is ratio and names[1:] == ("n",):
        return sums
    if measure.share is None or not callable(measure.share) or sums.shape[1] % len(names):
        return None
    blocks = [Sums(names, sums[:, start : start + len(names)]) for start in range(0, sums.shape[1], len(names))]
    return np.concatenate([np.stack(measure.share(one), axis=-1) for one in blocks], axis=1)
