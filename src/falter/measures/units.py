"""How many of the pairs, items or sets that a measure is about were answered, by group."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falter.measures.counting import Grouping, groupings
from falter.measures.measure import Grain
from falter.measures.outcomes import OutcomeRows
from falter.measures.outcomes.coding import Bools, Codes
from falter.measures.paired import PairedRuns
from falter.measures.results import Group

__all__ = ["AnsweredUnits", "count_units"]


class AnsweredUnits(NamedTuple):
    """So many units there are in a group, failed, missing and unsupported ones included, and so many were answered."""

    grain: Grain
    units: int
    answered: int

    @property
    def excluded_share(self) -> float:
        """The share of the units that is in no score."""
        return 1 - self.answered / self.units if self.units else 0.0

    def __str__(self) -> str:
        return f"{self.answered:,} of {self.units:,} {self.grain}s"


def count_units(runs: PairedRuns) -> dict[tuple[Group, str], AnsweredUnits]:
    """By group and measure how many units there are, and how many of them every run answered.

    A mean counts each test the same, so it has the numbers of the test with the fewest answers.
    """
    found: dict[tuple[Group, str], AnsweredUnits] = {}
    for grain, own in runs.evaluated[0].items():
        answered = runs.included[grain]
        for way in groupings(own.rows, runs.by, runs.summaries if grain == "pair" else ()):
            group_of_row = way.of_row(own.rows)
            for one in own.measures:
                about = one.about[one.rows.cell] & (group_of_row >= 0)
                counted = _count(way, own.rows, group_of_row, about, answered)
                for group, (units, replied) in zip(way.groups, counted, strict=True):
                    if units:
                        found[group, one.measure.name] = AnsweredUnits(grain, units, replied)
    return found


def _count(
    way: Grouping, rows: OutcomeRows, group_of_row: Codes, about: Bools, answered: Bools
) -> list[tuple[int, int]]:
    """By group the units that a measure is about, and those of them that were answered."""
    groups, tests = len(way.groups), len(rows.tests) if way.is_mean else 1
    part = group_of_row.astype(np.int64) * tests + (rows.test[rows.cell] if way.is_mean else 0)
    units, replied = (
        np.bincount(part[mask], minlength=groups * tests).reshape(groups, tests) for mask in (about, about & answered)
    )
    worst = np.argmin(np.where(units > 0, replied / np.maximum(units, 1), np.inf), axis=1)
    return [(int(units[group, test]), int(replied[group, test])) for group, test in enumerate(worst)]
