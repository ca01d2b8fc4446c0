"""The objects that stay visible in the visual test: as many for an absent object as for one that is there."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from math import hypot
from random import Random

from falter.scene import Box, ObjectDescription, Scene, SceneObject

__all__ = ["choose_foreground"]

_NEAREST = 3
"""A stand-in is drawn from so many objects nearest to the object of the relation, where none has that relation."""


def choose_foreground(descriptions: Iterable[ObjectDescription], scene: Scene, rng: Random) -> list[Box]:
    """The boxes of what is described and of what that is related to.

    How many there are does not depend on the answer. The object of a relation is always among them. Of what is said to
    be there, one object is shown, or two in the plural: objects that fit, those that are called so first; else objects
    of that kind ("a red cup" is denied of the blue one); else others that stand in for it. Of what is taken to be there
    ("the cup"), all is shown.
    """
    shown: dict[str, SceneObject] = {}
    for description in descriptions:
        related = description.relation
        anchors = [] if related is None else _fitting(related.to, scene)
        shown |= {anchor.id: anchor for anchor in anchors}
        fitting = _fitting(description, scene)
        if description.definite and fitting:
            shown |= {thing.id: thing for thing in fitting}
            continue
        missing = 2 if description.number == "plural" else 1
        kind = [thing for thing, is_one in scene.objects_of_kind(description.kind) if is_one]
        alike = [] if related is None else _related(related.name, anchors, scene)
        # Of a house and a lattice tower, the house is what "a building" makes one think of.
        so_called = [thing for thing in fitting if scene.ontology.kind_for_name(thing.name) == description.kind]
        for pool in (so_called, fitting, kind, alike, _near(anchors, scene, shown), scene.objects):
            free = [thing for thing in pool if thing.id not in shown]
            drawn = rng.sample(free, min(missing, len(free)))
            shown |= {thing.id: thing for thing in drawn}
            missing -= len(drawn)
    return [thing.box for thing in shown.values()]


def _fitting(description: ObjectDescription, scene: Scene) -> list[SceneObject]:
    return [thing for thing, fits in scene.objects_for(description) if fits]


def _related(relation: str, anchors: Sequence[SceneObject], scene: Scene) -> list[SceneObject]:
    """What is related to the anchors as the absent object would be."""
    return [thing for thing in scene.objects if any(scene.holds(thing, relation, anchor) for anchor in anchors)]


def _near(anchors: Sequence[SceneObject], scene: Scene, shown: Container[str]) -> list[SceneObject]:
    """Some of what is nearest to the anchors, and no part of them."""
    if not anchors:
        return []
    free = [
        thing
        for thing in scene.objects
        if thing.id not in shown and not any(_is_inside(thing.box, anchor.box) for anchor in anchors)
    ]
    free.sort(key=lambda thing: min(_distance(thing.box, anchor.box) for anchor in anchors))
    return free[:_NEAREST]


def _is_inside(inner: Box, outer: Box) -> bool:
    return outer.x <= inner.x and outer.y <= inner.y and inner.right <= outer.right and inner.bottom <= outer.bottom


def _distance(first: Box, second: Box) -> float:
    """Between the centers: by their edges, what fills the image would be near everything."""
    return hypot(first.x - second.x + (first.w - second.w) / 2, first.y - second.y + (first.h - second.h) / 2)
