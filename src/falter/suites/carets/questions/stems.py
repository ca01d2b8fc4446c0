"""Words that share a stem: who names the one tells of the other."""

from __future__ import annotations

from functools import lru_cache

from falter.english import Ontology

__all__ = ["gear_of", "names_a_value"]

_STEM, _SHORTEST_STEM = 4, 3
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
