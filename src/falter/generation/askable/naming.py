"""By which words people speak of things, and between which two they choose.

A bus is called a vehicle, a boat hardly, and nothing an accessory. People ask for "a car or a truck", not for "a car
or a person". Who names a word tells of those that share its stem.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from falter.generation.askable import rules
from falter.generation.cooccurrence import ImageCounts
from falter.generation.english import Ontology

__all__ = [
    "UNSAID",
    "WiderWords",
    "are_of_one_kind",
    "gear_of",
    "is_nameable",
    "names_a_value",
    "serve_one_use",
    "tells_of_a_moment",
    "way_of",
]

UNSAID = rules.words("unsaid-values")
_OF_A_MOMENT = rules.group("families-of-a-moment")


@lru_cache(maxsize=8192)
def is_nameable(kind: str, ontology: Ontology) -> bool:
    """Whether a kind is named in questions: not a part of a body, nor a word that says too little ("food")."""
    record = ontology.kinds[kind]
    return record.askable and not (record.vague or record.unspecific or ontology.is_a(kind, "body part"))


@lru_cache(maxsize=1024)
def tells_of_a_moment(value: str, ontology: Ontology) -> bool:
    """Whether a value is what somebody does or feels, or whether something is lit: nobody looks for a happy boy."""
    families = ontology.attributes.families_by_value.get(value, ())
    return ontology.attributes.is_doing(value) or not _OF_A_MOMENT.isdisjoint(families)


_TOO_WIDE = rules.group("too-wide")
_FOR_EATING = rules.group("for-eating")
_STREET_FURNITURE = rules.group("street-furniture")
_TABLE_USES = tuple(map(frozenset, rules.groups("table-uses").values()))
_KINDS_BY_WAY = rules.groups("ways")


@lru_cache(maxsize=4096)
def way_of(kind: str, ontology: Ontology) -> str | None:
    """What vehicles of a kind move on; None of other kinds."""
    return next((way for way, kinds in _KINDS_BY_WAY.items() if any(ontology.is_a(kind, one) for one in kinds)), None)


@lru_cache(maxsize=65536)
def are_of_one_kind(first: str, second: str, ontology: Ontology) -> bool:
    """Whether two kinds are of one near kind, such as animals or furniture, or of one set.

    A set are the fixtures of a room, what a table is laid with, and what stands at the edge of streets. A train, a boat
    and a car are not of one kind.
    """
    one, other = _sort_of(first, ontology), _sort_of(second, ontology)
    return one.way == other.way and not (
        one.near_kinds.isdisjoint(other.near_kinds)
        and one.rooms.isdisjoint(other.rooms)
        and one.sets.isdisjoint(other.sets)
    )


class _Sort(NamedTuple):
    """What a kind has in common with others that are of one near kind with it."""

    way: str | None
    near_kinds: frozenset[str]
    """Those it belongs to that say enough of it."""
    rooms: frozenset[str]
    sets: frozenset[frozenset[str]]


@lru_cache(maxsize=4096)
def _sort_of(kind: str, ontology: Ontology) -> _Sort:
    above = ontology.ancestors(kind)
    sets = frozenset(one for one in (_FOR_EATING, _STREET_FURNITURE) if not one.isdisjoint(above))
    return _Sort(way_of(kind, ontology), above - _TOO_WIDE, ontology.rooms(kind), sets)


@lru_cache(maxsize=65536)
def serve_one_use(first: str, second: str, ontology: Ontology) -> bool:
    """Whether people would choose between two kinds of one near kind; of what a table is laid with, for one use."""
    one, other = ontology.ancestors(first), ontology.ancestors(second)
    if _FOR_EATING.isdisjoint(one) and _FOR_EATING.isdisjoint(other):
        return are_of_one_kind(first, second, ontology)
    if "cookware" in one and "cookware" in other:
        return True
    return any(not use.isdisjoint(one) and not use.isdisjoint(other) for use in _TABLE_USES)


_SAID_BY_ALL = rules.whole("said-by-all")
_SAID_OFTEN = rules.whole("said-often")
_SAID_SHARE = rules.number("said-share")
_FEW_BELOW = rules.whole("few-kinds-below")


class WiderWords:
    """The wider words that people say, by what they say of images; each is worked out once."""

    def __init__(self, ontology: Ontology, counts: ImageCounts) -> None:
        self._ontology = ontology
        self._counts = counts
        self._said: dict[str, bool] = {}

    def is_said(self, wider: str) -> bool:
        """Whether people call things by a wider word: an animal, a vehicle, a fruit, but hardly an accessory.

        They do where the word is said much, or much for all the kinds below it, or of two or three kinds.
        """
        known = self._said.get(wider)
        if known is None:
            counts = self._counts.kinds
            below = [kind for kind in self._ontology.descendants[wider] if counts[kind]]
            said, of_kinds = counts[wider], sum(counts[kind] for kind in below)
            known = self._said[wider] = said >= _SAID_BY_ALL or (
                said >= _SAID_OFTEN and (said >= _SAID_SHARE * of_kinds or len(below) <= _FEW_BELOW)
            )
        return known

    def is_said_of(self, kind: str, wider: str) -> bool:
        """Whether people call things of a kind by a wider word.

        They think of roads at "vehicle": they say it in 6.6 % of the images with cars, buses, trucks or motorcycles,
        and in 2.0 % of those with boats, trains or airplanes.
        """
        return way_of(kind, self._ontology) == way_of(wider, self._ontology) and self.is_said(wider)


_STEM = rules.whole("shared-stem")
_SHORTEST_STEM = rules.whole("shortest-stem")
_SPORT = "sport"


@lru_cache(maxsize=65536)
def names_a_value(word: str, family: str, ontology: Ontology) -> bool:
    """Whether a word has the stem of one of a family's values, as "surfer" and "surfboard" have that of "surfing"."""
    return any(_share_stem(word, part) for value in ontology.families[family].values for part in value.split())


@lru_cache(maxsize=4096)
def gear_of(value: str, ontology: Ontology) -> frozenset[str]:
    """The kinds that a sport is named after, as the skateboard; none for other values."""
    sport = ontology.families.get(_SPORT)
    if sport is None or value not in sport.values:
        return frozenset()
    return frozenset(kind for kind in ontology.kinds if any(_share_stem(value, word) for word in kind.split()))


def _share_stem(one: str, other: str) -> bool:
    shorter, longer = sorted((_stem(one), _stem(other)), key=len)
    return shorter == longer or (len(shorter) >= _STEM and longer.startswith(shorter))


def _stem(word: str) -> str:
    for ending in ("s", "ing", "er"):
        if len(word) - len(ending) >= _SHORTEST_STEM:
            word = word.removesuffix(ending)
    return word
