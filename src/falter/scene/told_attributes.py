"""Attributes that nobody annotated, but that an annotated relation tells of."""

from __future__ import annotations

from collections.abc import Set

import msgspec

from falter.scene.graph import SceneGraph, SceneObject
from falter.scene.ontology_protocol import SceneOntology

__all__ = ["with_told_attributes"]


def with_told_attributes(graph: SceneGraph, relations: Set[str], ontology: SceneOntology) -> tuple[SceneObject, ...]:
    """The objects of a graph, with what their relations tell of them: a dog that is "lying on" a sofa is lying.

    ``relations`` are all that the graph names. What another attribute excludes is not added, so that an annotation that
    contradicts itself is left as it is.
    """
    things = graph.objects.values()
    if ontology.telling_words.isdisjoint([relation.partition(" ")[0] for relation in relations]):
        return tuple(things)
    return tuple([_with_told(thing, ontology) if thing.relations else thing for thing in things])


def _with_told(thing: SceneObject, ontology: SceneOntology) -> SceneObject:
    by_relation = ontology.told_by_relations(thing.name)
    told = {value for relation in thing.relations if (value := by_relation[relation.name]) is not None}
    if not told:
        return thing
    added = [
        value
        for value in sorted(told.difference(thing.attributes))
        if not any(ontology.exclude_attributes(value, other) for other in (*thing.attributes, *told))
    ]
    return msgspec.structs.replace(thing, attributes=(*thing.attributes, *added)) if added else thing
