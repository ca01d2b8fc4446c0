"""How large a study must be: pairs for a comparison of two models, and calls for a gate that may stop early.

Pairs are planned by the exact power of McNemar's test, calls by gates on simulated sets of the size of the suite."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import msgspec
import numpy as np

from falter.core.errors import UsageError
from falter.evaluation.measures.outcomes.coding import Floats, Integers
from falter.evaluation.measures.sequential import Gate, SetTest, UnitBounds

_MOST_PAIRS = 50_000_000


class PairedRates(msgspec.Struct, frozen=True, kw_only=True):
    """How two models fare on the same pairs: the share that only one of them gets right, and how pairs cluster.

    ``disagreement`` is the share of pairs on which the two differ. ``design_effect`` is how much larger the variance of
    their difference is than with one pair per image, ``pairs_per_image`` how many pairs an image has.
    """

    disagreement: float
    design_effect: float = 1.0
    pairs_per_image: float = 1.0
    origin: str = "assumed"
    """Where the rates come from."""


class PowerPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How many pairs a comparison needs to find a difference; ``independent`` is the number with one pair per image."""

    detect: float
    power: float
    alpha: float
    rates: PairedRates
    pairs: int
    images: int
    independent: int
    reached: float
    """The exact power of that many independent pairs."""


def mcnemar_power(pairs: int, only_first: float, only_second: float, alpha: float = 0.05) -> float:
    """The probability that McNemar's exact test is significant for the better of two models.

    Each of ``pairs`` independent pairs is one that only the first gets right with probability ``only_first``, and one
    that only the second gets right with probability ``only_second``; the second is the better one.

    >>> round(mcnemar_power(10, 0.0, 1.0), 4), mcnemar_power(5, 0.0, 1.0)
    (1.0, 0.0)
    """
    from scipy.stats import binom

    disagreement = only_first + only_second
    if disagreement <= 0:
        return 0.0
    mean, deviation = pairs * disagreement, (pairs * disagreement * (1 - min(disagreement, 1.0))) ** 0.5
    differing: Integers = np.arange(
        max(0, int(mean - 9 * deviation) - 1), min(pairs, int(mean + 9 * deviation) + 1) + 1
    )
    most = _most_losses(differing, alpha)
    significant: Floats = np.where(most >= 0, binom.cdf(most, differing, only_first / disagreement), 0.0)
    return float(binom.pmf(differing, pairs, disagreement) @ significant)


def _most_losses(differing: Integers, alpha: float) -> Integers:
    """By number of differing pairs how many may fall to the worse model for the test to be significant; -1 for none."""
    from scipy.stats import binom

    # The quantile is the smallest count whose probability reaches alpha / 2: one less may not exceed it.
    found = np.asarray(binom.ppf(alpha / 2, differing, 0.5), dtype=np.int64)
    exceeds = binom.cdf(found, differing, 0.5) >= alpha / 2
    return np.where(exceeds, found - 1, found)


def plan_pairs(detect: float, rates: PairedRates, *, power: float = 0.8, alpha: float = 0.05) -> PowerPlan:
    """The smallest number of pairs from which on a difference of ``detect`` is found with at least this power.

    >>> plan = plan_pairs(0.02, PairedRates(disagreement=0.1))
    >>> 1900 < plan.pairs < 2100, plan.images == plan.pairs
    (True, True)
    """
    _check(detect, rates, power, alpha)
    only_first, only_second = (rates.disagreement - detect) / 2, (rates.disagreement + detect) / 2

    def reached(pairs: int) -> float:
        return mcnemar_power(pairs, only_first, only_second, alpha)

    low, high = 1, 8
    while reached(high) < power:
        low, high = high, high * 2
        if high > _MOST_PAIRS:
            raise UsageError(f"more than {_MOST_PAIRS:,} pairs are needed; choose a larger --detect or a lower --power")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    # The exact test moves in steps, so a somewhat larger number may fall short again.
    window = range(high, high + max(16, high // 50), max(1, high // 400))
    short = [one for one in window if reached(one) < power]
    independent = max(short) + 1 if short else high
    while reached(independent) < power:
        independent += 1
    pairs = ceil(independent * max(rates.design_effect, 1.0))
    return PowerPlan(
        detect=detect,
        power=power,
        alpha=alpha,
        rates=rates,
        pairs=pairs,
        images=ceil(pairs / rates.pairs_per_image),
        independent=independent,
        reached=reached(independent),
    )


def _check(detect: float, rates: PairedRates, power: float, alpha: float) -> None:
    if not 0 < detect < 1:
        raise UsageError(f"--detect {100 * detect:g} is not a number of points above 0 and below 100")
    if not 0 < power < 1:
        raise UsageError(f"--power {power:g} is not a probability above 0 and below 1")
    if not 0 < alpha < 1:
        raise UsageError(f"--alpha {alpha:g} is not a probability above 0 and below 1")
    if not detect <= rates.disagreement <= 1:
        raise UsageError(
            f"two models that differ by {100 * detect:g} points disagree on at least as many pairs, not on "
            f"{100 * rates.disagreement:.3g} %; choose a smaller --detect or a larger --disagreement"
        )


_GATES = 200
_AT_ONCE = 20
_SHARE_OF_ASKED = 25


class GatePlan(msgspec.Struct, frozen=True, kw_only=True):
    """The calls that a gate "not worse by more than ``margin``" takes, if the true difference is ``difference``.

    ``calls`` are the numbers of pairs asked that 10, 50 and 90 % of the gates do not exceed, ``mean`` is their mean.
    ``met`` is the share of the gates that say met.
    """

    margin: float
    difference: float
    pairs: int
    alpha: float
    rates: PairedRates
    mean: float
    calls: tuple[int, int, int]
    met: float
    everything: float
    """The share of the gates that ask everything."""


def round_ends(pairs: int, look_every: int = _AT_ONCE) -> list[int]:
    """After how many probes a run looks.

    >>> round_ends(50)
    [20, 40, 50]
    """
    ends = [0]
    while ends[-1] < pairs:
        ends.append(min(pairs, ends[-1] + max(look_every, ends[-1] // _SHARE_OF_ASKED)))
    return ends[1:]


def plan_gate(
    rates: PairedRates, *, margin: float, difference: float, pairs: int, alpha: float, seed: int = 0
) -> GatePlan:
    """Simulate gates in many orders of a set with these rates."""
    if pairs < 1:
        raise UsageError(f"--pairs is the number of pairs of the suite, at least 1, not {pairs}")
    if abs(difference) > rates.disagreement:
        raise UsageError(
            f"models that differ on {100 * rates.disagreement:.3g} % of the pairs cannot be {100 * difference:+.3g} "
            "points apart"
        )
    only_old, only_new = (round(pairs * (rates.disagreement + sign * difference) / 2) for sign in (-1, 1))
    both = (pairs - only_old - only_new) // 2
    old = np.repeat([1.0, 0.0, 1.0, 0.0], [only_old, only_new, both, pairs - only_old - only_new - both])
    change = np.repeat([-1.0, 1.0, 0.0], [only_old, only_new, pairs - only_old - only_new])
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(pairs) for _ in range(_GATES)]
    tests = [SetTest(UnitBounds.differences(np.ones(pairs), old[order]), -margin) for order in orders]
    gate = Gate(tests, alpha, shared=False)
    calls, ends = np.full(_GATES, pairs), round_ends(pairs)
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        is_open = gate.open
        gate.take([change[order[start:end]] for order in orders], [np.ones(end - start)] * _GATES)
        calls[is_open & ~gate.open] = end
        if not gate.open.any():
            break
    truth = change.sum() >= -margin * pairs - 1e-9
    return GatePlan(
        margin=margin,
        difference=difference,
        pairs=pairs,
        alpha=alpha,
        rates=rates,
        mean=float(calls.mean()),
        calls=_quantiles(calls.astype(np.float64), (0.1, 0.5, 0.9)),
        met=float(np.where(gate.open, truth, gate.met).mean()),
        everything=float((calls == pairs).mean()),
    )


def _quantiles(values: Floats, shares: Sequence[float]) -> tuple[int, int, int]:
    low, middle, high = (int(one) for one in np.quantile(values, shares, method="higher"))
    return low, middle, high
