"""What is drawn is what Python's own ``random`` draws, number by number."""

from __future__ import annotations

from random import Random

import pytest

from falter.suites.carets.questions.draws import LateRandom, choose, sample, shuffle

LENGTHS = (1, 2, 5, 16, 21, 22, 85, 86, 300)


@pytest.mark.parametrize("length", LENGTHS)
def test_shuffling_draws_as_python_does(length: int) -> None:
    mine, pythons = list(range(length)), list(range(length))
    rng, other = Random("a"), Random("a")
    shuffle(mine, rng)
    other.shuffle(pythons)
    assert mine == pythons
    assert rng.getstate() == other.getstate()


@pytest.mark.parametrize("length", LENGTHS)
def test_choosing_draws_as_python_does(length: int) -> None:
    items, rng, other = range(length), Random("a"), Random("a")
    assert [choose(items, rng) for _ in range(20)] == [other.choice(items) for _ in range(20)]
    assert rng.getstate() == other.getstate()


@pytest.mark.parametrize("most", [0, 1, 2, 5, 6, 12, 40, 400])
@pytest.mark.parametrize("length", [0, *LENGTHS])
def test_sampling_draws_as_python_does(length: int, most: int) -> None:
    items, rng, other = list(range(length)), Random("a"), Random("a")
    assert sample(items, most, rng) == other.sample(items, min(most, length))
    assert items == list(range(length))
    assert rng.getstate() == other.getstate()


def test_reserved_numbers_come_in_their_order_whenever_they_are_looked_at() -> None:
    late, plain = LateRandom("a"), Random("a")
    drawn = [plain.random() for _ in range(12)]
    first, second = late.reserve(3), late.reserve(2)
    assert late.drawn().random() == drawn[5]
    third, fourth = late.reserve(2), late.reserve(3)
    assert fourth.numbers() == drawn[8:11]
    assert late.drawn().random() == drawn[11]
    assert (first.numbers(), second.numbers(), third.numbers()) == (drawn[:3], drawn[3:5], drawn[6:8])
