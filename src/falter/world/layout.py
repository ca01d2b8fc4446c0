"""Where things stand: groups are placed in the image, and relations between objects are found.

Nothing is hidden, and nothing touches by accident. A relation is annotated only where everybody would see it. Where
relations are complete, one that is not annotated does not hold.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from falter.generation.scene import Box
from falter.world.drawing import HEIGHT, WIDTH
from falter.world.drawn_objects import ObjectGroup, seen_box, visibility
from falter.world.world_data import PEOPLE, WorldData

MIN_VISIBLE_SHARE = 0.6
_EDGE = 4
_GAP = 9
_TRIES = 24


def lay_out(rng: random.Random, groups: Sequence[ObjectGroup], ground: tuple[float, float]) -> list[ObjectGroup]:
    """Place groups; returns those for which there was room, each moved to its position."""
    front = _line_up(rng, [group for group in groups if group.row == "front"])
    placed = [*front]
    taken = [_extent(group) for group in front]
    # The widest first: they find no room between others.
    backs = sorted((group for group in groups if group.row == "back"), key=lambda group: -_extent(group).w)
    for group in backs:
        if _find_behind(rng, group, placed):
            placed.append(group)
            taken.append(_extent(group))
    for group in (each for each in groups if each.row in ("sky", "wall")):
        if _find_aloft(rng, group, taken, ground):
            placed.append(group)
            taken.extend(seen_box(drawn.appearance) for drawn in group.objects)
    return _without_hidden(placed)


def drawing_order(groups: Sequence[ObjectGroup]) -> list[ObjectGroup]:
    """Sort groups from the furthest to the nearest: sky and wall, back row, front row."""
    rank = {"sky": 0, "wall": 0, "back": 1, "front": 2}
    return sorted(
        groups, key=lambda group: (rank[group.row], group.height()[1] if group.row in ("front", "back") else 0)
    )


def find_wearers(groups: Sequence[ObjectGroup]) -> dict[int, int]:
    """The wearer of each worn object, both by their index in the drawing order."""
    indices = {id(drawn): index for index, drawn in enumerate(drawn for group in groups for drawn in group.objects)}
    return {
        indices[id(relation.object)]: indices[id(relation.subject)]
        for group in groups
        for relation in group.relations
        if relation.name == "wearing"
    }


def _extent(group: ObjectGroup) -> Box:
    boxes = [seen_box(drawn.appearance) for drawn in group.objects]
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    return Box(x, y, max(box.right for box in boxes) - x, max(box.bottom for box in boxes) - y)


def _spread(rng: random.Random, group: ObjectGroup) -> None:
    """Place the objects of a group side by side."""
    at = 0.0
    for drawn in group.objects:
        seen = seen_box(drawn.appearance)
        alone = ObjectGroup(row=group.row, objects=[drawn])
        alone.shift(at - seen.x, -rng.randint(0, 6) if group.row == "front" else 0)
        at += seen.w + rng.randint(4, 9)


def _line_up(rng: random.Random, groups: list[ObjectGroup]) -> list[ObjectGroup]:
    """Place groups side by side across the image, without those for which there is no room."""
    for group in groups:
        if group.counted_kind is not None and not group.relations:
            _spread(rng, group)
    kept: list[ObjectGroup] = []
    room = float(WIDTH - 2 * _EDGE)
    for group in groups:
        extent = _extent(group)
        need = extent.w + (_GAP if kept else 0)
        if need <= room and extent.y >= 2 and extent.bottom <= HEIGHT - 1:
            kept.append(group)
            room -= need
    rng.shuffle(kept)
    shares = [rng.random() + 0.05 for _ in range(len(kept) + 1)]
    at = float(_EDGE)
    for group, share in zip(kept, shares, strict=False):
        at += room * share / sum(shares)
        extent = _extent(group)
        group.shift(at - extent.x)
        at += extent.w + _GAP
    return kept


def _overlap(first: Box, second: Box) -> tuple[float, float]:
    return (
        min(first.right, second.right) - max(first.x, second.x),
        min(first.bottom, second.bottom) - max(first.y, second.y),
    )


def _find_behind(rng: random.Random, group: ObjectGroup, placed: Sequence[ObjectGroup]) -> bool:
    if group.counted_kind is not None:
        _spread(rng, group)
    extent = _extent(group)
    if extent.w > WIDTH - 2 * _EDGE or extent.y < 2:
        return False
    fronts = [seen_box(drawn.appearance) for other in placed if other.row == "front" for drawn in other.objects]
    backs = [_extent(other) for other in placed if other.row == "back"]
    for _ in range(_TRIES):
        x = rng.uniform(_EDGE, WIDTH - _EDGE - extent.w)
        here = Box(x, extent.y, extent.w, extent.h)
        if any(_overlap(here, other)[0] > -_GAP for other in backs):
            continue
        if all(_mostly_free(_shifted(seen_box(drawn.appearance), x - extent.x), fronts) for drawn in group.objects):
            group.shift(round(x - extent.x))
            return True
    return False


def _shifted(box: Box, dx: float) -> Box:
    return Box(box.x + dx, box.y, box.w, box.h)


def _mostly_free(box: Box, others: Sequence[Box]) -> bool:
    hidden = 0.0
    for other in others:
        across, down = _overlap(box, other)
        if across > 0 and down > 0:
            hidden += across * down
    return hidden <= 0.36 * box.w * box.h


def _find_aloft(rng: random.Random, group: ObjectGroup, taken: Sequence[Box], ground: tuple[float, float]) -> bool:
    """Find positions above the ground for every object of a group."""
    low = ground[0] - (70 if group.row == "wall" else 60)
    placed: list[Box] = []
    for drawn in group.objects:
        seen = seen_box(drawn.appearance)
        for _ in range(_TRIES):
            x = rng.uniform(_EDGE, WIDTH - _EDGE - seen.w)
            if seen.h > low - 8:
                return False
            y = rng.uniform(8, max(9.0, low - seen.h))
            here = Box(x - 6, y - 6, seen.w + 12, seen.h + 12)
            if all(min(_overlap(here, other)) <= 0 for other in (*taken, *placed)):
                ObjectGroup(row=group.row, objects=[drawn]).shift(round(x - seen.x), round(y - seen.y))
                placed.append(seen_box(drawn.appearance))
                break
        else:
            return False
    return True


def _without_hidden(groups: list[ObjectGroup]) -> list[ObjectGroup]:
    """Drop whole groups until everything left is visible enough."""
    kept = list(groups)
    for _ in range(len(groups)):
        ordered = drawing_order(kept)
        owners = [(group, drawn) for group in ordered for drawn in group.objects]
        seen = visibility([drawn.appearance for _, drawn in owners], find_wearers(ordered))
        bad = [group for (group, _), share in zip(owners, seen.shares, strict=True) if share < MIN_VISIBLE_SHARE]
        if not bad:
            return kept
        kept = [group for group in kept if group is not bad[0]]
    return kept


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
