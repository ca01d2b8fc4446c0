"""How plausible a kind, an attribute or a relation is where other things are, by counts of images."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from falter.core.lazy_dict import LazyDict
from falter.generation.cooccurrence.count_tables import CountTables, Lifts, PairWithoutOne, find_lift, mark_kinds
from falter.generation.cooccurrence.counts import ImageCounts
from falter.generation.cooccurrence.kinds_beside import KindsBeside, find_mean
from falter.generation.cooccurrence.mentions import ImageContents
from falter.generation.english import Ontology

_FIRST = 64
"""How many of the most plausible kinds are looked at before all others; it changes the speed alone."""


class Plausibility:
    """Scores by one set of counts; 0 is what chance would give, and what nothing is known of.

    A kind's score beside others is its mean lift with each of them. What the counts give is in :class:`CountTables`,
    which the scores without an image share; what is known of the kinds that are asked about, mostly all of one image,
    is in :class:`KindsBeside`.
    """

    def __init__(
        self,
        counts: ImageCounts,
        ontology: Ontology,
        *,
        tables: CountTables | None = None,
        left_out: ImageContents | None = None,
    ) -> None:
        self.counts = counts
        self.tables = CountTables(counts, ontology) if tables is None else tables
        self.kinds = self.tables.kinds
        self._ontology = ontology
        self._left_out = left_out
        self._asked: frozenset[str] | None = None
        self._latest = KindsBeside([], self.tables, left_out)
        self._rows: tuple[NDArray[np.intp] | None, dict[tuple[int, bool | None], Lifts]] = (None, {})

    def without(self, said: ImageContents) -> Plausibility:
        """The scores as if an image that is among those counted were not; what this image has is ``said``."""
        other = Plausibility(self.counts, self._ontology, tables=self.tables, left_out=said)
        other._rows = self._rows
        return other

    def _beside(self, kinds: Iterable[str]) -> KindsBeside:
        # What is in an image is asked about again and again.
        if kinds is self._asked:
            return self._latest
        place = self.tables.place
        places = [place[kind] for kind in sorted(set(kinds)) if kind in place]
        if places != self._latest.places:
            self._latest = KindsBeside(places, self.tables, self._left_out)
        self._asked = kinds if isinstance(kinds, frozenset) else None
        return self._latest

    def _is_left_out(self, kind: str) -> bool:
        """Whether the image that does not count has a kind."""
        return self._left_out is not None and kind in self._left_out.kinds

    def frequency(self, kind: str) -> int:
        """How many images have a kind."""
        return self.counts.kinds[kind] - self._is_left_out(kind)

    @cached_property
    def frequencies(self) -> NDArray[np.float64]:
        """How many images have each of the kinds, as ``frequency`` has it."""
        left_out = () if self._left_out is None else self._left_out.kinds
        return self.tables.seen.astype(np.float64) - mark_kinds(left_out, self.tables)

    def of_kind(self, kind: str, beside: Iterable[str]) -> float:
        """How plausible a kind is in an image that has others; itself and what it implies do not count."""
        place = self.tables.place.get(kind)
        if place is None:
            return 0.0
        others = self._beside(beside)
        counted = others.places
        if others.may_be(kind):
            meeting = self._ontology.kinds_meeting(kind)
            counted = [other for other in counted if self.kinds[other] not in meeting]
        if not counted:
            return 0.0
        if self._is_left_out(kind) and others.are_left_out:
            # Two kinds that the image has are as plausible together either way.
            return find_mean(self.tables.lift_of_two_here[place][counted])
        if counted is others.places and place in others.best:
            return others.best[place]
        return find_mean(others.lifts_of(place, counted))

    def of_two(self, first: str, second: str) -> float:
        """How plausible two kinds are together; 0 for two that one object may be."""
        place = self.tables.place
        if first not in place or second not in place or not self._ontology.are_disjoint(first, second):
            return 0.0
        if self._left_out is None:
            return float(self.tables.lift[place[first], place[second]])
        pair = PairWithoutOne(first, second, self._is_left_out(first), self._is_left_out(second))
        return self.tables.lift_of_pair_without_one(pair)

    def with_each(self, other: str) -> Mapping[str, float]:
        """How plausible each kind is together with another, as ``of_two`` has it; worked out when first asked."""
        return LazyDict(partial(self.of_two, second=other))

    def of_attribute(self, kind: str, value: str) -> float:
        """How much more often a value is said of a kind than chance would give."""
        return find_lift(self.times_said(kind, value), self.tables.chance_of_value(kind, value))

    def times_said(self, kind: str, value: str) -> int:
        """In how many images a value is said of a kind."""
        left_out = self._left_out is not None and (kind, value) in self._left_out.attributes
        return self.counts.attributes.get((kind, value), 0) - left_out

    def of_value(self, value: str, beside: Iterable[str]) -> float:
        """How plausible a value of anything is in an image that has these kinds: skiing and snow, not skiing and bowls.

        It is the mean lift of the value with each of the kinds.
        """
        place, others = self.tables.value_place.get(value), self._beside(beside)
        return 0.0 if place is None or not others.places else float(others.value_scores[place])

    def of_relation(self, kind: str, relation: str, target: str) -> float:
        """How much more often a kind has a relation to another than chance would give."""
        chance = self.tables.chance_of_relation(kind, relation, target)
        return find_lift(self.times_related(kind, relation, target), chance)

    def times_related(self, kind: str, relation: str, target: str) -> int:
        """In how many images a kind is said to have a relation to another."""
        left_out = self._left_out is not None and (kind, relation, target) in self._left_out.relations
        return self.counts.relations.get((kind, relation, target), 0) - left_out

    def most_plausible(
        self,
        beside: Iterable[str],
        allowed: Callable[[str], bool],
        *,
        least: int,
        most: int,
        among: NDArray[np.intp] | None = None,
        fitting: NDArray[np.bool_] | None = None,
    ) -> list[str]:
        """The kinds that are most plausible beside others, best first, of those that are allowed.

        They are those at least as plausible as the kinds that are there commonly are beside each other; ``least`` of
        them in any case, and ``most`` at most. ``among`` are the places in :attr:`kinds` of those that are looked at,
        scored as if the image that is left out had none of them; None looks at all. ``fitting`` says which of these.
        """
        others = self._beside(beside)
        if among is None:
            places = np.arange(len(self.kinds))
            scores, enough = others.ranking
        else:
            places = among if fitting is None else among[fitting]
            scores, enough = self._scores_among(among, fitting, others.places), others.usual_score
        order = np.argsort(-scores, kind="stable")
        best: dict[int, float] = {}
        others.best = best
        # The first ones are mostly enough.
        for part in (order[:_FIRST], order[_FIRST:]):
            for place, score in zip(places[part].tolist(), scores[part].tolist(), strict=True):
                if len(best) == most or (len(best) >= least and score < enough):
                    break
                if allowed(self.kinds[place]):
                    best[place] = score
            else:
                continue
            break
        return [self.kinds[place] for place in best]

    def _scores_among(self, places: NDArray[np.intp], fitting: NDArray[np.bool_] | None, others: list[int]) -> Lifts:
        """The scores of some kinds beside others, as if the image that is left out had none of them."""
        if not others:
            return np.zeros(len(places) if fitting is None else int(fitting.sum()), dtype=np.float32)
        # Most images are asked about the same places.
        asked, rows = self._rows
        if asked is not places:
            rows = {}
            self._rows = places, rows
        each: list[Lifts] = []
        for other in others:
            is_here = None if self._left_out is None else self._is_left_out(self.kinds[other])
            row = rows.get((other, is_here))
            if row is None:
                lifts = (
                    self.tables.lift[other]
                    if is_here is None
                    else self.tables.lifts_without_one(other, is_here=is_here).away
                )
                row = rows[other, is_here] = lifts[places]
            each.append(row)
        table = np.array(each) if fitting is None else np.array(each)[:, fitting]
        return np.asarray(np.add.reduce(np.ascontiguousarray(table.T), axis=1) / np.float32(len(others)))

    def of_all_with(self, others: Sequence[str], among: NDArray[np.intp]) -> NDArray[np.float64]:
        """How plausible some kinds are together with each of some that are counted, as ``of_two`` has it.

        ``among`` are their places in :attr:`kinds`. It is as if the image that is left out had none of them.
        """
        tables = self.tables
        columns = [tables.place[other] for other in others]
        if self._left_out is None:
            lifts = tables.lift[columns][:, among].astype(np.float64)
            for row, column in enumerate(columns):
                lifts[row] *= tables.apart_from(column)[among]
            return lifts
        is_here = [self._is_left_out(other) for other in others]
        scores = zip(columns, is_here, strict=True)
        return np.array([tables.scores_without_one(column, is_here=here)[among] for column, here in scores])

    def seen_with(self, others: Sequence[str], among: NDArray[np.intp]) -> NDArray[np.float32]:
        """How many of all the images counted have some kinds, by their places, and each of some others."""
        return self.tables.together[[self.tables.place[other] for other in others]][:, among]
