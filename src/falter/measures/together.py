"""Ways to part pairs into groups: tests by themselves, and matching tests together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from falter.measures.facets import Facet, of_pairs
from falter.measures.interning import NONE, Codes
from falter.measures.pairs import Pairs
from falter.measures.score import Group

__all__ = ["MEAN", "PIECE", "TOGETHER", "Grouping", "is_whole_suite", "tests_of", "tests_together"]

TOGETHER = "all"
"""The name that all matching tests of a suite have together, every pair counting the same."""

MEAN = "mean"
"""The name of the unweighted mean over the matching tests of a suite."""

PIECE = "piece"
"""The facet that says which piece of VALSE an instrument belongs to."""


class Grouping(NamedTuple):
    """One way to part pairs and sets into groups: the group of each (-1 for none), and the groups in order."""

    of_pair: Codes
    of_set: Codes
    groups: list[Group]


def tests_of(pairs: Pairs, suite: str) -> list[int]:
    """The numbers of a suite's tests whose pairs are texts to be matched."""
    matching = (pairs.cells.task == "match") & (pairs.cells.expects == "prefer")
    occurring = {int(test) for test in np.unique(pairs.test[matching])}
    return [number for number, name in enumerate(pairs.tests) if name[0] == suite and number in occurring]


def is_whole_suite(group: Group, pairs: Pairs) -> bool:
    """Whether a group is all matching tests of a suite together, and not a test that happens to be called so."""
    return group == Group(group.suite, TOGETHER) and (group.suite, TOGETHER) not in pairs.tests


def tests_together(pairs: Pairs, of_set: Codes, facets: Mapping[str, Facet]) -> Iterator[Grouping]:
    """The matching tests of each suite as one, whole and by facets; a suite with one such test has them already."""
    if pairs.interned.match is None:
        return
    taken = {suite for suite, test in pairs.tests if test in (TOGETHER, MEAN)}
    suites = [suite for suite in dict.fromkeys(suite for suite, _ in pairs.tests) if suite not in taken]
    number = np.full(len(pairs.tests), NONE, dtype=np.int32)
    joined: list[str] = []
    for suite in suites:
        tests = tests_of(pairs, suite)
        if len(tests) > 1:
            number[tests] = len(joined)
            joined.append(suite)
    if not joined:
        return
    matching = (pairs.cells.task == "match") & (pairs.cells.expects == "prefer")
    of_cell = np.where(matching, number[pairs.test], NONE)
    of_pair = of_cell[pairs.cell].astype(np.int32)
    none = np.full(len(of_set), NONE, dtype=np.int32)
    yield Grouping(of_pair, none, [Group(suite, TOGETHER) for suite in joined])
    for name, facet in facets.items():
        words = facet[1]
        value = of_pairs(facet, pairs.original, pairs.variant)
        known = (of_pair != NONE) & (value != NONE)
        groups = [Group(suite, TOGETHER, name, word) for suite in joined for word in words]
        yield Grouping(np.where(known, of_pair * len(words) + value, NONE).astype(np.int32), none, groups)
