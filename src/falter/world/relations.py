"""Relations between the objects of a scene, and the relations of which the annotation is complete.

A relation is annotated only where everybody would see it. Where it is complete, a relation that is not annotated does
not hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from falter.scene import Box
from falter.world.world_data import PEOPLE, WorldData

__all__ = ["RelationTriple", "VisibleObject", "complete_families", "complete_relations", "find_relations"]

_TOUCHING = frozenset(
    {"holding", "wearing", "riding", "on", "sitting on", "lying on", "climbing", "hugging", "petting"}
)
_PLAIN = (
    "wearing", "riding", "pushing", "pulling", "kicking", "throwing", "catching", "hitting", "eating", "drinking from",
    "feeding", "petting", "walking", "climbing", "jumping over", "watering", "reading", "sweeping", "lifting",
    "hugging", "flying", "driving", "rowing", "washing", "painting",
)  # fmt: skip
"""Verbs that cannot be seen where their action is not drawn."""
_BLURS: dict[str, frozenset[str]] = {
    "on": frozenset({"climbing", "jumping over"}),
    "holding": frozenset({"flying", "hugging", "pushing", "pulling", "throwing", "catching", "petting"}),
    "sitting on": frozenset({"riding"}),
    "lying on": frozenset(),
    "playing": frozenset({"kicking", "throwing", "catching", "hitting"}),
    "photographing": frozenset({"photographing"}),
    "pointing at": frozenset({"pointing at"}),
    "waving at": frozenset({"waving at"}),
    "chasing": frozenset({"following", "walking", "chasing"}),
}
"""Relations that cannot be denied of other objects while an action of one of these verbs is drawn."""


class VisibleObject(NamedTuple):
    """An object as the image shows it: its visible box, its row, and the height of an adult in that row."""

    id: str
    kind: str
    box: Box
    row: str
    grounded: bool
    aloft: bool
    worn: bool
    scale: float
    order: int


class RelationTriple(NamedTuple):
    """One annotated relation."""

    subject: str
    relation: str
    object: str


def find_relations(
    things: Sequence[VisibleObject], built: Iterable[RelationTriple], covered_by: dict[tuple[int, int], int]
) -> list[RelationTriple]:
    """All relations of the foreground: those that were built, and those that follow from positions."""
    triples = list(dict.fromkeys(built))
    bound = {frozenset((one.subject, one.object)) for one in triples}
    touching = {frozenset((one.subject, one.object)) for one in triples if one.relation in _TOUCHING}
    triples += [RelationTriple(one.object, "under", one.subject) for one in triples if one.relation == "on"]
    free = [thing for thing in things if not thing.worn]
    for index, first in enumerate(free):
        for second in free[index + 1 :]:
            pair = frozenset((first.id, second.id))
            triples += _sideways(first, second)
            if pair not in touching:
                triples += _above(first, second)
            if pair not in bound:
                triples += _beside(first, second)
                triples += _in_depth(first, second, covered_by)
    return list(dict.fromkeys(triples))


def _sideways(first: VisibleObject, second: VisibleObject) -> list[RelationTriple]:
    if first.box.right <= second.box.x:
        return [
            RelationTriple(first.id, "to the left of", second.id),
            RelationTriple(second.id, "to the right of", first.id),
        ]
    if second.box.right <= first.box.x:
        return [
            RelationTriple(second.id, "to the left of", first.id),
            RelationTriple(first.id, "to the right of", second.id),
        ]
    return []


def _above(first: VisibleObject, second: VisibleObject) -> list[RelationTriple]:
    for upper, lower in ((first, second), (second, first)):
        across = min(upper.box.right, lower.box.right) - max(upper.box.x, lower.box.x)
        over = upper.aloft and lower.grounded and upper.box.bottom <= lower.box.y
        if over and across >= 0.5 * min(upper.box.w, lower.box.w):
            return [RelationTriple(upper.id, "above", lower.id), RelationTriple(lower.id, "below", upper.id)]
    return []


def _beside(first: VisibleObject, second: VisibleObject) -> list[RelationTriple]:
    if first.row != second.row or not (first.grounded and second.grounded):
        return []
    gap = max(first.box.x, second.box.x) - min(first.box.right, second.box.right)
    if gap < 0 or gap > 0.3 * first.scale:
        return []
    name = "next to" if gap <= 0.16 * first.scale else "near"
    return [RelationTriple(first.id, name, second.id), RelationTriple(second.id, name, first.id)]


def _in_depth(
    first: VisibleObject, second: VisibleObject, covered_by: dict[tuple[int, int], int]
) -> list[RelationTriple]:
    if {first.row, second.row} != {"back", "front"} or not (first.grounded and second.grounded):
        return []
    near, far = (first, second) if first.row == "front" else (second, first)
    hidden = covered_by.get((far.order, near.order), 0)
    if hidden < 0.04 * far.box.w * far.box.h:
        return []
    return [RelationTriple(far.id, "behind", near.id), RelationTriple(near.id, "in front of", far.id)]


def complete_relations(
    things: Sequence[VisibleObject], triples: Sequence[RelationTriple], verbs: Collection[str], moving: int
) -> set[str]:
    """The relations of which every instance in this scene is annotated."""
    complete = set(_PLAIN)
    complete |= {name for name, blurs in _BLURS.items() if not blurs & set(verbs)}
    if moving > 2 or (moving and "chasing" not in verbs):
        complete.discard("chasing")
    resting = {one.subject for one in triples if one.relation in ("on", "sitting on", "lying on")}
    if any(thing.grounded and thing.id not in resting for thing in things):
        # Where two grounds meet, one cannot say on which of them a thing stands.
        complete -= {"on", "sitting on", "lying on"}
    names = {thing.id: thing.kind for thing in things}
    if any(one.relation == "on" and one.object in names and names[one.subject] in PEOPLE for one in triples):
        # A rider on the grass is on the grass to some people and not to others.
        complete.discard("on")
    return complete


def complete_families(
    data: WorldData, objects: Iterable[tuple[str, Collection[str]]], verbs: Collection[str]
) -> set[str]:
    """The attribute families of which every object they apply to has its word."""
    objects = list(objects)
    ontology = data.ontology
    complete = {
        name
        for name, family in data.families.items()
        if family.denied
        and all(
            any(word in family.values for word in words)
            for kind, words in objects
            if ontology.family_applies_to(name, kind) and any(ontology.is_a(kind, shown) for shown in family.shown)
        )
    }
    striding = {"pushing", "pulling", "throwing", "catching", "kicking", "hitting", "sweeping", "climbing"}
    if not striding & set(verbs):
        complete.add("action")
    return complete
