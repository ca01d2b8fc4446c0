"""A gate on values over the whole suite, tested while probes are asked in random order: met, not met or undecided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from falter.core.errors import UsageError
from falter.evaluation.measures.outcomes.coding import Bools, Floats, Integers
from falter.evaluation.measures.requirements import Requirement, find_score
from falter.evaluation.measures.results import MOST_EXCLUDED, Score
from falter.evaluation.measures.sequential import AskedUnits, Gate, SetTest, UnitBounds, anytime_interval
from falter.evaluation.measures.statistics import Interval
from falter.evaluation.measures.units import GroupRows, RowSums, SuiteRows, why_untestable

_EXACT = 1e-9
_NEVER = frozenset({"pairs", "questions", "sets", "missing"})
"""Counts that no reply changes, or that are about what was not asked."""

Way = Literal["by test", "for certain", "by value", "open"]


class ValueVerdict(NamedTuple):
    """Where a requirement stands: after how many units of how many, and what their sums come to."""

    met: bool | None
    """None while it is open."""
    way: Way
    after: int
    """Units (pairs, sets, items) that were taken when it was decided."""
    asked: int
    answered: int
    units: int
    value: float | None
    """Over the units asked; with a baseline, the difference to it."""
    first: float | None
    second: float | None
    """The baseline's value and the run's over the units that both answered."""
    interval: Interval
    """That of the value over the whole suite, valid at any time, at 95 %."""
    n: int


def holds_over(requirement: Requirement, value: float) -> bool:
    """Whether a value over all units meets a requirement; rounding in the last digits does not decide."""
    difference = value - requirement.bound
    strict = requirement.operator in (">", "<")
    above = difference > _EXACT if strict else difference >= -_EXACT
    below = difference < -_EXACT if strict else difference <= _EXACT
    return above if requirement.is_floor else below


def find_groups(rows: SuiteRows, requirements: Sequence[Requirement]) -> list[GroupRows]:
    """The rows that each requirement is about; one that cannot be judged before everything is asked is refused."""
    groups = rows.groups()
    names = [Score(measure=measure, group=group, value=None) for group, measure in groups]
    found = []
    for one in requirements:
        own = groups.get((one.group, one.measure))
        if own is None:
            if one.measure not in {measure for _, measure in groups}:
                raise UsageError(f"the requirement {one.text!r}: a single run of this suite has no {one.measure}")
            find_score(one, names)
            raise UsageError(f"the requirement {one.text!r} is about no row of the suite")
        reason = why_untestable(own.measure, one.group, rows.summaries)
        if one.measure in _NEVER:
            reason = f"{one.measure} does not depend on what a model replies"
        if reason:
            raise UsageError(
                f"the requirement {one.text!r} cannot be decided before everything is asked: {reason}; run without "
                "--until and use falter check"
            )
        found.append(own)
    return found


@dataclass
class _Open:
    """One requirement: its units in the order of asking, and what came in so far, by probe."""

    requirement: Requirement
    group: GroupRows
    baseline: RowSums | None
    probes: Integers
    """The probes that are its units, in order."""
    bounds: UnitBounds
    rows_by_probe: Integers
    part: Floats
    """What a probe adds to the numerator; with a baseline, the difference."""
    size: Floats
    first: Floats
    """What it adds to the baseline's numerator, and below to its denominator."""
    first_size: Floats
    asked: int = 0
    answered: int = 0
    spoiled: bool = False
    """Denominators differ from the baseline's, or exceed their bound: only the value over everything tells."""

    @property
    def is_count(self) -> bool:
        return self.group.measure.scale == "count"

    @property
    def scale(self) -> float:
        """A count is judged as a share of the rows."""
        return float(len(self.group.rows)) if self.is_count else 1.0

    def test(self) -> SetTest:
        return SetTest(self.bounds, self.requirement.bound / self.scale, self.requirement.is_floor)

    def add(self, probes: Bools, sums: RowSums) -> None:
        """Replies to all items of some probes."""
        chosen = probes[self.group.probe]
        probe = self.group.probe[chosen]
        included, part, size = sums
        answered = included
        if self.is_count:
            included, size = np.ones(len(part), dtype=bool), np.ones(len(part))
        if self.baseline is not None:
            base = self.baseline.take(chosen)
            included = answered = included & base.included
            self.spoiled |= bool((size[included] != base.size[included]).any())
            self.first += np.bincount(probe, weights=np.where(included, base.part, 0.0), minlength=len(probes))
            self.first_size += np.bincount(probe, weights=np.where(included, base.size, 0.0), minlength=len(probes))
            part = part - base.part
        self.spoiled |= bool((size > self.group.weight[chosen] + _EXACT).any())
        self.part += np.bincount(probe, weights=np.where(included, part, 0.0), minlength=len(probes))
        self.size += np.bincount(probe, weights=np.where(included, size, 0.0), minlength=len(probes))
        self.asked += len(probe)
        self.answered += int(answered.sum())


class ValueGate:
    """Requirements on the values that a full run would have, tested probe by probe in a random order.

    ``order`` has the numbers of all probes. ``baseline`` has, for the requirements that need it, what the rows of the
    other run add. ``sorts`` numbers probes by what is known of them besides. A requirement is closed when it is decided
    and the share ``allow_missing`` of its units asked, or less, lacks an answer.
    """

    def __init__(
        self,
        requirements: Sequence[Requirement],
        groups: Sequence[GroupRows],
        order: Integers,
        *,
        alpha: float,
        baseline: Sequence[RowSums | None],
        allow_missing: float = MOST_EXCLUDED,
        sorts: Integers | None = None,
    ) -> None:
        self.requirements, self.alpha = requirements, alpha
        self.order, self.allow_missing = order, allow_missing
        known = zip(requirements, groups, baseline, strict=True)
        self._tests = [_prepare(one, group, base, order, sorts) for one, group, base in known]
        self._gate = Gate([one.test() for one in self._tests], alpha)
        self._needed = np.zeros((len(requirements), len(order)), dtype=bool)
        for row, test in zip(self._needed, self._tests, strict=True):
            row[test.probes] = True
        self._asked = np.zeros(len(order), dtype=bool)
        self.counts = [len(test.group.rows) for test in self._tests]
        """By requirement how many units it is about."""

    @property
    def groups(self) -> list[GroupRows]:
        """The rows that each requirement is about."""
        return [one.group for one in self._tests]

    def next_probes(self, count: int) -> Integers:
        """The next so many probes of requirements that are open, in the order; none where all are closed."""
        wanted = self._needed[self._open()].any(axis=0) & ~self._asked
        return self.order[wanted[self.order]][:count]

    def group(self, requirement: Requirement) -> GroupRows:
        """The rows that a requirement is about."""
        return self._tests[list(self.requirements).index(requirement)].group

    def take(self, probes: Integers, sums: Sequence[RowSums], *, test: bool = True) -> None:
        """What the rows of some probes add, by requirement; ``probes`` are in the order of asking.

        Without ``test`` no bet is made: when everything is given at once, the values tell all.
        """
        chosen = np.zeros(len(self._asked), dtype=bool)
        chosen[probes] = True
        part, size = [], []
        for one, needed, own in zip(self._tests, self._needed, sums, strict=True):
            one.add(chosen, own)
            units = probes[needed[probes]]
            part.append(one.part[units])
            size.append(one.size[units])
        self._asked |= chosen
        if test:
            self._gate.take(part, size)

    def _open(self) -> Bools:
        return np.array([not self._closed(number) for number in range(len(self._tests))], dtype=bool)

    def _closed(self, number: int) -> bool:
        test = self._tests[number]
        decided = not test.spoiled and not self._gate.open[number]
        return decided and test.asked - test.answered <= self.allow_missing * test.asked + _EXACT

    def verdict(self, number: int) -> ValueVerdict:
        """Where a requirement stands."""
        test, gate = self._tests[number], self._gate
        there = self._asked[test.probes]
        own = test.probes[there]
        part, size, first, first_size = (
            float(sums[own].sum()) for sums in (test.part, test.size, test.first, test.first_size)
        )
        measured = size > 0 and (test.baseline is None or first_size > 0)
        base = first / first_size if measured and test.baseline is not None else None
        second = (part + first) / size if measured else None
        value = None if second is None else second - (base or 0.0)
        if value is not None and test.is_count:
            value = part
        met: bool | None = None
        way: Way = "open"
        after = test.asked
        if there.all():
            way = "by value"
            met = None if value is None else holds_over(test.requirement, value)
        elif not test.spoiled and not gate.open[number]:
            met, way = bool(gate.met[number]), "by test" if gate.how(number) == "by test" else "for certain"
            after = int(test.rows_by_probe[test.probes[: int(gate.after[number])]].sum())
        return ValueVerdict(
            met=met,
            way=way,
            after=after,
            asked=test.asked,
            answered=test.answered,
            units=self.counts[number],
            value=value,
            first=base,
            second=second,
            interval=self._interval(test) if measured and not test.spoiled else Interval(None, None),
            n=round(size),
        )

    def _interval(self, test: _Open) -> Interval:
        there = self._asked[test.probes]
        own = test.probes if there.all() else test.probes[: int(np.argmin(there))]
        seen = AskedUnits(test.part[own], test.size[own], test.bounds)
        low, high = anytime_interval(seen, lowest=0.0 if test.baseline is None else -1.0)
        return Interval(*(None if end is None else end * test.scale for end in (low, high)))


def _prepare(
    requirement: Requirement, group: GroupRows, baseline: RowSums | None, order: Integers, sorts: Integers | None
) -> _Open:
    probes = len(order)
    weight = np.ones(len(group.rows)) if group.measure.scale == "count" else group.weight
    if baseline is not None:
        # What the baseline did not answer is compared with nothing, whatever the run replies.
        weight = np.where(baseline.included, baseline.size, 0.0)
    by_probe = group.by_probe(weight, probes)
    units = order[by_probe[order] > 0]
    sort = np.zeros(probes, dtype=np.int64) if sorts is None else sorts
    bounds = UnitBounds.shares(by_probe[units], sort[units])
    if baseline is not None:
        first = group.by_probe(np.where(baseline.included, baseline.part, 0.0), probes)
        bounds = UnitBounds.differences(by_probe[units], first[units], sort[units])
    part, size, first_part, first_size = (np.zeros(probes) for _ in range(4))
    return _Open(
        requirement=requirement,
        group=group,
        baseline=baseline,
        probes=units,
        bounds=bounds,
        rows_by_probe=np.bincount(group.probe, minlength=probes),
        part=part,
        size=size,
        first=first_part,
        first_size=first_size,
    )
