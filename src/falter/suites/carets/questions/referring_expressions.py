"""Naming a thing so that "the ..." can only mean it."""

from __future__ import annotations

from collections.abc import Iterator

from falter.english import Ontology
from falter.scene import ObjectDescription, Related, Scene, SceneObject

__all__ = ["plain", "references", "relation_targets", "speakable_attributes", "too_many"]


def plain(thing: SceneObject, ontology: Ontology) -> ObjectDescription | None:
    """A thing by its name alone, or None when the name is not in the vocabulary or nobody would ask by it."""
    lexeme = ontology.lexeme(thing.name)
    if lexeme is None or not ontology.kinds[lexeme[0]].askable:
        return None
    return ObjectDescription(lexeme[0], number=lexeme[1])


def _landmark(thing: SceneObject, ontology: Ontology) -> ObjectDescription | None:
    """A thing by its name after a relation: "on the ground" is said, though nobody asks whether there is a ground."""
    lexeme = ontology.lexeme(thing.name)
    if lexeme is None or not (ontology.kinds[lexeme[0]].askable or ontology.is_a(lexeme[0], "place")):
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


def relation_targets(thing: SceneObject, scene: Scene, ontology: Ontology) -> Iterator[Related]:
    """The annotated relations of a thing, with what they lead to named by its kind."""
    named = plain(thing, ontology)
    for relation in thing.relations:
        record = ontology.relations.get(relation.name)
        target = _landmark(scene.graph.objects[relation.target], ontology)
        if record is None or not record.askable or target is None:
            continue
        if named is not None and too_many(named, relation.name, target, ontology):
            continue
        yield Related(relation.name, ObjectDescription(target.kind, (), None, target.number, definite=record.definite))


def references(
    thing: SceneObject, kind: str, form: str, scene: Scene, ontology: Ontology, *, bare: bool = True
) -> Iterator[ObjectDescription]:
    """Definite descriptions by a kind that pick out this thing alone: bare, with an attribute, or with a relation."""
    named = plain(thing, ontology)
    if named is None:
        return
    number = named.number if ontology.kinds[kind].number == "count" or kind == named.kind else "mass"
    for described in _descriptions(thing, kind, form, scene, ontology, bare=bare):
        found = ObjectDescription(kind, described.attributes, described.relation, number, definite=True)
        if scene.resolve(found) == (thing,):
            yield found


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
