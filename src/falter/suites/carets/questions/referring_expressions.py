"""Naming a thing so that "the ..." can only mean it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from falter.english import Ontology
from falter.scene import ObjectDescription, Related, Scene, SceneObject
from falter.suites.carets.questions.sideways import SIDES, beside, has_a_place, landmarks, nameable_landmark

__all__ = [
    "asked_alone",
    "plain",
    "references",
    "relation_targets",
    "sounds_natural",
    "speakable_attributes",
    "tells_little",
    "too_many",
]


_USUAL_CLOTHES = ("shirt", "pants", "shoe")
_UNDER_EVERYTHING = ("floor", "ground", "wall", "ceiling", "sky")


def asked_alone(kind: str, ontology: Ontology) -> bool:
    """Whether people ask if there is such a thing: not of the sun, a wall, a room, or a part of a body."""
    record = ontology.kinds[kind]
    return not (record.unique or ontology.is_backdrop(kind) or ontology.is_a(kind, "place")) and not ontology.is_a(
        kind, "body part"
    )


def sounds_natural(described: ObjectDescription, ontology: Ontology) -> bool:
    """Whether people would ask if there is such a thing, described like this."""
    related = described.relation
    if not asked_alone(described.kind, ontology):
        return False
    if related is None:
        return True
    placed = related.name in SIDES and not all(
        has_a_place(kind, ontology) for kind in (described.kind, related.to.kind)
    )
    return not placed and not tells_little(related.name, related.to.kind, ontology)


def plain(thing: SceneObject, ontology: Ontology) -> ObjectDescription | None:
    """A thing by its name alone, or None when the name is not in the vocabulary or nobody would ask by it."""
    lexeme = ontology.lexeme(thing.name)
    if lexeme is None or not ontology.kinds[lexeme[0]].askable:
        return None
    return ObjectDescription(lexeme[0], number=lexeme[1])


def speakable_attributes(thing: SceneObject, kind: str, ontology: Ontology) -> list[str]:
    """The annotated attributes that people would say before such a noun."""
    return [value for value in thing.attributes if ontology.is_natural(value, kind)]


def too_many(one: ObjectDescription, relation: str, target: ObjectDescription, ontology: Ontology) -> bool:
    """Whether one thing would be said to have several of what it has one of at a time: "a boy wearing hats"."""
    singly = ontology.relations[relation].one_at_a_time
    return (one.number, target.number) == ("singular", "plural") and any(
        ontology.is_a(target.kind, kind) for kind in singly
    )


def tells_little(relation: str, kind: str, ontology: Ontology) -> bool:
    """Whether a relation holds of nearly everyone: wearing a shirt, being on the floor."""
    if relation == "wearing":
        return any(ontology.is_a(kind, usual) for usual in _USUAL_CLOTHES)
    return kind in _UNDER_EVERYTHING


def relation_targets(thing: SceneObject, scene: Scene, ontology: Ontology) -> list[Related]:
    """The relations of a thing that are annotated or follow from the boxes, with what they lead to.

    A definite target is named so that nothing else can be meant; where that cannot be done, the relation is not used.
    """
    known = _targets_by_object(scene, ontology)
    if thing.id not in known:
        known[thing.id] = _find_targets(thing, scene, ontology)
    return known[thing.id]


@lru_cache(maxsize=4)
def _targets_by_object(scene: Scene, ontology: Ontology) -> dict[str, list[Related]]:  # noqa: ARG001
    """What is known so far of a scene, by the ids of its objects."""
    return {}


def _find_targets(thing: SceneObject, scene: Scene, ontology: Ontology) -> list[Related]:
    named = plain(thing, ontology)
    known = landmarks(scene, ontology)
    found: dict[Related, None] = {}
    for relation in thing.relations:
        record = ontology.relations.get(relation.name)
        if record is None or not record.askable:
            continue
        if record.definite:
            landmark = known.get(relation.target)
            target = None if landmark is None else landmark.described
        else:
            target = nameable_landmark(scene.graph.objects[relation.target], ontology)
        if target is None or (named is not None and too_many(named, relation.name, target, ontology)):
            continue
        if tells_little(relation.name, target.kind, ontology):
            continue
        found[Related(relation.name, target)] = None
    found |= dict.fromkeys(beside(thing, scene, ontology))
    return list(found)


def references(
    thing: SceneObject, kind: str, form: str, scene: Scene, ontology: Ontology, *, bare: bool = True
) -> Iterator[ObjectDescription]:
    """Definite descriptions by a kind that pick out this thing alone: bare, with an attribute, or with a relation."""
    named = plain(thing, ontology)
    if named is None:
        return
    number = named.number if ontology.kinds[kind].number == "count" or kind == named.kind else "mass"
    enough: set[Related] = set()
    for described in _descriptions(thing, kind, form, scene, ontology, bare=bare):
        # Where a relation picks it out, an attribute besides is one word too many.
        if described.relation in enough:
            continue
        found = ObjectDescription(kind, described.attributes, described.relation, number, definite=True)
        if scene.resolve(found) == (thing,):
            yield found
            if described.relation is not None and not described.attributes:
                enough.add(described.relation)


def _descriptions(
    thing: SceneObject, kind: str, form: str, scene: Scene, ontology: Ontology, *, bare: bool
) -> Iterator[ObjectDescription]:
    values = speakable_attributes(thing, kind, ontology)
    if form == "related":
        for related in relation_targets(thing, scene, ontology):
            # "the dog near the dog" leaves open which is which.
            if related.to.definite and related.to.kind == kind:
                continue
            yield ObjectDescription(kind, (), related)
            for value in values:
                yield ObjectDescription(kind, (value,), related)
        return
    if bare:
        yield ObjectDescription(kind)
    for value in values:
        yield ObjectDescription(kind, (value,))
