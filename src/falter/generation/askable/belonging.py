"""Whether a kind belongs in an image: with the kinds there that tell most of the setting, by counts of images."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from falter.generation.askable import rules
from falter.generation.cooccurrence.plausibility import Plausibility
from falter.generation.english import Ontology

_STRENGTH = rules.number("prior-images")
_LEAST_RATIO = rules.number("likeness-least-ratio")
_CHANCE_LIKENESS = rules.number("likeness-of-chance")
_STEEPNESS = rules.number("likeness-steepness")
_COUNTED = rules.whole("counted-images")
_TELLING = rules.whole("telling-kinds")
_HIGHEST = rules.whole("highest-lifts")
_SHARE = rules.number("no-surprise-share")
_SHARE_EACH = rules.number("no-surprise-share-each")
_DECIMALS = 3
_PERSON = "person"
_FEWEST_OTHERS = rules.whole("fewest-others")
_TELL_NO_SETTING = rules.words("tells-no-setting", "weighted")

Table = NDArray[np.float32]


class Floor(NamedTuple):
    """What is asked of a kind: its weighted mean lift with the telling kinds, and the lift with each of them."""

    mean: float
    alone: float
    """Added to the mean, divided by the number of telling kinds: the fewer there are, the more each must say."""
    each: float
    best: float
    """The highest of its lifts with the telling kinds, as a share of the mean of its own ten highest lifts."""
    share: float = 0.0
    """The share of such images that have it, by its mean lift."""
    people: float = -np.inf
    """Its lift with people, where there are some."""
    share_alone: float = 0.0
    """Added to the share, divided by the number of telling kinds."""


ABSENCE = Floor(**rules.numbers("floor-of-absence"))
"""For what is asked for and is not there."""
SIBLING = Floor(**rules.numbers("floor-of-siblings"))
"""The same for what is of one kind with something that is there."""
OFFER = Floor(**rules.numbers("floor-of-offers"))
"""For what something that is there might be instead."""


class _Beside(NamedTuple):
    """Of every kind its lifts with those that tell of an image: their weighted mean, the lowest and the highest."""

    mean: Table
    lowest: Table
    highest: Table


class Belonging:
    """Kinds that belong together, also such as were hardly ever counted together.

    Two kinds are *alike* as far as the same kinds occur with both of them more often than by chance: a toaster and an
    oven, not a toaster and a zebra. How often alike kinds occur together, over chance, is added as images to what was
    counted of two kinds. Of kinds that are of one sort (a ski, a skateboard) each may stand where the other does, so
    their likeness adds no more than chance.
    """

    def __init__(self, plausibility: Plausibility, ontology: Ontology) -> None:
        self.kinds = plausibility.kinds
        self._plausibility = plausibility
        self._ontology = ontology
        self.places = {kind: place for place, kind in enumerate(self.kinds)}
        self._latest: tuple[frozenset[str], list[int]] = (frozenset(), [])
        self._latest_beside: tuple[list[int] | None, _Beside] = (None, _Beside(*[np.zeros(0, dtype=np.float32)] * 3))

    @cached_property
    def lifts(self) -> Table:
        """The logarithm of how often every two kinds occur together, over chance."""
        seen, together = self._plausibility.tables.seen, self._plausibility.tables.together
        ratio = _ratio(self._profile, self._profile)
        ratio = np.where(self._of_one_sort | (together == 0.0), np.minimum(ratio, 1.0), ratio)
        return _lifts(together, self._chance(seen), ratio)

    @cached_property
    def value_lifts(self) -> Table:
        """The same of every value that is said of anything with every kind, in the order of the scores' values."""
        said, together = self._plausibility.tables.value_seen, self._plausibility.tables.value_together
        profile = _profile(together, self._chance(said), self._tells)
        return _lifts(together, self._chance(said), _ratio(profile, self._profile))

    def _chance(self, often: Table) -> Table:
        """In how many images things that occur so often are with each kind by chance."""
        chance: Table = np.outer(often, self._plausibility.tables.seen) / np.float32(
            max(self._plausibility.counts.images, 1)
        )
        return chance

    @cached_property
    def _profile(self) -> Table:
        """For each kind what occurs with it more often than by chance, by setting."""
        together = self._plausibility.tables.together.copy()
        np.fill_diagonal(together, 0.0)
        return _profile(together, self._chance(self._plausibility.tables.seen), self._tells)

    @cached_property
    def _tells(self) -> NDArray[np.bool_]:
        """Which kinds tell something of a setting."""
        ontology = self._ontology
        return np.array(
            [
                not (ontology.kinds[kind].vague or any(ontology.is_a(kind, above) for above in _TELL_NO_SETTING))
                for kind in self.kinds
            ],
            dtype=np.bool_,
        )

    @cached_property
    def _of_one_sort(self) -> NDArray[np.bool_]:
        """Whether two kinds have a wider kind in common that people ask for."""
        wider = [
            {above for above in self._ontology.ancestors(kind) if self._ontology.kinds[above].askable}
            for kind in self.kinds
        ]
        names = sorted(set().union(*wider)) if wider else []
        place = {name: number for number, name in enumerate(names)}
        member = np.zeros((len(self.kinds), len(names)), dtype=np.float32)
        for row, above in enumerate(wider):
            member[row, [place[name] for name in above]] = 1.0
        return np.asarray(member @ member.T > 0.0)

    @cached_property
    def _weights(self) -> Table:
        """How much each kind tells of its setting: how far apart the other kinds are in their lift with it."""
        counted = self._plausibility.tables.seen >= _COUNTED
        weights: Table = (self.lifts[counted] if counted.any() else self.lifts).std(axis=0)
        return np.where(counted & self._tells, np.round(weights, _DECIMALS), 0.0).astype(np.float32)

    @cached_property
    def _highest(self) -> Table:
        """The mean of the highest lifts of each kind with those that tell something."""
        counted = np.flatnonzero(self._weights)
        if not len(counted):
            return np.zeros(len(self.kinds), dtype=np.float32)
        highest = np.sort(self.lifts[:, counted], axis=1)[:, -_HIGHEST:]
        means: Table = np.round(highest.mean(axis=1), _DECIMALS).astype(np.float32)
        return means

    def belonging(self, present: Iterable[str], floor: Floor = ABSENCE) -> dict[str, float]:
        """The kinds that belong where others are, each with its mean lift."""
        present = frozenset(present)
        telling = self._telling(present)
        if not telling:
            return {}
        beside = self._beside(present)
        mean = beside.mean
        fits = (mean >= floor.mean + floor.alone / len(telling)) & (beside.highest >= floor.best * self._highest)
        fits &= beside.lowest >= floor.each
        fits &= self._share * np.exp(mean) >= floor.share + floor.share_alone / len(telling)
        if _PERSON in self.places and any(self._ontology.is_a(kind, _PERSON) for kind in present):
            fits &= self.lifts[:, self.places[_PERSON]] >= floor.people
        return {self.kinds[place]: float(mean[place]) for place in np.flatnonzero(fits)}

    @cached_property
    def _share(self) -> Table:
        """The share of all images that have each kind."""
        share: Table = self._plausibility.tables.seen / np.float32(max(self._plausibility.counts.images, 1))
        return share

    def usual(self, present: Iterable[str]) -> frozenset[str]:
        """The kinds that are in so many images of this sort that nobody wonders about them, whatever their lift."""
        present = frozenset(present)
        if not self._telling(present):
            return frozenset()
        beside = self._beside(present)
        often = self._share * np.exp(beside.mean) >= _SHARE
        often &= self._share * np.exp(beside.lowest) >= _SHARE_EACH
        return frozenset(self.kinds[place] for place in np.flatnonzero(often))

    def tells(self, kind: str) -> bool:
        """Whether a kind tells something of a setting."""
        return kind in self.places and float(self._weights[self.places[kind]]) > 0.0

    def mean(self, present: Iterable[str]) -> Table:
        """The mean lift of every kind with the telling ones of those that are present, weighted by what they tell."""
        return self._beside(frozenset(present)).mean

    def _beside(self, present: frozenset[str]) -> _Beside:
        """The lifts of every kind with the telling ones of those that are present; those of one image come together."""
        telling = self._telling(present)
        asked, known = self._latest_beside
        if asked is not telling:
            if telling:
                lifts = self._lifts_with[telling]
                weights = self._weights[telling]
                mean = (lifts * weights[:, None]).sum(axis=0) / weights.sum()
                known = _Beside(mean, lifts.min(axis=0), lifts.max(axis=0))
            else:
                known = _Beside(*[np.zeros(len(self.kinds), dtype=np.float32)] * 3)
            self._latest_beside = telling, known
        return known

    @cached_property
    def _lifts_with(self) -> Table:
        """For each kind the lifts of all with it, which lie together in memory."""
        return np.ascontiguousarray(self.lifts.T)

    def of_kind(self, kind: str, present: Iterable[str]) -> float:
        """The weighted mean lift of a kind with the telling ones of the others; 0 where these are few."""
        place = self.places.get(kind)
        telling = [one for one in self._telling(frozenset(present)) if one != place]
        if place is None or len(telling) < _FEWEST_OTHERS:
            return 0.0
        weights = self._weights[telling]
        return float((self.lifts[place, telling] * weights).sum() / weights.sum())

    def lift(self, first: str, second: str) -> float:
        """How much more often two kinds occur together than by chance; 0 where one of them was never counted."""
        one, other = self.places.get(first), self.places.get(second)
        return 0.0 if one is None or other is None else float(self.lifts[one, other])

    def lifts_of(self, kind: str, others: Sequence[str]) -> dict[str, float]:
        """The same of a kind with each of some others."""
        one, places = self.places.get(kind), self.places
        if one is None:
            return dict.fromkeys(others, 0.0)
        row = self.lifts[one]
        return {other: 0.0 if (place := places.get(other)) is None else float(row[place]) for other in others}

    def likeness(self, first: str, second: str) -> float:
        """How much what occurs with two kinds is the same, 0 to 1; 0 where one of them was never counted."""
        one, other = self.places.get(first), self.places.get(second)
        return 0.0 if one is None or other is None else round(float(self._profile[one] @ self._profile[other]), 4)

    def of_value(self, value: str, present: Iterable[str]) -> float:
        """The weighted mean lift of a value with the telling kinds; 0 where nothing is known."""
        telling, place = self._telling(frozenset(present)), self._plausibility.tables.value_place.get(value)
        if place is None or not telling:
            return 0.0
        weights = self._weights[telling]
        return float((self.value_lifts[place, telling] * weights).sum() / weights.sum())

    def _telling(self, present: frozenset[str]) -> list[int]:
        if self._latest[0] != present:
            here = [self.places[kind] for kind in sorted(present) if kind in self.places]
            telling = (place for place in here if self._weights[place] > 0.0)
            self._latest = present, sorted(telling, key=lambda one: -self._weights[one])[:_TELLING]
        return self._latest[1]


def _profile(together: Table, chance: Table, tells: NDArray[np.bool_]) -> Table:
    """What occurs with each of the rows more often than by chance, each row of length 1."""
    profile = np.maximum(np.log((together + 1.0) / (chance + 1.0)), 0.0) * tells
    return np.asarray(profile / np.maximum(np.linalg.norm(profile, axis=1, keepdims=True), 1e-6), dtype=np.float32)


def _ratio(one: Table, other: Table) -> Table:
    """How many times chance two rows occur together by how alike their surroundings are."""
    likeness = np.maximum(one @ other.T, 0.0)
    return np.asarray(_LEAST_RATIO + (likeness / _CHANCE_LIKENESS) ** _STEEPNESS, dtype=np.float32)


def _lifts(together: Table, chance: Table, ratio: Table) -> Table:
    lifts = np.log((together + _STRENGTH * ratio) / (chance + _STRENGTH))
    # A product of matrices may differ in its last digits from machine to machine.
    rounded: Table = np.round(lifts, _DECIMALS).astype(np.float32)
    return rounded
