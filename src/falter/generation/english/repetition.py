"""Words that a question says twice: "a surfing surfer", "What color is the apron, cream colored or black?".

Two words are the same here when their stems are: "colored" and "color". Of two things that are both asked for, each
keeps its words: "both a black dog and a black cat".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from falter.generation.english.ontology import Ontology
from falter.generation.english.open_slots import SlotValue
from falter.generation.scene import ObjectDescription

_WORD = re.compile(r"[a-z0-9']+")
_FUNCTION_WORDS = frozenset(
    {"a", "an", "the", "any", "no", "not", "neither", "nor", "either", "both", "and", "or", "is", "are", "was", "were",
     "be", "been", "do", "does", "did", "can", "could", "would", "will", "have", "has", "had", "there", "it", "this",
     "that", "these", "those", "who", "which", "what", "how", "you", "i", "of", "to", "in", "on", "at", "by", "as",
     "with", "for", "from", "into", "onto", "here", "anyone", "one", "more", "than", "s"}
)  # fmt: skip
_ENDINGS = ("ing", "ers", "er", "ed", "en", "es", "s", "y")
_SHORTEST = 3
_DOUBLED = frozenset({"bb", "dd", "gg", "mm", "nn", "pp", "tt"})


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """What is left of a word without its endings.

    >>> [stem(word) for word in ("surfer", "surfing", "colored", "sitting", "waving", "wave", "grassy", "grass")]
    ['surf', 'surf', 'color', 'sit', 'wav', 'wav', 'grass', 'grass']
    """
    while True:
        ending = next(
            (one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) >= _SHORTEST and word[-2:] != "ss"),
            None,
        )
        if ending is None:
            return word.removesuffix("e") if len(word) > _SHORTEST else word
        word = word.removesuffix(ending)
        if word[-2:] in _DOUBLED:
            word = word[:-1]


@lru_cache(maxsize=65536)
def content_stems(text: str) -> frozenset[str]:
    """The stems of a text's words, but for those that carry grammar alone."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in _FUNCTION_WORDS)


@lru_cache(maxsize=65536)
def slot_stems(value: SlotValue) -> frozenset[str]:
    """The stems of what a slot says."""
    if isinstance(value, ObjectDescription):
        return content_stems(" ".join(_words(value)))
    if isinstance(value, tuple):
        return content_stems(" ".join(value))
    return content_stems(value) if isinstance(value, str) else frozenset()


def _words(description: ObjectDescription) -> Iterable[str]:
    yield from description.attributes
    yield description.kind
    if description.relation is not None:
        yield description.relation.name
        yield from _words(description.relation.to)


def says_twice(slots: Mapping[str, SlotValue], ontology: Ontology) -> bool:
    """Whether the parts of a question repeat one another, whichever template says them.

    Each thing is looked at alone; what is asked of it, a value or the choices, is held against its words.
    """
    described: list[ObjectDescription] = []
    asked: list[SlotValue] = []
    for name, value in slots.items():
        if isinstance(value, ObjectDescription):
            if _repeats_itself(value, ontology):
                return True
            described.append(value)
        elif name != "f" and isinstance(value, (str, tuple)):
            asked.append(value)
    for value in asked:
        stems = slot_stems(value)
        for one in described:
            if not stems.isdisjoint(slot_stems(one)):
                return True
    return False


@lru_cache(maxsize=65536)
def _repeats_itself(description: ObjectDescription, ontology: Ontology) -> bool:
    """Whether a noun phrase says a word twice, or one family of meaning: "standing horses that are lying down"."""
    noun = content_stems(description.kind)
    attributes = [content_stems(value) for value in description.attributes]
    said = [noun, *attributes]
    if description.relation is not None:
        target = description.relation.to
        said.append(content_stems(description.relation.name))
        # A batter may hold a bat, and a baseball player a baseball glove: names are compared by their last word.
        if description.kind.split()[-1] == target.kind.split()[-1] or _repeats_itself(target, ontology):
            return True
        beyond = slot_stems(target)
        if any(not one.isdisjoint(beyond) for one in said[1:]):
            return True
    if sum(map(len, said)) != len(frozenset().union(*said)):
        return True
    return any(_told_besides(description, value, ontology) for value in description.attributes)


def _told_besides(description: ObjectDescription, value: str, ontology: Ontology) -> bool:
    """Whether the noun, the relation or another attribute tells of the family that an attribute is of."""
    by_value = ontology.attributes.families_by_value
    for name in by_value.get(value, ()):
        family = ontology.families[name]
        families = {name, *family.told_by}
        others = [other for other in description.attributes if other != value]
        if description.relation is not None:
            others += description.relation.name.split()
        if any(other in families for word in others for other in by_value.get(word, ())):
            return True
        if family.told_by and not content_stems(description.kind).isdisjoint(_value_stems(name, ontology)):
            return True
    return False


@lru_cache(maxsize=1024)
def _value_stems(family: str, ontology: Ontology) -> frozenset[str]:
    return content_stems(" ".join(ontology.families[family].values))
