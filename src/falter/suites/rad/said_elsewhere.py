"""What is said of things in other images: the counts of co-occurrence that questions are drawn by."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from falter.cooccurrence import ImageCounts, load_table
from falter.english import default_grammar
from falter.english.open_slots import open_phrases

__all__ = ["images_with", "said_of"]


@lru_cache(maxsize=1)
def _counts() -> ImageCounts:
    return load_table().draw


@lru_cache(maxsize=1)
def _said_in_all() -> Counter[str]:
    colors = default_grammar().ontology.families["color"].values
    found: Counter[str] = Counter()
    for (kind, value), count in _counts().attributes.items():
        if value in colors:
            found[kind] += count
    return found


@lru_cache(maxsize=65536)
def said_of(noun: str, answer: str) -> tuple[int, int]:
    """How often a color is said of a noun, and how often any is; 0 of what is no color, or of an unknown noun."""
    ontology = default_grammar().ontology
    kind, value = ontology.kind_for_name(noun), open_phrases(ontology).lexicon.attribute(answer)
    if kind is None or value is None or value not in ontology.families["color"].values:
        return 0, 0
    return _counts().attributes[kind, value], _said_in_all()[kind]


@lru_cache(maxsize=8192)
def images_with(name: str) -> int | None:
    """How many images have a kind; None where the name is none."""
    kind = default_grammar().ontology.kind_for_name(name)
    return None if kind is None else _counts().kinds[kind]
