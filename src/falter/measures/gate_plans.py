"""How many calls a gate that may stop early will take: gates on simulated sets of the size of the suite."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from falter.errors import UsageError
from falter.measures.outcomes.coding import Floats
from falter.measures.power import PairedRates
from falter.measures.sequential import Gate, SetTest, UnitBounds

__all__ = ["GatePlan", "plan_gate", "round_ends"]

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
