"""Sets at their bounds, drawn at random: wrong verdicts at any time stay within alpha, and controls within theirs."""

from __future__ import annotations

import numpy as np
import pytest
from early_stopping import KINDS, draw_set, simulate, simulate_families

from falter.evaluation.measures.sequential import (
    Controls,
    Gate,
    SetTest,
    combine_estimates,
    controlled_estimate,
    controlled_estimates,
)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_wrong_verdicts_at_any_time(alpha: float) -> None:
    found = simulate(1200, alpha, seed=3, largest=300)
    assert found["wrong"] <= found["at most"]


def test_several_requirements_share_alpha() -> None:
    found = simulate_families(200, 0.1, seed=4)
    assert found["wrong"] <= found["at most"]


@pytest.mark.soak
def test_wrong_verdicts_at_any_time_in_many_sets_of_all_sizes() -> None:
    for alpha in (0.05, 0.01):
        found = simulate(20_000, alpha)
        assert found["wrong"] <= found["at most"]
        # By what is special as well, each with a sixth of the sets.
        for kind in KINDS:
            assert found[f"wrong, {kind}"] <= alpha + 3 * np.sqrt(6 * alpha * (1 - alpha) / 20_000)
    families = simulate_families(20_000, 0.05)
    assert families["wrong"] <= families["at most"]


def test_far_from_the_bound_few_units_are_needed() -> None:
    drawn = draw_set(np.random.default_rng(0), 2000, "shares")
    away = -0.3 if drawn.test.floor else 0.3
    gate = Gate([SetTest(drawn.test.units, drawn.test.bound + away, drawn.test.floor)], 0.01)
    gate.take([drawn.part], [drawn.size])
    assert bool(gate.met[0])
    assert gate.after[0] < 250


def correlated(models: int, units: int, seed: int) -> np.ndarray:
    """Replies of models to which the same units are hard."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, 2.5, units)
    return np.array([(rng.normal(0.3, 0.3) + ease + rng.logistic(0, 0.5, units) > 0) for _ in range(models)], float)


def samples(units: int, n: int, repetitions: int, rng: np.random.Generator) -> np.ndarray:
    return np.argsort(rng.random((repetitions, units)), axis=1)[:, :n]


@pytest.mark.parametrize("n", [50, 200])
def test_stored_runs_make_estimates_more_exact(n: int) -> None:
    correct = correlated(6, 800, seed=1)
    rng = np.random.default_rng(2)
    for model in range(3):
        others = np.delete(correct, model, axis=0)
        asked = samples(800, n, 400, rng)
        known = Controls.from_runs(others.T, np.zeros((800, 0)))
        found = controlled_estimates(correct[model][asked], np.ones(asked.shape), asked, known)
        truth = correct[model].mean()
        assert np.sqrt(((found.value - truth) ** 2).mean() / ((found.plain - truth) ** 2).mean()) < 0.75
        assert 0.91 <= ((found.low <= truth) & (truth <= found.high)).mean() <= 0.985
        assert found.gain.mean() > 1.5


@pytest.mark.parametrize("kind", ["shuffled", "coins", "one coin", "always right", "strata"])
def test_stored_runs_that_are_worth_nothing_do_no_harm(kind: str) -> None:
    correct = correlated(4, 800, seed=1)
    rng = np.random.default_rng(2)
    coins = (rng.random((12, 800)) < 0.5).astype(float)
    strata = np.eye(20)[rng.integers(0, 20, 800)]
    outcomes = {
        "shuffled": rng.permuted(correct[1:], axis=1),
        "coins": coins,
        "one coin": coins[:1],
        "always right": np.ones((3, 800)),
        "strata": np.zeros((0, 800)),
    }[kind]
    known = Controls.from_runs(outcomes.T, strata if kind == "strata" else np.zeros((800, 0)))
    truth = correct[0].mean()
    asked = samples(800, 50, 2000, rng)
    found = controlled_estimates(correct[0][asked], np.ones(asked.shape), asked, known)
    # The ratio is known to about 0.003 from so many samples.
    assert np.sqrt(((found.value - truth) ** 2).mean() / ((found.plain - truth) ** 2).mean()) < 1.02
    assert ((found.low <= truth) & (truth <= found.high)).mean() > 0.93
    assert (found.gain > 1.5).mean() < 0.02


def test_what_is_rarely_wrong_has_an_honest_interval() -> None:
    rng = np.random.default_rng(5)
    correct = (np.arange(1000) >= 30).astype(float)
    asked = samples(1000, 50, 1000, rng)
    for helper in (np.ones(1000), np.where(rng.random(1000) < 0.02, 1 - correct, correct)):
        known = Controls.from_runs(helper[:, None], np.zeros((1000, 0)))
        found = controlled_estimates(correct[asked], np.ones(asked.shape), asked, known)
        assert ((found.low <= 0.97) & (found.high >= 0.97)).mean() > 0.92
        # A sample without an error is no proof that there is none.
        spotless = correct[asked].all(axis=1)
        assert spotless.any() and (found.low[spotless] < 0.97).all()


def test_an_estimate_by_hand() -> None:
    # Without controls: the mean of a sample, with Wilson's interval for so many units of a finite set.
    part, size = np.array([1.0, 0.0, 1.0, 1.0]), np.ones(4)
    one = controlled_estimate(part, size, np.arange(4), Controls(np.zeros((16, 0)), np.zeros(0)))
    assert one is not None
    assert one.value == one.plain == 0.75
    # The variance 0.25 is 4/3 of that of a coin, and 12 of 16 units are left.
    worth = 4 / (4 / 3) / (12 / 16)
    for end in (one.low, one.high):
        assert abs(end - 0.75) == pytest.approx(1.959964 * np.sqrt(end * (1 - end) / worth), rel=1e-6)
    assert one.gain == 1.0
    # Everything asked: no error is left. Nothing counted: no estimate.
    whole = controlled_estimate(part, size, np.arange(4), Controls(np.zeros((4, 0)), np.zeros(0)))
    assert whole is not None and whole.low == whole.high == 0.75
    assert controlled_estimate(part * 0, size * 0, np.arange(4), Controls(np.zeros((4, 0)), np.zeros(0))) is None


def test_units_are_predicted_without_themselves() -> None:
    # One column, one strength at a time, by leaving out each unit with a loop.
    rng = np.random.default_rng(6)
    helper = (rng.random(60) < 0.6).astype(float)
    correct = np.where(rng.random(60) < 0.85, helper, 1 - helper)
    asked = rng.permutation(60)[:24]
    column = helper - helper.mean()
    y = correct[asked]
    fits = []
    for strength in (1000.0, 10.0, 1.0, 0.1):
        parts = []
        for out in range(24):
            rows = np.delete(asked, out)
            x = np.column_stack([np.ones(23), column[rows]])
            a, b = np.linalg.solve(x.T @ x + np.diag([1e-9, strength]), x.T @ correct[rows])
            parts.append((a, y[out] - a - b * column[asked[out]]))
        fits.append(np.array(parts))
    best = min(fits, key=lambda one: float((one[:, 1] ** 2).sum()))
    adjusted, left = best.sum(axis=1).mean(), best[:, 1]
    off = np.array([y[out] - np.delete(y, out).mean() for out in range(24)])
    share = min(max(float(off @ (off - left) / ((off - left) @ (off - left))), 0.0), 1.0)
    errors = float(((off - share * (off - left)) ** 2).sum())
    share *= max(0.0, 1 - 2 / (24 * (float(off @ off) - errors) / errors))
    one = controlled_estimate(y, np.ones(24), asked, Controls.from_runs(helper[:, None], np.zeros((60, 0))))
    assert one is not None and 0.3 < share < 1
    assert one.value == pytest.approx(y.mean() + share * (adjusted - y.mean()), rel=1e-6)


def test_sets_that_were_sampled_apart_are_added_up_as_they_count() -> None:
    # A large set with a low share and a small one with a high one, sampled alike: the plain mean would be far off.
    rng = np.random.default_rng(8)
    sets = [(np.arange(900) < 270).astype(float), (np.arange(100) < 90).astype(float)]
    held = 0
    for _ in range(400):
        parts = []
        for values in sets:
            asked = rng.permutation(len(values))[:40]
            none = Controls(np.zeros((len(values), 0)), np.zeros(0))
            one = controlled_estimate(values[asked], np.ones(40), asked, none)
            assert one is not None
            parts.append(one)
        found = combine_estimates(parts, [900, 100])
        assert found.value == pytest.approx(0.9 * parts[0].value + 0.1 * parts[1].value)
        assert (found.n, found.units, found.gain) == (80, 1000, pytest.approx(1.0))
        held += found.low <= 0.36 <= found.high
    assert 0.92 < held / 400 < 0.98


def test_a_ratio_with_sizes_that_differ() -> None:
    rng = np.random.default_rng(4)
    size = rng.integers(1, 4, 500).astype(float)
    part = rng.binomial(size.astype(int), 0.6).astype(float)
    asked = rng.permutation(500)[:200]
    one = controlled_estimate(part[asked], size[asked], asked, Controls(np.zeros((500, 0)), np.zeros(0)))
    assert one is not None
    assert one.value == pytest.approx(part[asked].sum() / size[asked].sum())
    assert one.low < part.sum() / size.sum() < one.high
