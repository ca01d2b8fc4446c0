"""Sets at their bounds, drawn at random: wrong verdicts at any time stay within alpha, and controls within theirs."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.early_stopping import draw_set, simulate, simulate_families

from falter.measures.sequential import Controls, Gate, controlled_estimate


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_wrong_verdicts_at_any_time(alpha: float) -> None:
    found = simulate(1500, alpha, seed=3, largest=400)
    assert found["wrong"] <= found["at most"]


def test_several_requirements_share_alpha() -> None:
    found = simulate_families(250, 0.1, seed=4)
    assert found["wrong"] <= found["at most"]


@pytest.mark.soak
def test_wrong_verdicts_at_any_time_in_many_sets_of_all_sizes() -> None:
    for alpha in (0.05, 0.01):
        found = simulate(20_000, alpha)
        assert found["wrong"] <= found["at most"]
    families = simulate_families(20_000, 0.05)
    assert families["wrong"] <= families["at most"]


def test_far_from_the_bound_few_units_are_needed() -> None:
    rng = np.random.default_rng(0)
    test, values, _ = draw_set(rng, 2000, 2)
    easy = type(test)(test.units, test.bound - 0.3, test.floor)
    gate = Gate([easy], 0.01)
    gate.take([values], [np.ones(2000)])
    assert bool(gate.met[0])
    assert gate.after[0] < 250


def correlated(models: int, units: int, seed: int) -> np.ndarray:
    """Replies of models to which the same units are hard."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, 2.5, units)
    return np.array([(rng.normal(0.3, 0.3) + ease + rng.logistic(0, 0.5, units) > 0) for _ in range(models)], float)


@pytest.mark.parametrize("useful", [True, False])
def test_stored_runs_make_estimates_more_exact_and_never_worse(useful: bool) -> None:
    correct = correlated(9, 800, seed=1)
    rng = np.random.default_rng(2)
    squares, plain, covered, gains = 0.0, 0.0, 0, []
    for repetition in range(240):
        model = repetition % 9
        others = np.delete(correct, model, axis=0)
        others = others if useful else rng.permuted(others, axis=1)
        asked = rng.permutation(800)[:100]
        one = controlled_estimate(
            correct[model, asked], np.ones(100), asked, Controls.from_runs(others.T, np.zeros((800, 0)))
        )
        assert one is not None
        truth = correct[model].mean()
        squares += (one.value - truth) ** 2
        plain += (one.plain - truth) ** 2
        covered += one.low <= truth <= one.high
        gains.append(one.gain)
    assert 0.91 <= covered / 240 <= 0.985
    if useful:
        assert np.sqrt(squares / plain) < 0.75
        assert np.mean(gains) > 1.6
    else:
        assert np.sqrt(squares / plain) < 1.04
        assert 0.85 < np.mean(gains) < 1.1


def test_an_estimate_by_hand() -> None:
    # Without controls: the mean of a sample, its error with the correction for a finite set.
    part, size = np.array([1.0, 0.0, 1.0, 1.0]), np.ones(4)
    one = controlled_estimate(part, size, np.arange(4), Controls(np.zeros((16, 0)), np.zeros(0)))
    assert one is not None
    assert one.value == one.plain == 0.75
    error = np.sqrt(0.25 / 4 * 0.75)
    assert one.high - one.value == pytest.approx(3.182446 * error, rel=1e-5)
    assert one.gain == 1.0
    # Everything asked: no error is left. Nothing counted: no estimate.
    whole = controlled_estimate(part, size, np.arange(4), Controls(np.zeros((4, 0)), np.zeros(0)))
    assert whole is not None and whole.low == whole.high == 0.75
    assert controlled_estimate(part * 0, size * 0, np.arange(4), Controls(np.zeros((4, 0)), np.zeros(0))) is None


def test_a_ratio_with_sizes_that_differ() -> None:
    rng = np.random.default_rng(4)
    size = rng.integers(1, 4, 500).astype(float)
    part = rng.binomial(size.astype(int), 0.6).astype(float)
    asked = rng.permutation(500)[:200]
    one = controlled_estimate(part[asked], size[asked], asked, Controls(np.zeros((500, 0)), np.zeros(0)))
    assert one is not None
    assert one.value == pytest.approx(part[asked].sum() / size[asked].sum())
    assert one.low < part.sum() / size.sum() < one.high
