"""Annotated things that may be no more than an image or an imitation of what they are called."""

from __future__ import annotations

from collections.abc import Sequence, Set

from falter.scene.graph import SceneGraph, SceneObject
from falter.scene.ontology_protocol import SceneOntology

__all__ = ["find_imitations"]

_WITHIN = 0.9
"""How much of its box a thing must have in common with a mirror to be taken for a reflection."""
_NONE: frozenset[str] = frozenset()


def find_imitations(graph: SceneGraph, relations: Set[str], ontology: SceneOntology) -> frozenset[str]:
    """The ids of such things: a stuffed dog by its attribute, a man in a mirror by what he is said to be in.

    ``relations`` are all that the graph names.
    """
    things = graph.objects.values()
    imitating, showing = ontology.imitating_values, ontology.names_showing_images
    found = {
        thing.id
        for thing in things
        if not imitating.isdisjoint(thing.attributes) and ontology.is_imitation(thing.name, thing.attributes)
    }
    frames = [thing for thing in things if thing.name in showing]
    images = {name: image for name in relations if (image := ontology.image_relations.get(name)) is not None}
    is_shown = bool(images) and (bool(frames) or "always" in images.values())
    if not (found or frames or is_shown):
        return _NONE
    for thing in things if is_shown else ():
        for relation in thing.relations:
            image = images.get(relation.name)
            if image is None:
                continue
            pair = (thing, graph.objects[relation.target])
            shown, shows = pair[::-1] if image == "second" else pair
            if image == "always" or shows.name in showing:
                found |= {shown.id} if ontology.may_be_imitated(shown.name) else set()
    if frames and "objects" not in graph.complete:
        found |= _shown_within(frames, graph, ontology)
    return frozenset(found)


def _shown_within(frames: Sequence[SceneObject], graph: SceneGraph, ontology: SceneOntology) -> set[str]:
    """What lies within a mirror or a picture by its box, though nobody said that it is in there."""
    return {
        thing.id
        for thing in graph.objects.values()
        if ontology.may_be_imitated(thing.name)
        and any(thing is not frame and thing.box.share_within(frame.box) >= _WITHIN for frame in frames)
    }
