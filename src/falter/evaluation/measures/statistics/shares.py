"""Exact inference on shares: intervals over few images, McNemar's test on the same cases, and Holm's correction.

A bootstrap over few images is too narrow or a point. Arrays have any leading axes, then one of images and one of
shares, so that a simulation computes thousands at once. ``docs/reference/measures.md`` has the method in words, and
what ``benchmarks/intervals.py`` measured of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_FEW_IMAGES = 200
"""Over so many images at most an interval is exact. The percentile bootstrap holds a share of 0.99 in 2 % of the
samples of 2 images and in 68 % of those of 200, where 95 % are promised (``benchmarks/intervals.py``)."""
_FEW_CARRY = 50
"""So is it where the hits or the misses are in fewer images than this. With 20 to 50 the percentile bootstrap held the
truth in 92 to 95 % of 26,000 simulated samples of 400 and 1,000 images, with 50 and more in 94 to 95 %."""
_IMAGES_ALL_OR_NOTHING = 0.5
"""So many images in which everything is right or nothing are taken for seen. With 0 coverage falls to 87 % in
``benchmarks/intervals.py``, with 0.5 to 94 %; with 1 or 2 intervals are in the mean 5 or 15 % wider."""
_UNEQUAL_POWER = 2
"""By which power of the inequality of images their evidence counts less. Where a tenth of the images have ten times the
questions of the others, coverage is 89 % with 0 and 92 % with 2, for whose sake
intervals over images of 1 to 6 questions are 3 % wider."""
_MOST_EFFECT = 3.0
"""The variance that was measured counts up to so many times that of images in which everything is alike; few large
images can exceed it by chance. Chosen by hand, not measured."""
_NOTHING = 1e-12


class Ends(NamedTuple):
    """Both ends of intervals."""

    low: Floats
    high: Floats


def clustered_error(part: Floats, n: Floats) -> float | None:
    """The standard error of the ratio of two sums, from the sums of each cluster; None with fewer than two clusters.

    The clusters are a sample with replacement, and the ratio is linearized.

    >>> import numpy as np
    >>> round(clustered_error(np.array([1.0, 0.0, 1.0, 0.0]), np.ones(4)), 4)
    0.2887
    """
    clusters, total = len(part), float(n.sum())
    if clusters < 2 or total <= 0:
        return None
    residual = part - part.sum() / total * n
    return float(np.sqrt(clusters / (clusters - 1) * float(residual @ residual)) / total)


def clopper_pearson(share: npt.ArrayLike, size: npt.ArrayLike, level: float = 0.95) -> Ends:
    """The exact interval of a share of so many independent cases, which need not be a whole number.

    >>> low, high = clopper_pearson(1.0, 20)
    >>> round(float(low), 4), float(high)
    (0.8316, 1.0)
    """
    # The same figures as of scipy.stats, without its checks, which take ten times as long.
    from scipy.special import betaincinv

    cases = np.asarray(size, dtype=np.float64)
    hits = np.asarray(share, dtype=np.float64) * cases
    misses, tail = cases - hits, (1 - level) / 2
    low = betaincinv(np.maximum(hits, _NOTHING), misses + 1, tail)
    high = betaincinv(hits + 1, np.maximum(misses, _NOTHING), 1 - tail)
    return Ends(np.where(hits <= _NOTHING, 0.0, low), np.where(misses <= _NOTHING, 1.0, high))


class Shares(NamedTuple):
    """A sum of shares, each with a weight: what its images add to the numerator and to the denominator.

    One share is a plain score, several of equal weight are a mean over tests. A difference is the share by which images
    gain minus the share by which they lose: columns then come in twos, the gain first.
    """

    part: Floats
    n: Floats
    weight: Floats
    in_twos: bool = False

    @classmethod
    def from_sums(cls, sums: Floats, *, signed: bool = False) -> Shares:
        """From columns of numerators and denominators in turn; what has no denominator does not count."""
        part, n = sums[..., 0::2], sums[..., 1::2]
        counts = n.reshape(-1, n.shape[-1]).any(axis=0)
        part, n = part[..., counts], n[..., counts]
        return cls.from_changes(part, n) if signed else cls(part, n, np.full(n.shape[-1], 1 / max(n.shape[-1], 1)))

    @classmethod
    def from_changes(cls, part: Floats, n: Floats, widest: float = 1.0) -> Shares:
        """From what images gain or lose, ``widest`` being the most that a case can change by."""
        number = n.shape[-1]
        both = np.stack([np.maximum(part, 0.0), np.maximum(-part, 0.0)], axis=-1) / widest
        weight = np.tile([1.0, -1.0], number) * widest / max(number, 1)
        return cls(both.reshape(*part.shape[:-1], 2 * number), np.repeat(n, 2, axis=-1), weight, True)

    @property
    def images(self) -> int:
        """How many images there are."""
        return int(self.n.shape[-2])

    def is_few(self) -> Bools:
        """Whether the images, or those that have hits or misses, are too few for a bootstrap."""
        if self.images <= _FEW_IMAGES:
            return np.ones(self.n.shape[:-2], dtype=bool)
        return np.asarray((self._carrying() < _FEW_CARRY).any(axis=-1))

    def value(self) -> Floats:
        """The weighted sum of the shares."""
        return np.asarray((self._share() * self.weight).sum(axis=-1))

    def error(self) -> Floats:
        """The standard error, linearized and clustered by image, as :func:`clustered_error` has it for one share."""
        images = (self.n > 0).any(axis=-1).sum(axis=-1)
        added = (self._residual() / self.n.sum(axis=-2)[..., None, :] * self.weight).sum(axis=-1)
        return np.asarray(np.sqrt(images / np.maximum(images - 1, 1) * (added**2).sum(axis=-1)))

    def exact(self) -> Ends:
        """The interval at 95 %.

        Each share has that of Clopper and Pearson on its effective number of cases (E. L. Korn and B. I. Graubard,
        Confidence intervals for proportions with small expected number of positive counts, 1998). A sum of shares is
        as far from its end as the distances of the shares from theirs add up, given how they go together by image
        (G. Y. Zou and A. Donner, Construction of confidence limits about effect measures, 2008).
        """
        share = self._share()
        ends = clopper_pearson(share, self._cases())
        if len(self.weight) == 1 and not self.in_twos:
            return Ends(ends.low[..., 0], ends.high[..., 0])
        below, above = (np.where(self.weight > 0, *own) for own in (ends, ends[::-1]))
        value, most = self.value(), float(np.abs(self.weight).sum()) / (2 if self.in_twos else 1)
        low, high = (value + sign * self._away(share, own) for sign, own in ((-1, below), (1, above)))
        return Ends(np.maximum(low, -most if self.in_twos else 0.0), np.minimum(high, most))

    def _share(self) -> Floats:
        return np.asarray(self.part.sum(axis=-2) / self.n.sum(axis=-2))

    def _residual(self) -> Floats:
        return np.asarray(self.part - self._share()[..., None, :] * self.n)

    def _equal_images(self) -> Floats:
        """How many images of one size tell as much as these, if all answers about an image are alike (Kish)."""
        return _effective_number(self.n)

    def _carrying(self) -> Floats:
        """In how many images the hits are, or the misses where these are in fewer; less where images are unequal."""
        fewest = np.minimum(_effective_number(self.part), _effective_number(self.n - self.part))
        return np.asarray(fewest * (self._equal_images() / (self.n > 0).sum(axis=-2)) ** _UNEQUAL_POWER)

    def _cases(self) -> Floats:
        """How many independent cases tell as much as these, by share.

        The variance over images says so. As that of few images is uncertain, it counts for as many images as have hits
        (or misses), beside half an image in which all is right or nothing is. The quantiles of Student's t are as in
        Korn and Graubard. Where nothing varies, an image is a case.
        """
        from scipy.special import stdtrit

        share, total, images = self._share(), self.n.sum(axis=-2), self._equal_images()
        case = share * (1 - share)
        alike = case / images
        measured = (self._residual() ** 2).sum(axis=-2) / total**2 * images / np.maximum(images - 1, _NOTHING)
        measured = np.where(images > 1 + _NOTHING, measured, 0.0)
        carrying = self._carrying()
        variance = (measured * carrying + alike * _IMAGES_ALL_OR_NOTHING) / (carrying + _IMAGES_ALL_OR_NOTHING)
        variance = np.maximum(variance, np.minimum(measured, alike * _MOST_EFFECT))
        quantiles = stdtrit(np.maximum(total - 1, 1), 0.975) / stdtrit(np.maximum(images - 1, 0.5), 0.975)
        varies = case > _NOTHING
        cases = np.where(varies, case / np.where(varies, variance, 1.0) * quantiles**2, images)
        return np.asarray(np.minimum(cases, total))

    def _away(self, share: Floats, ends: Floats) -> Floats:
        """How far a sum is from its end, where each share is at its own."""
        residual = self._residual()
        length = np.sqrt((residual**2).sum(axis=-2))
        known = length > _NOTHING
        residual = residual / np.where(known, length, 1.0)[..., None, :]
        away = np.abs(share - ends) * self.weight
        # Over the images, as a matrix of correlations of many tests would be large; what does not vary stands alone.
        together = ((residual * away[..., None, :]).sum(axis=-1) ** 2).sum(axis=-1)
        squared = together + np.where(known, 0.0, away**2).sum(axis=-1)
        if self.in_twos:
            # What is gained is not lost: where one of the two does not vary, they go together as in one draw of three.
            gain, loss = ends[..., 0::2], ends[..., 1::2]
            odds = gain * loss / np.maximum((1 - gain) * (1 - loss), _NOTHING)
            unknown = ~(known[..., 0::2] & known[..., 1::2])
            both = 2 * np.sqrt(np.minimum(odds, 1.0)) * np.abs(away[..., 0::2] * away[..., 1::2])
            squared = squared + np.where(unknown, both, 0.0).sum(axis=-1)
        return np.asarray(np.sqrt(np.maximum(squared, 0.0)))


def _effective_number(size: Floats) -> Floats:
    """How many images of equal size have as much of a sum as these: 0 where they have nothing of it."""
    squares = (size**2).sum(axis=-2)
    return np.asarray(np.where(squares > 0, size.sum(axis=-2) ** 2 / np.where(squares > 0, squares, 1.0), 0.0))


def mcnemar(only_a: int, only_b: int) -> float:
    """The two-sided exact p-value from the cases that only A and only B got right.

    Where the models are equally good, each case on which they differ falls to either side like a coin; cases on which
    they agree say nothing. With no case of difference the p-value is 1.

    >>> mcnemar(0, 5)
    0.0625
    >>> mcnemar(3, 3)
    1.0
    """
    from scipy.special import bdtr

    n = only_a + only_b
    if n == 0:
        return 1.0
    fewer = min(only_a, only_b)
    return min(1.0, 2.0 * float(bdtr(fewer, n, 0.5)))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The adjusted p-values in the order given; None stays None and does not count among the tests.

    The smallest of m is multiplied by m, the next by m - 1 and so on; none may fall below the one before it, none
    exceeds 1. (S. Holm, A simple sequentially rejective multiple test procedure, 1979.)

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    present = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    so_far = 0.0
    for rank, (p, place) in enumerate(present):
        so_far = max(so_far, min(1.0, p * (len(present) - rank)))
        adjusted[place] = so_far
    return adjusted
