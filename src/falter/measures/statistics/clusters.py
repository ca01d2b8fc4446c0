"""Standard errors over clusters, design effects, and exact intervals of shares with few clusters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falter.measures.statistics.bootstrap import Interval

__all__ = ["FEW_CLUSTERS", "clopper_pearson", "clustered_error", "design_effect", "effective_size", "exact_interval"]

Floats = npt.NDArray[np.float64]

FEW_CLUSTERS = 50
"""Below so many clusters a bootstrap over them is too narrow."""


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


def design_effect(part: Floats, n: Floats) -> float | None:
    """How many times larger the variance of a share is than that of as many independent cases.

    None where nothing varies, or with fewer than two clusters.

    >>> import numpy as np
    >>> round(design_effect(np.array([2.0, 0.0, 2.0, 0.0]), np.full(4, 2.0)), 4)
    2.6667
    """
    error, total = clustered_error(part, n), float(n.sum())
    if error is None:
        return None
    share = float(part.sum()) / total
    independent = share * (1 - share) / total
    return error**2 / independent if independent > 0 else None


def effective_size(part: Floats, n: Floats) -> float:
    """How many independent cases tell as much as these: n over the design effect, at most n.

    The variance of few clusters is uncertain itself, which the quantiles of Student's t account for (E. L. Korn and
    B. I. Graubard, Confidence intervals for proportions with small expected number of positive counts, 1998). Where all
    cases are alike there is no variance to go by, and each cluster counts as one case.

    >>> import numpy as np
    >>> effective_size(np.ones(20), np.full(20, 3.0)), effective_size(np.array([3.0]), np.array([5.0]))
    (20.0, 1.0)
    """
    from scipy.special import stdtrit

    clusters, total = len(part), float(n.sum())
    effect = design_effect(part, n)
    if clusters < 2 or not effect:
        return float(min(clusters, total))
    ratio = float(stdtrit(max(total - 1, 1), 0.975) / stdtrit(clusters - 1, 0.975))
    return float(min(total, total / effect * ratio**2))


def clopper_pearson(share: float, size: float, level: float = 0.95) -> Interval:
    """The exact interval of a share of so many independent cases, which need not be a whole number.

    >>> low, high = clopper_pearson(1.0, 20)
    >>> round(low, 4), high
    (0.8316, 1.0)
    """
    # The same figures as of scipy.stats, without its checks, which take ten times as long.
    from scipy.special import betaincinv

    tail, found = (1 - level) / 2, share * size
    low = 0.0 if found <= 0 else float(betaincinv(found, size - found + 1, tail))
    high = 1.0 if found >= size else float(betaincinv(found + 1, size - found, 1 - tail))
    return Interval(low, high)


def exact_interval(part: Floats, n: Floats) -> Interval:
    """The exact interval of a share, on the effective number of cases."""
    return clopper_pearson(min(1.0, float(part.sum()) / float(n.sum())), effective_size(part, n))
