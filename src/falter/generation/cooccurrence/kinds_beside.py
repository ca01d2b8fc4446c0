"""Some kinds that others are scored beside, and what was worked out of them: mostly those of one image."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from falter.generation.cooccurrence.count_tables import CountTables, Lifts, find_lifts, mark_kinds
from falter.generation.cooccurrence.mentions import ImageContents

Ranking = tuple[Lifts, float]
"""The score of every kind, and the score from which on a kind is usual."""


class KindsBeside:
    """Kinds by their places in the tables; ``left_out`` is what an image has that does not count."""

    def __init__(self, places: list[int], tables: CountTables, left_out: ImageContents | None) -> None:
        self.places = places
        self.best: dict[int, float] = {}
        """By place the scores of the kinds that were found to be the most plausible here."""
        self._tables = tables
        self._left_out = left_out

    def may_be(self, kind: str) -> bool:
        """Whether one object may be of a kind and of one of these."""
        return bool(self._tables.ontology.meeting_bits[kind] & self._bits)

    @cached_property
    def _bits(self) -> int:
        tables = self._tables
        return sum(tables.ontology.kind_bits[tables.kinds[place]] for place in self.places)

    @cached_property
    def are_left_out(self) -> bool:
        """Whether the image that is left out has all of these kinds."""
        here = self._left_out.kinds if self._left_out is not None else ()
        return all(self._tables.kinds[place] in here for place in self.places)

    @cached_property
    def lifts(self) -> Lifts:
        """The lift of every kind with each of these; rows lie together in memory."""
        tables = self._tables
        if self._left_out is None:
            # The lift of two kinds is the same both ways.
            return np.ascontiguousarray(tables.lift[self.places].T)
        left_out = self._left_out.kinds
        here = sorted(tables.place[kind] for kind in left_out if kind in tables.place)
        lifts = np.empty((len(self.places), len(tables.kinds)), dtype=np.float32)
        for row, place in enumerate(self.places):
            without = tables.lifts_without_one(place, is_here=tables.kinds[place] in left_out)
            lifts[row] = without.away
            lifts[row, here] = without.here[here]
        return np.ascontiguousarray(lifts.T)

    def lifts_of(self, place: int, others: list[int]) -> Lifts:
        """The lift of one kind with each of some others."""
        tables = self._tables
        if self._left_out is None:
            lifts: Lifts = tables.lift[place][others]
            return lifts
        here, kinds = self._left_out.kinds, tables.kinds
        is_here = kinds[place] in here
        each = [tables.lifts_without_one(other, is_here=kinds[other] in here)[is_here][place] for other in others]
        return np.array(each, dtype=np.float32)

    @cached_property
    def ranking(self) -> Ranking:
        """The score of every kind, and the one that these have commonly beside each other."""
        if not self.places:
            return np.zeros(len(self._tables.kinds), dtype=np.float32), np.inf
        scores: Lifts = self.lifts.mean(axis=1)
        return scores, _usual_score(self.lifts[self.places, :])

    @cached_property
    def usual_score(self) -> float:
        """The score that these have commonly beside each other, where no other kinds are scored beside them."""
        if len(self.places) < 2:
            return np.inf
        rows = np.array(self.places)[:, None]
        if self._left_out is None:
            # As many sums as in the ranking go from row to row: the lift of two kinds is the same both ways.
            return _usual_score(self._tables.lift[rows, self.places].T)
        if not self.are_left_out:
            return self.ranking[1]
        return _usual_score(self._tables.lift_of_two_here[rows, self.places])

    @cached_property
    def value_scores(self) -> Lifts:
        """The mean lift of every value with these kinds."""
        scores: Lifts = self._value_lifts().mean(axis=1)
        return scores

    def _value_lifts(self) -> Lifts:
        tables = self._tables
        said, seen, together = tables.value_seen, tables.seen[self.places], tables.value_together[:, self.places]
        images = tables.counts.images
        if self._left_out is not None:
            own = np.zeros(len(said), dtype=np.float32)
            own[[tables.value_place[value] for _, value in self._left_out.attributes]] = 1.0
            here = mark_kinds(self._left_out.kinds, tables)[self.places]
            said, seen, together = said - own, seen - here, together - np.outer(own, here)
            images -= 1
        return find_lifts(together, np.outer(said, seen) / max(images, 1))


def _usual_score(lift: Lifts) -> float:
    """The median over some kinds of the mean lift with the others."""
    if len(lift) < 2:
        return np.inf
    return _median((lift.sum(axis=1) - lift.diagonal()) / (len(lift) - 1))


def find_mean(lifts: Lifts) -> float:
    """The mean of a few numbers, by the sum alone: the method takes three times as long."""
    return float(np.add.reduce(lifts) / len(lifts))


def _median(lifts: Lifts) -> float:
    """The middle of some numbers; numpy's own takes many times as long."""
    ordered = np.sort(lifts)
    below, above = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return float(above - (above - below) * np.float32(0.5))
