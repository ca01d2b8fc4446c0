"""Bets, gates and intervals against a slow reference and against all orders of small sets."""

from __future__ import annotations

from itertools import permutations, product
from math import exp, log, sqrt

import numpy as np
import pytest

from falter.evaluation.measures.sequential import (
    AskedUnits,
    Gate,
    SetTest,
    UnitBounds,
    anytime_interval,
    anytime_interval_of_draws,
    anytime_mcnemar,
    discordant_evidence,
)
from falter.evaluation.measures.sequential.betting import Bets, stakes


def reference_capitals(
    values: list[float], kinds: list[int], numbers: list[int], lows: list[float], highs: list[float], batch: int
) -> list[tuple[float, float]]:
    """Both players' capitals after every unit, one unit and one stake at a time, by the page on the mathematics."""
    units = sum(numbers)
    smallest = min(sqrt(2 * log(1 / 0.05) * 0.05 / units), 1.0)
    effects = [smallest * (2.0 / smallest) ** (step / 7) for step in range(8)]
    width = sum(n * (high - low) ** 2 for n, low, high in zip(numbers, lows, highs, strict=True)) / units
    first_variance = 0.16 * max(width, 1e-12)
    up, down = [1 / 8] * 8, [1 / 8] * 8
    found = []
    for start in range(0, len(values), batch):
        seen = list(zip(values[:start], kinds[:start], strict=True))
        guess = [
            sum(value for value, kind in seen if kind == one) / (sum(kind == one for _, kind in seen) + 4)
            for one in range(len(numbers))
        ]
        errors = [value - guess[kind] for value, kind in seen]
        mean = sum(errors) / len(errors) if errors else 0.0
        variance = (sum((error - mean) ** 2 for error in errors) + 3 * first_variance) / (len(errors) + 3)
        there = [one for one in range(len(numbers)) if numbers[one] > kinds[:start].count(one)]
        worst = min(lows[one] - guess[one] for one in there)
        best = max(highs[one] - guess[one] for one in there)
        left_at_start = units - start
        for place in range(start, min(start + batch, len(values))):
            left = units - place
            guesses_left = sum(guess[one] * (numbers[one] - kinds[:place].count(one)) for one in range(len(numbers)))
            fair = (-sum(values[:place]) - guesses_left) / left
            surprise = values[place] - guess[kinds[place]] - fair
            for number, effect in enumerate(effects):
                aim = effect * units / left_at_start
                stake = aim / (1 + aim * aim) / sqrt(variance)
                up[number] *= max(1 + min(stake, 0.98 / max(fair - worst, 1e-9)) * surprise, 1e-9)
                down[number] *= max(1 - min(stake, 0.98 / max(best - fair, 1e-9)) * surprise, 1e-9)
            found.append((sum(up), sum(down)))
    return found


def test_capitals_equal_a_reference_that_bets_one_unit_at_a_time() -> None:
    rng = np.random.default_rng(3)
    for batch in (1, 3, 7):
        numbers, lows, highs = [9, 14], [-0.4, 0.1], [0.6, 1.1]
        kinds = rng.permutation([0] * 9 + [1] * 14)
        values = np.where(rng.random(23) < 0.5, np.array(lows)[kinds], np.array(highs)[kinds]) - 0.1 * (kinds == 1)
        values = np.clip(values, np.array(lows)[kinds], np.array(highs)[kinds])
        bets = Bets(np.array([lows]), np.array([highs]), np.array([numbers], float), stakes(np.array([23]), 0.05))
        paths = [
            bets.add(
                values[None, start : start + batch], kinds[None, start : start + batch], np.ones((1, len(part)), bool)
            )
            for start in range(0, 23, batch)
            for part in [values[start : start + batch]]
        ]
        found = np.exp(np.concatenate(paths, axis=2)[:, 0, :])
        expected = reference_capitals(values.tolist(), kinds.tolist(), numbers, lows, highs, batch)
        np.testing.assert_allclose(found.T, expected, rtol=1e-9)


def all_orders(units: int) -> np.ndarray:
    return np.array(list(permutations(range(units))))


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ([0.5, 0.5, 0.5, -0.5, -0.5, -0.5], [0, 0, 0, 0, 0, 0]),
        ([0.8, -0.2, -0.2, -0.2, -0.2, 0.0], [0, 1, 1, 0, 0, 1]),
        ([1.0, 1.0, 0.0, 0.0, -1.0, -1.0], [0, 0, 0, 1, 1, 1]),
    ],
)
@pytest.mark.parametrize("batch", [1, 2])
def test_the_mean_capital_over_all_orders_is_one(values: list[float], kinds: list[int], batch: int) -> None:
    # The total is zero: no bet is favorable, so at every moment both players have 1 on average.
    orders = all_orders(6)
    drawn, kind = np.array(values)[orders], np.array(kinds)[orders]
    numbers = np.tile(np.bincount(kinds, minlength=2).astype(float), (len(orders), 1))
    low, high = np.full(numbers.shape, -1.0), np.full(numbers.shape, 1.0)
    bets = Bets(low, high, numbers, stakes(np.full(len(orders), 6), 0.1))
    for start in range(0, 6, batch):
        now = slice(start, start + batch)
        capital = bets.add(drawn[:, now], kind[:, now], np.ones((len(orders), batch), dtype=bool))
        np.testing.assert_allclose(np.exp(capital).mean(axis=1), 1.0, rtol=1e-9)


@pytest.mark.parametrize("ones", range(8))
@pytest.mark.parametrize("bound", [0.3, 0.5, 4 / 7])
def test_verdicts_over_all_orders_of_small_sets(ones: int, bound: float) -> None:
    alpha = 0.25
    truth = ones / 7 >= bound - 1e-12
    wrong = decided_early = 0
    # Equal units need not be told apart: each arrangement stands for the same number of orders.
    arrangements = sorted(set(permutations([1.0] * ones + [0.0] * (7 - ones))))
    for values in arrangements:
        gate = Gate([SetTest(UnitBounds.shares(np.ones(7)), bound)], alpha)
        for unit in values:
            gate.take([np.array([unit])], [np.ones(1)])
            if not gate.open[0]:
                break
        if not gate.open[0]:
            decided_early += 1
            wrong += bool(gate.met[0]) != truth
            if gate.how(0) == "for certain":
                assert bool(gate.met[0]) == truth
    assert wrong <= alpha * len(arrangements)
    assert decided_early or abs(ones / 7 - bound) < 1e-9


def test_a_verdict_is_certain_when_the_rest_cannot_change_it() -> None:
    gate = Gate(
        [SetTest(UnitBounds.shares(np.ones(10)), 0.5), SetTest(UnitBounds.shares(np.ones(10)), 0.5, floor=False)], 1e-9
    )
    for number in range(5):
        gate.take([np.ones(1)] * 2, [np.ones(1)] * 2)
        assert gate.open.all(), number
    gate.take([np.ones(1)] * 2, [np.ones(1)] * 2)
    assert [gate.how(0), gate.how(1), bool(gate.met[0]), bool(gate.met[1])] == ["for certain"] * 2 + [True, False]
    assert gate.after.tolist() == [6, 6]


def test_a_unit_without_a_reply_adds_nothing() -> None:
    # 4 of 5 replied, all correct: over those that replied the share is 1, whatever became of the fifth.
    gate = Gate([SetTest(UnitBounds.shares(np.ones(6)), 0.75)], 1e-9)
    gate.take([np.array([1.0, 1.0, 0.0, 1.0])], [np.array([1.0, 1.0, 0.0, 1.0])])
    assert gate.open[0]
    gate.take([np.array([1.0])], [np.array([1.0])])
    assert gate.how(0) == "for certain"
    assert bool(gate.met[0])


@pytest.mark.parametrize("bound", [-0.5, -0.1, 0.0, 0.3])
def test_bounds_of_units_hold_whichever_rows_fail(bound: float) -> None:
    # Three rows of which the baseline got one or two right: all replies, and all ways to fail, by brute force.
    for old in [(1, 0, 0), (1, 1, 0)]:
        units = UnitBounds.differences(np.array([3.0]), np.array([float(sum(old))]))
        found = [
            sum((reply - base - bound) for reply, base in zip(replies, old, strict=True) if reply is not None)
            for replies in product((0, 1, None), repeat=3)
        ]
        assert units.low(bound)[0] == pytest.approx(min(found))
        assert units.high(bound)[0] == pytest.approx(max(found))


@pytest.mark.parametrize(("ones", "sizes"), [(3, [1] * 6), (5, [1] * 6), (3, [1, 2, 1, 2, 1])])
def test_intervals_hold_the_value_at_every_time_over_all_orders(ones: int, sizes: list[int]) -> None:
    units = sorted(set(permutations((float(size * (place < ones)), float(size)) for place, size in enumerate(sizes))))
    missed = 0
    for one in units:
        part, size = np.array(one).T
        value = part.sum() / size.sum()
        bounds = UnitBounds.shares(size)
        for seen in range(1, len(sizes)):
            found = anytime_interval(AskedUnits(part[:seen], size[:seen], bounds), level=0.8)
            assert found.low is not None and found.high is not None
            if not found.low <= value <= found.high:
                missed += 1
                break
    assert missed <= 0.2 * len(units)
    whole = anytime_interval(AskedUnits(part, size, UnitBounds.shares(size)))
    assert whole == (pytest.approx(value), pytest.approx(value))


def test_an_interval_narrows_and_a_baseline_narrows_it_more() -> None:
    rng = np.random.default_rng(5)
    old = (rng.random(1000) < 0.6).astype(float)
    new = np.where(rng.random(1000) < 0.8, old, rng.random(1000) < 0.6).astype(float)
    widths = []
    for seen in (50, 200, 800):
        found = anytime_interval(
            AskedUnits((new - old)[:seen], np.ones(seen), UnitBounds.differences(np.ones(1000), old)), lowest=-1.0
        )
        assert found.low is not None and found.high is not None
        assert found.low <= (new - old).mean() <= found.high
        widths.append(found.high - found.low)
    assert widths[0] > widths[1] > widths[2]
    alone = anytime_interval(AskedUnits(new[:200], np.ones(200), UnitBounds.shares(np.ones(1000))))
    assert alone.low is not None and alone.high is not None
    assert widths[1] < alone.high - alone.low
    drawn = anytime_interval_of_draws(new - old, np.ones(1000))
    assert drawn.low is not None and drawn.high is not None
    assert drawn.low < (new - old).mean() < drawn.high


def test_mcnemar_at_any_time() -> None:
    # By all sequences of eight cases: the e-value is 1 on average after each of them.
    for n in range(1, 9):
        mean = sum(exp(discordant_evidence(bin(code).count("1"), n - bin(code).count("1"))) for code in range(2**n))
        assert mean / 2**n == pytest.approx(1.0)
    # The probability that a fair coin is ever rejected within 200 cases, exactly.
    alpha, alive, rejected = 0.05, {0: 1.0}, 0.0
    for n in range(1, 201):
        after: dict[int, float] = {}
        for wins, share in alive.items():
            for more in (0, 1):
                if anytime_mcnemar(wins + more, n - wins - more) <= alpha:
                    rejected += share / 2
                else:
                    after[wins + more] = after.get(wins + more, 0.0) + share / 2
        alive = after
    assert 0.001 < rejected <= alpha
