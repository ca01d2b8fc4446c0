"""Which kinds are of one sort, serve one use, or are near in meaning, and which words share a stem.

People ask for "a car or a truck", not for "a car or a person".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from falter.core.lazy_dict import LazyDict
from falter.generation.askable import rules
from falter.generation.english import Ontology

_TOO_WIDE = rules.group("too-wide")
_FOR_EATING = rules.group("for-eating")
_STREET_FURNITURE = rules.group("street-furniture")
_TABLE_USES = tuple(map(frozenset, rules.groups("table-uses").values()))
_KINDS_BY_WAY = rules.groups("ways")
_STEM = rules.whole("shared-stem")
_SHORTEST_STEM = rules.whole("shortest-stem")
_SPORT = "sport"


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


@lru_cache(maxsize=65536)
def near_in_meaning(first: str, second: str, ontology: Ontology) -> float:
    """How near two kinds are: by the share of wider kinds and of words that they have in common, from 0 to 1."""
    if first not in ontology.kinds or second not in ontology.kinds:
        return 0.0
    above, other = ontology.ancestors(first), ontology.ancestors(second)
    words, others = _words_of(first), _words_of(second)
    wider, said = len(above & other), len(words & others)
    shared = wider / (len(above) + len(other) - wider)
    return 0.75 * shared + 0.25 * said / (len(words) + len(others) - said)


@lru_cache(maxsize=8192)
def _words_of(kind: str) -> frozenset[str]:
    return frozenset(kind.split())


@lru_cache(maxsize=8192)
def nearness_to(kind: str, ontology: Ontology) -> Mapping[str, float]:
    """How near each kind is in meaning to one; what is a backdrop is further than all else."""
    return LazyDict(lambda other: near_in_meaning(kind, other, ontology) - ontology.is_backdrop(other))


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
