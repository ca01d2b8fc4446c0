"""Groups of the contrastive mix: the same kinds in either role of an action, and in either position to others."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from falter.files import read_yaml
from falter.world.action_layouts import ACTION_LAYOUTS, ActionBuilder, attach
from falter.world.appearance_sampler import weighted_choice
from falter.world.drawing import DRAWABLE, WIDTH, PixelPoint, anchors
from falter.world.drawn_objects import DrawnObject, DrawnRelation, ObjectGroup, move_appearance
from falter.world.masks import seen_box, visibility
from falter.world.object_groups import ObjectGroupBuilder

__all__ = ["SceneMix", "interaction", "placement", "several"]

SceneMix = Literal["default", "contrastive"]
"""Which groups scenes have: by the weights of their environments, or with more that could be the other way round."""

_SMALL = 0.8
"""What is put on or under something is drawn a little smaller, to find room."""
_INNER = 0.13
"""How much of a table's width its legs take on either side."""
_CLEARANCE = 0.64
"""How much of a table's height is free under it."""
_HIDDEN = (0.08, 0.36)
"""How much of what is behind is hidden: enough to see which of the two is nearer, and what it is."""
_TABLES = 0.5
"""How often it is a table, where there can be one: little else has room under it."""
_STEP_BACK = 16
_MIDDLE = WIDTH / 2
_SEVERAL, _ROOM, _APART, _SMALLEST = (4, 9), 330, 8, 0.45
"""How many a group has, the room for it, how far its members are apart, and how small they may become."""
_TRIES = 8


class _Contrastive(msgspec.Struct, frozen=True):
    interactions: dict[str, dict[str, float]]
    places: dict[str, tuple[str, ...]]
    placed: dict[str, float]


@cache
def _load() -> _Contrastive:
    return read_yaml(Path(__file__).parent / "data" / "contrastive.yaml", _Contrastive, what="a file of contrasts")


def interaction(builder: ObjectGroupBuilder) -> ObjectGroup | None:
    """Two who could as well have each other's role in what they do."""
    rng, data = builder.rng, builder.sampler.data
    name = rng.choice(list(_load().interactions))
    verb = data.verbs[name]
    kinds = builder.at_home(_load().interactions[name])
    if len(kinds) < 2:
        return None
    agent = weighted_choice(rng, kinds)
    patient = weighted_choice(rng, {kind: weight for kind, weight in kinds.items() if kind != agent})
    tool = weighted_choice(rng, verb.tool) if verb.tool else ""
    scale, foot = builder.scales["front"]
    group = ACTION_LAYOUTS[verb.layout](ActionBuilder(builder.sampler, verb, scale, foot, tool), agent, patient)
    if group is not None:
        builder.met.add(name)
    return group


def several(builder: ObjectGroupBuilder) -> ObjectGroup | None:
    """Four or more of one kind; smaller where there is no room for them."""
    choices = [(row, kind) for row, kind in builder.countable() if row != "top"]
    if not choices:
        return None
    row, kind = builder.rng.choice(choices)
    number = builder.rng.randint(*_SEVERAL)
    room = _ROOM / number - _APART
    factor = min(1.0, room / (DRAWABLE[kind].width * builder.scales[row][0]))
    return builder.group_of(kind, row, number, factor) if factor >= _SMALLEST else None


def placement(builder: ObjectGroupBuilder) -> ObjectGroup | None:
    """A thing on, under, in front of or behind another that it could have another position to."""
    rng, data = builder.rng, _load()
    bases = [kind for kind in builder.at_home(dict.fromkeys(data.places, 1.0)) if kind not in builder.met]
    things = {kind: weight for kind, weight in builder.at_home(data.placed).items() if kind not in builder.met}
    if not bases or not things:
        return None
    base = "table" if "table" in bases and rng.random() < _TABLES else rng.choice(bases)
    kind = weighted_choice(rng, things)
    position = rng.choice(data.places[base])
    scale, foot = builder.scales["front"]
    square: dict[str, Any] = {"shape": "square"} if base == "table" else {}
    closed: dict[str, Any] = {"opening": "closed"} if base == "box" else {}
    far = foot - _STEP_BACK if position == "in front of" else foot
    there = builder.sampler.sample(base, scale=scale, foot=far, x=_MIDDLE, **square, **closed)
    factor = _SMALL if position in ("on top of", "under") else 1.0
    standing: dict[str, Any] = {"pose": "standing"} if "pose" in DRAWABLE[kind].attributes else {}
    thing = builder.sampler.sample(
        kind, scale=scale * factor, foot=foot - (_STEP_BACK if position == "behind" else 0), x=_MIDDLE, **standing
    )
    return _PLACERS[position](builder, thing, there)


def _put_on(builder: ObjectGroupBuilder, thing: DrawnObject, base: DrawnObject) -> ObjectGroup | None:
    points, seen, put = anchors(base.appearance), seen_box(base.appearance), seen_box(thing.appearance)
    top = points.get("seat", points["top"]) if base.kind == "chair" else points["top"]
    room = (seen.w - put.w) / 2 - 4
    if room < 0 and base.kind != "chair":
        return None
    middle = PixelPoint(put.x + put.w / 2, put.bottom - 2)
    attach(thing, middle, PixelPoint(top.x + builder.rng.uniform(-1, 1) * max(0.0, room), top.y))
    thing.grounded = False
    relations = [DrawnRelation(thing, "on", base), DrawnRelation(thing, "on top of", base)]
    return ObjectGroup(row="front", objects=[base, thing], relations=relations)


def _put_under(builder: ObjectGroupBuilder, thing: DrawnObject, base: DrawnObject) -> ObjectGroup | None:
    seen, put = seen_box(base.appearance), seen_box(thing.appearance)
    room = (1 - 2 * _INNER) * seen.w - put.w
    if room < 0 or put.h > _CLEARANCE * seen.h:
        return None
    left = seen.x + _INNER * seen.w + builder.rng.random() * room
    thing.appearance = move_appearance(thing.appearance, left - put.x, seen.bottom - 3 - put.bottom)
    return ObjectGroup(row="front", objects=[base, thing], relations=[DrawnRelation(thing, "under", base)])


def _put_before(builder: ObjectGroupBuilder, thing: DrawnObject, base: DrawnObject) -> ObjectGroup | None:
    return _in_depth(builder, thing, base, "in front of", far=base)


def _put_behind(builder: ObjectGroupBuilder, thing: DrawnObject, base: DrawnObject) -> ObjectGroup | None:
    return _in_depth(builder, thing, base, "behind", far=thing)


def _in_depth(
    builder: ObjectGroupBuilder, thing: DrawnObject, base: DrawnObject, name: str, *, far: DrawnObject
) -> ObjectGroup | None:
    """The nearer thing hides some of the other."""
    objects = [far, base if far is thing else thing]
    for _ in range(_TRIES):
        seen, put = seen_box(base.appearance), seen_box(thing.appearance)
        left = builder.rng.uniform(seen.x - 0.5 * put.w, seen.right - 0.5 * put.w)
        thing.appearance = move_appearance(thing.appearance, left - put.x, 0)
        hidden = 1 - visibility([drawn.appearance for drawn in objects], {}).shares[0]
        if _HIDDEN[0] <= hidden <= _HIDDEN[1]:
            back = "behind" if name == "in front of" else "in front of"
            relations = [DrawnRelation(thing, name, base), DrawnRelation(base, back, thing)]
            return ObjectGroup(row="front", objects=objects, relations=relations)
    return None


_PLACERS: dict[str, Callable[[ObjectGroupBuilder, DrawnObject, DrawnObject], ObjectGroup | None]] = {
    "on top of": _put_on,
    "under": _put_under,
    "in front of": _put_before,
    "behind": _put_behind,
}
