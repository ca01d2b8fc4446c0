"""What people ask about, and by which words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from falter.generation.askable import rules
from falter.generation.askable.placement import SIDES
from falter.generation.english import Ontology
from falter.generation.scene import Exists, ObjectDescription, Query, RelationHolds, Scene, SceneObject

__all__ = [
    "SELDOM_ALONE",
    "RelatedKinds",
    "asked_for",
    "carried_in",
    "is_ground",
    "is_part",
    "is_worn",
    "may_be_asked_for_color",
    "named",
    "near_in_meaning",
    "nearness_to",
    "parts_of",
    "related_kinds",
    "sensible",
    "speech_of_kinds",
    "values_to_say",
]

_CARRIED_BY = rules.words("carried-by")
_ON_SOMEBODY = rules.words("on-somebody")
_DOERS = list(rules.words("doers"))
_PARTS = rules.words("parts")
_BODY_WITH_COLOR = rules.words("body-parts-with-color")
_DONE = rules.words("doing-relations", "with clothes")
_COLLECTIONS = rules.words("collections")
_LITTLE_SAID = rules.group("little-said")
SELDOM_ALONE = rules.group("seldom-alone")


class RelatedKinds(NamedTuple):
    """A relation that a question asks about, and the kinds on its two sides."""

    subject: str
    relation: str
    target: str


@lru_cache(maxsize=8192)
def named(name: str, ontology: Ontology) -> ObjectDescription | None:
    """A thing by its name alone; None where the vocabulary lacks the name, or it says too little to be asked about."""
    lexeme = ontology.lexeme(name)
    if lexeme is None:
        return None
    record = ontology.kinds[lexeme[0]]
    return ObjectDescription(lexeme[0], number=lexeme[1]) if record.askable and not record.vague else None


@lru_cache(maxsize=65536)
def asked_for(kind: str, ontology: Ontology) -> bool:
    """Whether people ask if there is such a thing: not of the sun, a wall, a place, or a part of a body."""
    record = ontology.kinds[kind]
    return (
        record.askable
        and not record.vague
        and not record.unique
        and not ontology.is_backdrop(kind)
        and not ontology.is_a(kind, "place")
        and not ontology.is_a(kind, "body part")
        and not any(ontology.is_a(kind, above) for above in _COLLECTIONS)
        and kind not in _LITTLE_SAID
    )


@lru_cache(maxsize=65536)
def is_ground(kind: str, ontology: Ontology) -> bool:
    """Whether it is a place or a cover that may be on one side of an image: a hill, a sidewalk, a blanket."""
    record = ontology.kinds[kind]
    fits = record.askable and not record.vague and not record.unique and kind not in _LITTLE_SAID
    return fits and (ontology.is_backdrop(kind) or ontology.is_a(kind, "place")) and not ontology.is_a(kind, "room")


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


class _SpeechOfKinds(dict[str, Speech]):
    """How people speak of each kind, worked out when first asked."""

    def __init__(self, ontology: Ontology) -> None:
        super().__init__()
        self._ontology = ontology

    def __missing__(self, kind: str) -> Speech:
        own = self._ontology
        part, nearby = is_part(kind, own), own.implies_nearby(kind)
        self[kind] = found = Speech(
            asked_for(kind, own), is_ground(kind, own), part, is_worn(kind, own), nearby, not part and not nearby
        )
        return found


@lru_cache(maxsize=8)
def speech_of_kinds(ontology: Ontology) -> Mapping[str, Speech]:
    """How people speak of the kinds of an ontology."""
    return _SpeechOfKinds(ontology)


@lru_cache(maxsize=8192)
def is_worn(kind: str, ontology: Ontology) -> bool:
    """Whether such things are where somebody is who has them, or everywhere: a shirt, a hand, the sky."""
    return ontology.is_backdrop(kind) or any(ontology.is_a(kind, above) for above in _ON_SOMEBODY)


@lru_cache(maxsize=4)
def carried_in(scene: Scene) -> frozenset[str]:
    """The ids of what somebody has: a shirt that is worn is where its wearer is."""
    if scene.relations.isdisjoint(_CARRIED_BY):
        return frozenset()
    relations = (relation for thing in scene.objects for relation in thing.relations)
    return frozenset([relation.target for relation in relations if relation.name in _CARRIED_BY])


@lru_cache(maxsize=8192)
def parts_of(kind: str, ontology: Ontology) -> frozenset[str]:
    """The parts of a thing that are no things of their own, of which annotators name some: the tires of a car."""
    if ontology.is_a(kind, "place") and not ontology.is_a(kind, "building"):
        return frozenset()
    found = {part for above in ontology.ancestors(kind) for part in ontology.kinds[above].parts}
    return frozenset(part for part in found if is_part(part, ontology))


@lru_cache(maxsize=8192)
def is_part(kind: str, ontology: Ontology) -> bool:
    """Whether things of a kind are part of others."""
    return any(ontology.is_a(kind, above) for above in _PARTS)


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


@lru_cache(maxsize=65536)
def sensible(subject: str, relation: str, target: str, ontology: Ontology) -> bool:
    """Whether one kind may have a relation to another: a shirt holds nothing, and nobody wears a bench."""
    record = ontology.relations.get(relation)
    if record is None or not record.askable or subject == target:
        return False
    if relation in SIDES and ontology.kinds[target].number == "mass":
        return False
    subjects = record.subjects
    if subjects == ["thing"] and record.relation_class in _DONE:
        subjects = _DOERS
    return any(ontology.is_a(subject, kind) for kind in subjects) and any(
        ontology.is_a(target, kind) for kind in record.objects
    )


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


class _Nearness(dict[str, float]):
    """How near kinds are to one, those that lie behind everything last; worked out when first asked."""

    def __init__(self, kind: str, ontology: Ontology) -> None:
        super().__init__()
        self._kind = kind
        self._ontology = ontology

    def __missing__(self, other: str) -> float:
        near = near_in_meaning(self._kind, other, self._ontology) - self._ontology.is_backdrop(other)
        self[other] = near
        return near


@lru_cache(maxsize=8192)
def nearness_to(kind: str, ontology: Ontology) -> Mapping[str, float]:
    """How near each kind is in meaning to one; what is a backdrop is further than all else."""
    return _Nearness(kind, ontology)


def related_kinds(query: Query) -> Iterator[RelatedKinds]:
    """The relation that a question is about; none where it is about none."""
    match query:
        case RelationHolds(of=subject, relation=name, to=target):
            yield RelatedKinds(subject.kind, name, target.kind)
        case Exists(of=one) if one.relation is not None:
            other = one.relation.to
            subject, target = (other, one) if one.relation.inverse is True else (one, other)
            yield RelatedKinds(subject.kind, one.relation.name, target.kind)
