"""What people ask for, and by which words they speak of it.

A bus is called a vehicle, a boat hardly, and nothing an accessory.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import NamedTuple

from falter.core.lazy_dict import LazyDict
from falter.generation.askable import rules
from falter.generation.askable.likeness import way_of
from falter.generation.cooccurrence import ImageCounts
from falter.generation.english import Ontology
from falter.generation.scene import ObjectDescription, SceneObject

UNSAID = rules.words("unsaid-values")
SELDOM_ALONE = rules.group("seldom-alone")
_OF_A_MOMENT = rules.group("families-of-a-moment")
_COLLECTIONS = rules.words("collections")
_LITTLE_SAID = rules.group("little-said")
_ON_SOMEBODY = rules.words("on-somebody")
_PARTS = rules.words("parts")
_BODY_WITH_COLOR = rules.words("body-parts-with-color")
_SAID_BY_ALL = rules.whole("said-by-all")
_SAID_OFTEN = rules.whole("said-often")
_SAID_SHARE = rules.number("said-share")
_FEW_BELOW = rules.whole("few-kinds-below")


@lru_cache(maxsize=8192)
def is_nameable(kind: str, ontology: Ontology) -> bool:
    """Whether a kind is named in questions: not a part of a body, nor a word that says too little ("food")."""
    record = ontology.kinds[kind]
    return record.askable and not (record.vague or record.unspecific or ontology.is_a(kind, "body part"))


@lru_cache(maxsize=8192)
def named(name: str, ontology: Ontology) -> ObjectDescription | None:
    """A thing by its name alone; None where the vocabulary lacks the name, or it says too little to be asked about."""
    lexeme = ontology.lexeme(name)
    if lexeme is None:
        return None
    record = ontology.kinds[lexeme[0]]
    return ObjectDescription(lexeme[0], number=lexeme[1]) if record.askable and not record.vague else None


def _is_a_thing_by_itself(kind: str, ontology: Ontology) -> bool:
    """Whether a kind is of things by themselves, of which there may be none: not the sun, a wall, a place or a hand."""
    record = ontology.kinds[kind]
    return (
        record.askable
        and not record.vague
        and not record.unique
        and not ontology.is_backdrop(kind)
        and not ontology.is_a(kind, "place")
        and not ontology.is_a(kind, "body part")
    )


@lru_cache(maxsize=4096)
def asked_alone(kind: str, ontology: Ontology) -> bool:
    """Whether people ask if there is such a thing, by a word that says enough.

    Questions that are posed anew are about an animal or a vehicle too, which the ontology test needs.
    """
    return _is_a_thing_by_itself(kind, ontology) and not ontology.kinds[kind].unspecific


@lru_cache(maxsize=65536)
def asked_for(kind: str, ontology: Ontology) -> bool:
    """Whether people ask if there is such a thing in the place of another: no crowd, nor a word that is too wide.

    Where nouns replace each other, "a vehicle" beside "a car" would be odd, and so would "a herd" beside a cow.
    """
    return (
        _is_a_thing_by_itself(kind, ontology)
        and kind not in _LITTLE_SAID
        and not any(ontology.is_a(kind, above) for above in _COLLECTIONS)
    )


@lru_cache(maxsize=65536)
def is_ground(kind: str, ontology: Ontology) -> bool:
    """Whether it is a place or a cover that may be on one side of an image: a hill, a sidewalk, a blanket."""
    record = ontology.kinds[kind]
    fits = record.askable and not record.vague and not record.unique and kind not in _LITTLE_SAID
    return fits and (ontology.is_backdrop(kind) or ontology.is_a(kind, "place")) and not ontology.is_a(kind, "room")


@lru_cache(maxsize=8192)
def is_worn(kind: str, ontology: Ontology) -> bool:
    """Whether such things are where somebody is who has them, or everywhere: a shirt, a hand, the sky."""
    return ontology.is_backdrop(kind) or any(ontology.is_a(kind, above) for above in _ON_SOMEBODY)


@lru_cache(maxsize=8192)
def is_part(kind: str, ontology: Ontology) -> bool:
    """Whether things of a kind are part of others."""
    return any(ontology.is_a(kind, above) for above in _PARTS)


@lru_cache(maxsize=8192)
def parts_of(kind: str, ontology: Ontology) -> frozenset[str]:
    """The parts of a thing that are no things of their own, of which annotators name some: the tires of a car."""
    if ontology.is_a(kind, "place") and not ontology.is_a(kind, "building"):
        return frozenset()
    found = {part for above in ontology.ancestors(kind) for part in ontology.kinds[above].parts}
    return frozenset(part for part in found if is_part(part, ontology))


@lru_cache(maxsize=1024)
def tells_of_a_moment(value: str, ontology: Ontology) -> bool:
    """Whether a value is what somebody does or feels, or whether something is lit: nobody looks for a happy boy."""
    families = ontology.attributes.families_by_value.get(value, ())
    return ontology.attributes.is_doing(value) or not _OF_A_MOMENT.isdisjoint(families)


def values_to_say(thing: SceneObject, kind: str, ontology: Ontology) -> list[str]:
    """The annotated attributes that people would say before such a noun."""
    return [value for value in thing.attributes if ontology.is_natural(value, kind)]


@lru_cache(maxsize=8192)
def may_be_asked_for_color(one: ObjectDescription, ontology: Ontology) -> bool:
    """Whether something has a color that the words for it do not tell."""
    colors = ontology.families["color"].values
    if ontology.is_a(one.kind, "body part") and one.kind not in _BODY_WITH_COLOR:
        return False
    return ontology.family_applies_to("color", one.kind) and not any(value in colors for value in one.attributes)


class Speech(NamedTuple):
    """How people speak of a kind."""

    asked_for: bool
    is_ground: bool
    is_part: bool
    is_worn: bool
    nearby: tuple[str, ...]
    """Kinds of which one is probably near: whoever wears the hat."""
    is_plain: bool
    """Whether it is no part, and tells of nothing near."""


def _find_speech(kind: str, ontology: Ontology) -> Speech:
    part, nearby = is_part(kind, ontology), ontology.implies_nearby(kind)
    return Speech(
        asked_for(kind, ontology),
        is_ground(kind, ontology),
        part,
        is_worn(kind, ontology),
        nearby,
        not part and not nearby,
    )


@lru_cache(maxsize=8)
def speech_of_kinds(ontology: Ontology) -> Mapping[str, Speech]:
    """How people speak of the kinds of an ontology, each worked out when it is first asked for."""
    return LazyDict(partial(_find_speech, ontology=ontology))


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
