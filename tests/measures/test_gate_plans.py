"""Planned gates: how many pairs are asked depends on how far a model is from the bound."""

from __future__ import annotations

import pytest

import falter
from falter.core.errors import UsageError
from falter.evaluation.measures.planning import PairedRates, plan_gate, round_ends


def test_a_gate_takes_fewer_calls_the_farther_the_model_is_from_the_bound() -> None:
    rates = PairedRates(disagreement=0.2)
    far, near, at = (
        plan_gate(rates, margin=0.02, difference=difference, pairs=400, alpha=0.05)
        for difference in (0.15, 0.03, -0.02)
    )
    assert far.mean < near.mean < at.mean
    assert far.calls[0] <= far.calls[1] <= far.calls[2] < 150
    assert far.met >= 0.98 and near.met >= 0.95
    # At the bound itself the full run says met, and a gate may say otherwise in 5 % of the cases.
    assert at.met >= 0.9
    assert at.everything > 0.5
    worse = plan_gate(rates, margin=0.02, difference=-0.2, pairs=400, alpha=0.05)
    assert worse.met == 0.0
    assert worse.mean < 100


def test_plans_from_assumed_rates() -> None:
    found = falter.plan.gates(margin=2, pairs=300, disagreement=0.1, differences=[5, -5])
    assert [round(one.difference, 3) for one in found] == [0.05, -0.05]
    assert "300 pairs" in str(found)
    with pytest.raises(UsageError, match="--pairs"):
        falter.plan.gates(margin=2, disagreement=0.1)
    with pytest.raises(UsageError, match="cannot be"):
        falter.plan.gates(margin=2, pairs=100, disagreement=0.1, differences=[20])


def test_rounds_grow_with_what_was_asked() -> None:
    ends = round_ends(5000)
    assert ends[:3] == [20, 40, 60]
    assert ends[-1] == 5000
    assert len(ends) < 120
