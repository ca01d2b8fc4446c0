"""Bets against "the total is at most zero" and "at least zero", placed while a finite set is asked in random order.

A test is about N units with values z in known bounds. They are drawn without replacement, each order being equally
likely, and the question is whether the sum of all z is above or below zero. Two players start with a capital of 1: one
bets that the total is above zero, the other that it is below. If the total is zero or on the other side, no bet of a
player is favorable, so the capital exceeds 1/alpha at any time with probability at most alpha (Ville's inequality).

What is known of a unit before it is asked (its bounds, its class: what the baseline replied, what other models did)
takes part as a control: the mean of a guess over the units that are left is known, so betting on value minus guess is
as fair, and steadier. Guesses, spread and stakes depend on what was seen before the batch alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_STAKES = 8
_LARGEST = 2.0
"""The largest effect that is bet on, in standard deviations of a unit."""
_FEWEST_LEFT = 0.05
"""The smallest effect is the one that shows when this share of the units is left."""
_ALL_IN = 0.98
"""The share of its capital that a player may lose at one unit."""
_GUESS_WEIGHT = 4.0
"""So many units with a value of zero are taken for seen in every class."""
_SPREAD_WEIGHT = 3.0
"""So many units with the spread below are taken for seen."""
_FIRST_SPREAD = 0.16
"""As a share of the squared width of the bounds."""


def stakes(units: npt.NDArray[np.integer], alpha: float) -> Floats:
    """By test the effects that are bet on, in standard deviations; each gets an equal share of the capital."""
    evidence = 2 * np.log(1 / alpha)
    smallest = np.sqrt(evidence * _FEWEST_LEFT / np.maximum(units, 1))
    smallest = np.minimum(smallest, _LARGEST / 2)
    steps = np.linspace(0, 1, _STAKES)
    return np.asarray(smallest[:, None] * (_LARGEST / smallest[:, None]) ** steps)


@dataclass
class Bets:
    """The state of several tests, each with two players; arrays have a row per test.

    ``low`` and ``high`` bound the values of the units of a class, ``number`` counts its units. ``units`` is infinite
    where units are drawn from a source that does not run out.
    """

    low: Floats
    high: Floats
    number: Floats
    effects: Floats

    def __post_init__(self) -> None:
        tests, classes = self.number.shape
        self.units = self.number.sum(axis=1)
        self.left = self.number.copy()
        self.seen = np.zeros(tests)
        self.total = np.zeros(tests)
        self._count = np.zeros((tests, classes))
        self._sum = np.zeros((tests, classes))
        self._squares = np.zeros((tests, classes))
        wide = np.where(self.number > 0, self.high - self.low, 0.0)
        self._spread = _FIRST_SPREAD * np.maximum(
            (wide**2 * self.number).sum(axis=1) / np.maximum(self.units, 1), 1e-12
        )
        self.log_capital = np.zeros((2, tests, self.effects.shape[1]))
        """Of the player who bets on above zero, and of the one who bets on below, by effect."""
        self.best = np.zeros((2, tests))
        """The highest logarithm of the capital so far."""

    def capital(self) -> Floats:
        """The logarithm of both players' capital now."""
        return _log_mean_exp(self.log_capital)

    def add(self, value: Floats, kind: Integers, given: Bools) -> Floats:
        """Settle the bets on a batch: values and classes by test and unit, where ``given``; units come in their order.

        Gives the logarithm of both players' capital after every unit, of shape (2, tests, units).
        """
        guess = self._guess()
        spread = self._deviation(guess)
        rows = np.arange(len(value))[:, None]
        value = np.where(given, value, 0.0)
        guessed = np.where(given, guess[rows, kind], 0.0)
        known = np.where(given, 1.0, 0.0)
        before = np.cumsum(known, axis=1) - known
        left = np.maximum(self.left.sum(axis=1)[:, None] - before, 1.0)
        guesses_left = (self.left * guess).sum(axis=1)[:, None] - (np.cumsum(guessed, axis=1) - guessed)
        total = self.total[:, None] + np.cumsum(value, axis=1) - value
        fair = (-total - guesses_left) / left
        there = self.left > 0
        lowest = np.where(there, self.low - guess, np.inf).min(axis=1)[:, None]
        highest = np.where(there, self.high - guess, -np.inf).max(axis=1)[:, None]
        surprise = np.where(given, value - guessed - fair, 0.0)
        aim = self.effects * (self.units / left[:, 0])[:, None]
        stake = (aim / ((1 + aim * aim) * spread[:, None]))[:, None, :]
        factor = np.empty((2, *value.shape, stake.shape[-1]))
        for side, most in enumerate((fair - lowest, highest - fair)):
            np.minimum(stake, (_ALL_IN / np.maximum(most, 1e-9))[:, :, None], out=factor[side])
            factor[side] *= (surprise if side == 0 else -surprise)[:, :, None]
        factor += 1.0
        np.maximum(factor, 1e-9, out=factor)
        # A batch is short, so products of its factors stay within the range of numbers.
        np.cumprod(factor, axis=2, out=factor)
        top = self.log_capital.max(axis=-1)
        share = np.exp(self.log_capital - top[..., None]) / self.effects.shape[1]
        capital = np.asarray(top[..., None] + np.log(np.einsum("sqlk,sqk->sql", factor, share)))
        self.log_capital = self.log_capital + np.log(factor[:, :, -1, :])
        self.best = np.maximum(self.best, capital.max(axis=2))
        self._remember(value, kind, known)
        return capital

    def _guess(self) -> Floats:
        return np.asarray(self._sum / (self._count + _GUESS_WEIGHT))

    def _deviation(self, guess: Floats) -> Floats:
        """The standard deviation of value minus guess, as seen so far."""
        seen = np.maximum(self.seen, 1e-9)
        first = (self._sum - guess * self._count).sum(axis=1)
        second = (self._squares - 2 * guess * self._sum + guess**2 * self._count).sum(axis=1)
        around = np.maximum(second - first**2 / seen, 0.0)
        return np.asarray(np.sqrt((around + _SPREAD_WEIGHT * self._spread) / (self.seen + _SPREAD_WEIGHT)))

    def _remember(self, value: Floats, kind: Integers, known: Floats) -> None:
        tests, classes = self.number.shape
        place = (np.arange(tests)[:, None] * classes + kind).ravel()

        def by_class(weights: Floats) -> Floats:
            summed = np.bincount(place, weights=weights.ravel(), minlength=tests * classes)
            return np.asarray(summed.reshape(tests, classes), dtype=np.float64)

        count = by_class(known)
        self._count += count
        self.left -= count
        self._sum += by_class(value)
        self._squares += by_class(value**2)
        self.seen += known.sum(axis=1)
        self.total += value.sum(axis=1)


def _log_mean_exp(logs: Floats) -> Floats:
    top = logs.max(axis=-1)
    return np.asarray(top + np.log(np.exp(logs - top[..., None]).mean(axis=-1)))


_MOST_CLASSES = 16


class UnitBounds(NamedTuple):
    """By unit, in the order in which they are asked, what bounds the sums that it adds to a ratio.

    A unit adds ``part`` to the numerator and ``count`` to the denominator. ``count`` is ``weight``, less where replies
    fail, and ``part`` is between ``least`` and ``most`` where ``count`` is ``weight``. A row of a unit adds between -1
    and 1 for each 1 of its weight. Units of one ``sort`` are alike in something else that is known of them: what other
    models replied.
    """

    weight: Floats
    least: Floats
    most: Floats
    sort: Integers

    @classmethod
    def shares(cls, weight: Floats, sort: Integers | None = None) -> UnitBounds:
        """Of a share: the numerator is a part of the denominator."""
        none = np.zeros(len(weight), dtype=np.int64)
        return cls(weight, np.zeros(len(weight)), weight, none if sort is None else sort)

    @classmethod
    def differences(cls, weight: Floats, baseline: Floats, sort: Integers | None = None) -> UnitBounds:
        """Of the difference to a baseline whose numerators are known."""
        none = np.zeros(len(weight), dtype=np.int64)
        return cls(weight, -baseline, weight - baseline, none if sort is None else sort)

    def after(self, first: int) -> UnitBounds:
        """The units after the first so many."""
        return UnitBounds(self.weight[first:], self.least[first:], self.most[first:], self.sort[first:])

    def low(self, bound: float) -> Floats:
        """The least that ``part - bound * count`` can be, whichever rows of a unit have no reply and so add nothing.

        The rows of a unit that may lose most are those that fall from 1 to 0, as many as ``least`` says; the others
        cannot fall.
        """
        return np.asarray(-self.least * min(0.0, -1.0 - bound) + (self.weight + self.least) * min(0.0, -bound))

    def high(self, bound: float) -> Floats:
        """The most that ``part - bound * count`` can be."""
        return np.asarray(self.most * max(0.0, 1.0 - bound) + (self.weight - self.most) * max(0.0, -bound))


class Classes:
    """Units that are alike in all that is known of them, at most a few of them: by unit its class, and the bounds."""

    def __init__(self, units: UnitBounds) -> None:
        keys: Floats = np.column_stack([units.weight, units.least, units.most, units.sort.astype(np.float64)])
        found: Floats
        found, of_unit = np.unique(np.round(keys, 9), axis=0, return_inverse=True)
        of_unit = of_unit.ravel().astype(np.int64)
        self._types = UnitBounds(found[:, 0], found[:, 1], found[:, 2], found[:, 3].astype(np.int64))
        self._class = np.arange(len(found))
        if len(found) > _MOST_CLASSES:
            # Too many to learn about each: neighbors by what they may add and by sort are taken together.
            middle = (found[:, 1] + found[:, 2]) / 2 + 1e-6 * found[:, 3]
            edges = np.unique(np.quantile(middle[of_unit], np.linspace(0, 1, _MOST_CLASSES + 1)[1:-1]))
            self._class = np.unique(np.searchsorted(edges, middle), return_inverse=True)[1].ravel().astype(np.int64)
        self.kind: Integers = self._class[of_unit]
        self.count = int(self._class.max()) + 1 if len(found) else 1
        self.number: Floats = np.bincount(self.kind, minlength=self.count).astype(np.float64)

    def bounds(self, bound: float) -> tuple[Floats, Floats]:
        """By class between what ``part - bound * count`` of its units is."""
        low, high = np.zeros(self.count), np.zeros(self.count)
        np.minimum.at(low, self._class, self._types.low(bound))
        np.maximum.at(high, self._class, self._types.high(bound))
        return low, high


def stack_rows(rows: Sequence[Floats]) -> Floats:
    """One row per test, filled up with zeros."""
    width = max((len(one) for one in rows), default=1)
    table = np.zeros((len(rows), width))
    for number, one in enumerate(rows):
        table[number, : len(one)] = one
    return table
