"""Annotated things that may be no more than an image or an imitation of what they are called."""

from __future__ import annotations

from falter.scene.graph import SceneGraph
from falter.scene.ontology_protocol import SceneOntology

__all__ = ["find_imitations"]


def find_imitations(graph: SceneGraph, ontology: SceneOntology) -> frozenset[str]:
    """The ids of such things: a stuffed dog by its attribute, a man in a mirror by what he is said to be in."""
    things = graph.objects.values()
    found = {thing.id for thing in things if ontology.is_imitation(thing.name, thing.attributes)}
    for thing in things:
        for relation in thing.relations:
            image = ontology.image_in_relation(relation.name)
            if image is None:
                continue
            pair = (thing, graph.objects[relation.target])
            shown, shows = pair[::-1] if image == "second" else pair
            if image == "always" or ontology.shows_images(shows.name):
                found |= {shown.id} if ontology.may_be_imitated(shown.name) else set()
    return frozenset(found)
