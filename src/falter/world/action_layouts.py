"""Layouts of actions: how agent, patient and tool are placed, so that the image shows who does what to whom.

Each function is one ``layout`` of ``data/actions.yaml``. It makes the agent in its pose and the patient, and moves one
of them to the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from falter.generation.scene import Box
from falter.world.drawing import DRAWABLE, Appearance, PixelPoint, anchors
from falter.world.drawn_objects import (
    Action,
    AppearanceSampler,
    DrawnObject,
    DrawnRelation,
    ObjectGroup,
    move_appearance,
    seen_box,
)
from falter.world.world_data import PEOPLE, Verb

_GRIPS = ("grip", "handle", "end", "hold", "stem")
_IN_HAND = {"camera": 0.6, "guitar": 0.85}
_AT_MOUTH = 0.62
"""Objects are drawn larger than life to be recognizable; before a face they are drawn smaller, not to hide it."""


_REACH = 0.1
"""How far above a back a hand may be and still touch it to the eye, in heights of an adult."""


class ActionBuilder:
    """Makes the objects of one action: their random choices, their scale, the ground and the side the agent faces."""

    def __init__(self, sampler: AppearanceSampler, verb: Verb, scale: float, foot: float, tool: str) -> None:
        self.sampler = sampler
        self.rng = sampler.rng
        self.verb = verb
        self.tool = tool
        self.scale = scale
        self.foot = foot
        self.facing = sampler.facing()
        self.way = 1 if self.facing == "right" else -1

    def agent(self, kind: str, **fields: Any) -> DrawnObject:
        """The agent, standing at x = 0."""
        verb = self.verb
        fields = {"pose": verb.pose, "action": verb.motion, "gesture": verb.gesture, "facing": self.facing} | fields
        drawn = self.sampler.sample(kind, scale=self.scale, foot=self.foot, **fields)
        if verb.word is not None:
            drawn.words = (verb.word,)
        return drawn

    def thing(self, kind: str, *, factor: float = 1.0, grounded: bool = True, **fields: Any) -> DrawnObject:
        """Another object on the same ground, ``factor`` times as large as usual."""
        return self.sampler.sample(kind, scale=self.scale * factor, foot=self.foot, grounded=grounded, **fields)

    def patient(self, kind: str, *, factor: float = 1.0, grounded: bool = True, **fields: Any) -> DrawnObject:
        """The patient, in the pose of the verb."""
        body = self.verb.patient
        facing = {"toward": self.opposite, "same": self.facing, "away": self.facing}.get(body.facing or "")
        given: dict[str, Any] = {"facing": facing or self.facing}
        attributes = DRAWABLE[kind].attributes
        wanted = (("pose", body.pose), ("action", body.motion), ("gesture", body.gesture), ("contents", body.contents))
        given |= {
            name: value
            for name, value in wanted
            if name in attributes and (value is not None or (name == "pose" and body.motion is not None))
        }
        return self.thing(kind, factor=factor, grounded=grounded, **(given | fields))

    @property
    def opposite(self) -> str:
        return "left" if self.facing == "right" else "right"

    def edge_to(self, drawn: DrawnObject, x: float) -> None:
        """Move an object so that its edge nearest to the agent is at ``x``."""
        seen = seen_box(drawn.appearance)
        near = seen.x if self.way > 0 else seen.right
        drawn.appearance = move_appearance(drawn.appearance, x - near, 0)


def spot(appearance: Appearance, *names: str) -> PixelPoint:
    """The first of these anchors that the object has, else its center."""
    points = anchors(appearance)
    return next((points[name] for name in names if name in points), points["center"])


def attach(drawn: DrawnObject, here: PixelPoint, there: PixelPoint) -> None:
    """Move an object so that a point of it comes to another point."""
    drawn.appearance = move_appearance(drawn.appearance, there.x - here.x, there.y - here.y)


def put_in_hand(builder: ActionBuilder, agent: DrawnObject, kind: str, **fields: Any) -> DrawnObject:
    """An object held in the agent's hand."""
    hand = spot(agent.appearance, "hand")
    held = builder.thing(kind, factor=_IN_HAND.get(kind, 1.0), grounded=False, **({"facing": builder.facing} | fields))
    if kind in ("balloon", "kite"):
        attach(
            held,
            spot(held.appearance, "knot", "tail"),
            PixelPoint(hand.x + builder.way * 0.1 * builder.scale, hand.y - 0.42 * builder.scale),
        )
        held.appearance = msgspec.structs.replace(held.appearance, end=PixelPoint(round(hand.x), round(hand.y)))
        return held
    attach(held, spot(held.appearance, *_GRIPS), hand)
    return held


def _group(
    builder: ActionBuilder,
    agent: DrawnObject,
    patient: DrawnObject,
    *,
    first: tuple[DrawnObject, ...] = (),
    tool: DrawnObject | None = None,
) -> ObjectGroup:
    """Agent and patient as one group, the agent drawn over what is in ``first`` and under the rest."""
    objects = [*first, agent, *(drawn for drawn in (patient, tool) if drawn is not None and drawn not in first)]
    relations = [DrawnRelation(agent, builder.verb.name, patient)]
    if builder.verb.holds:
        relations.append(DrawnRelation(agent, "holding", patient))
    if builder.verb.on_top:
        relations.append(DrawnRelation(agent, "on", patient))
    if tool is not None:
        relations.append(DrawnRelation(agent, "holding", tool))
    if builder.verb.on_top:
        agent.grounded = False
    return ObjectGroup(
        row="front", objects=objects, relations=relations, actions=[Action(builder.verb.name, agent, patient, tool)]
    )


def in_hand(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    opening = {"opening": "open"} if kind in ("umbrella", "book") else {}
    return _group(builder, agent, put_in_hand(builder, agent, kind, **opening))


def in_both_hands(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    hands = [spot(agent.appearance, "hand"), spot(agent.appearance, "other_hand")]
    middle = PixelPoint(sum(hand.x for hand in hands) / 2, max(hand.y for hand in hands))
    patient = builder.patient(kind, grounded=False)
    seen = seen_box(patient.appearance)
    attach(
        patient,
        PixelPoint(seen.x + seen.w / 2, seen.bottom),
        PixelPoint(middle.x + builder.way * 0.06 * builder.scale, middle.y + 2),
    )
    return _group(builder, agent, patient)


def overhead(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    hands = [spot(agent.appearance, "hand"), spot(agent.appearance, "other_hand")]
    patient = builder.patient(kind, grounded=False)
    seen = seen_box(patient.appearance)
    low = min(*(hand.y + 3 for hand in hands), spot(agent.appearance, "head_top").y - 1)
    high = PixelPoint((hands[0].x + hands[1].x) / 2, low)
    attach(patient, PixelPoint(seen.x + seen.w / 2, seen.bottom), high)
    return _group(builder, agent, patient)


def at_mouth(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    patient = builder.patient(kind, factor=_AT_MOUTH, grounded=False)
    hand, outward = spot(agent.appearance, "hand"), 0.2 * seen_box(patient.appearance).w
    attach(patient, spot(patient.appearance, "center"), PixelPoint(hand.x + builder.way * outward, hand.y))
    return _group(builder, agent, patient)


def open_book(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    hands = [spot(agent.appearance, "hand"), spot(agent.appearance, "other_hand")]
    patient = builder.thing(kind, grounded=False, facing=builder.facing, opening="open")
    attach(
        patient,
        spot(patient.appearance, "center"),
        PixelPoint((hands[0].x + hands[1].x) / 2 + builder.way * 2, hands[0].y - 3),
    )
    return _group(builder, agent, patient)


def before_body(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    patient = builder.thing(kind, factor=_IN_HAND.get(kind, 1.0), grounded=False, facing=builder.facing)
    attach(patient, spot(patient.appearance, "strings"), spot(agent.appearance, "hand"))
    return _group(builder, agent, patient)


def in_saddle(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    if kind in ("skateboard", "surfboard"):
        agent = builder.agent(agent_kind, pose=None, gesture="wave" if kind == "surfboard" else "dance")
        patient = builder.patient(kind)
        attach(agent, spot(agent.appearance, "feet"), spot(patient.appearance, "top"))
    else:
        agent = builder.agent(agent_kind, pose="sitting", seat="astride")
        attributes = DRAWABLE[kind].attributes
        motion: dict[str, Any] = (
            {"action": "walking", "pose": None} if "walking" in attributes.get("action", ()) else {}
        )
        patient = builder.patient(kind, **motion)
        attach(agent, spot(agent.appearance, "seat"), spot(patient.appearance, "saddle", "seat", "back", "top"))
    return _group(builder, agent, patient, first=(patient,))


def on_seat(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    patient = builder.thing(kind, facing=builder.facing)
    there = spot(patient.appearance, "seat", "top")
    if agent_kind in PEOPLE:
        agent = builder.agent(agent_kind, seat="chair")
        attach(agent, spot(agent.appearance, "seat"), there)
    else:
        agent = builder.agent(agent_kind)
        seen = seen_box(agent.appearance)
        attach(agent, PixelPoint(seen.x + seen.w / 2, seen.bottom - 2), there)
    return _group(builder, agent, patient, first=(patient,))


def lying(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    patient = builder.thing(kind, facing=builder.facing)
    asleep = builder.rng.random() < 0.5
    action = (
        {"action": "sleeping"} if asleep and "sleeping" in DRAWABLE[agent_kind].attributes.get("action", ()) else {}
    )
    agent = builder.agent(agent_kind, gesture="down", **action)
    seen = seen_box(agent.appearance)
    there = spot(patient.appearance, "lie", "top" if kind != "sofa" else "seat", "seat")
    attach(agent, PixelPoint(seen.x + seen.w / 2, seen.bottom - 2), there)
    return _group(builder, agent, patient, first=(patient,))


def on_top(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    closed: dict[str, Any] = {"opening": "closed"} if kind == "box" else {}
    patient = builder.thing(kind, facing=builder.facing, **closed)
    agent = builder.agent(agent_kind)
    seen = seen_box(agent.appearance)
    there = spot(patient.appearance, "seat" if kind == "chair" else "top", "top")
    attach(agent, PixelPoint(seen.x + seen.w / 2, seen.bottom - 2), there)
    return _group(builder, agent, patient, first=(patient,))


def touching(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    hand = spot(agent.appearance, "hand")
    patient = builder.patient(kind, facing=builder.facing)
    if "handle" in anchors(patient.appearance):
        handle = spot(patient.appearance, "handle")
        away = (handle.x - spot(patient.appearance, "center").x) * builder.way > 0
        # The handle comes to the hands: larger carts for taller people.
        factor = min(1.6, max(0.9, (builder.foot - hand.y) / max(1.0, builder.foot - handle.y)))
        patient = builder.patient(kind, factor=factor, facing=builder.opposite if away else builder.facing)
        patient.appearance = move_appearance(patient.appearance, hand.x - spot(patient.appearance, "handle").x, 0)
    else:
        builder.edge_to(patient, hand.x - builder.way)
    return _group(builder, agent, patient, first=(patient,))


def at_foot(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    foot = spot(agent.appearance, "foot")
    patient = builder.patient(kind, grounded=kind != "ball")
    builder.edge_to(patient, foot.x + builder.way * 2)
    if kind == "ball":
        seen = seen_box(patient.appearance)
        patient.appearance = move_appearance(patient.appearance, 0, foot.y - (seen.y + seen.h / 2))
    return _group(builder, agent, patient)


def _in_air(builder: ActionBuilder, agent_kind: str, kind: str, ahead: float, up: float) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    hand = spot(agent.appearance, "hand")
    patient = builder.patient(kind, grounded=False)
    builder.edge_to(patient, hand.x + builder.way * ahead * builder.scale)
    seen = seen_box(patient.appearance)
    patient.appearance = move_appearance(patient.appearance, 0, hand.y - up * builder.scale - (seen.y + seen.h / 2))
    return _group(builder, agent, patient)


def thrown(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    return _in_air(builder, agent_kind, kind, 0.22, 0.08)


def caught(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    return _in_air(builder, agent_kind, kind, 0.07, 0.03)


def struck(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    group = _in_air(builder, agent_kind, kind, 0.14, 0.18)
    agent, patient = group.actions[0].agent, group.actions[0].patient
    assert patient is not None
    racket = put_in_hand(builder, agent, builder.tool)
    builder.edge_to(patient, _far_edge(builder, racket) + builder.way * 4)
    seen, swung = seen_box(patient.appearance), seen_box(racket.appearance)
    patient.appearance = move_appearance(patient.appearance, 0, swung.y + swung.h * 0.3 - (seen.y + seen.h / 2))
    return _group(builder, agent, patient, tool=racket)


def _far_edge(builder: ActionBuilder, drawn: DrawnObject) -> float:
    seen = seen_box(drawn.appearance)
    return seen.right if builder.way > 0 else seen.x


def fed(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup | None:
    agent = builder.agent(agent_kind)
    food = put_in_hand(builder, agent, builder.tool)
    attach(food, spot(food.appearance, "center"), spot(agent.appearance, "hand"))
    patient = builder.patient(kind)
    mouth = spot(patient.appearance, "mouth", "head")
    if abs(mouth.y - spot(agent.appearance, "hand").y) > 2 * _REACH * builder.scale:
        return None
    patient.appearance = move_appearance(patient.appearance, _far_edge(builder, food) + builder.way - mouth.x, 0)
    return _group(builder, agent, patient, tool=food)


def under_hand(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup | None:
    agent = builder.agent(agent_kind)
    patient = builder.patient(kind)
    hand, points = spot(agent.appearance, "hand"), anchors(patient.appearance)
    there = min((points[name] for name in ("back", "head_top") if name in points), key=lambda at: abs(at.y - hand.y))
    if abs(there.y - hand.y) > _REACH * builder.scale:
        return None
    patient.appearance = move_appearance(patient.appearance, hand.x - there.x, 0)
    return _group(builder, agent, patient, first=(patient,))


def on_leash(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    patient = builder.patient(kind)
    builder.edge_to(patient, _far_edge(builder, agent) + builder.way * 0.12 * builder.scale)
    hand, neck = spot(agent.appearance, "hand"), spot(patient.appearance, "collar", "neck", "head")
    start, end = PixelPoint(round(hand.x), round(hand.y)), PixelPoint(round(neck.x), round(neck.y))
    left, top = min(start.x, end.x), min(start.y, end.y)
    leash = builder.thing("leash", grounded=False)
    box = Box(left, top, max(4, abs(start.x - end.x)), max(4, abs(start.y - end.y)))
    leash.appearance = msgspec.structs.replace(leash.appearance, box=box, start=start, end=end)
    return _group(builder, agent, patient, tool=leash)


def ahead(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    used = None
    if builder.tool:
        used = put_in_hand(builder, agent, builder.tool)
        attach(used, spot(used.appearance, "center"), spot(agent.appearance, "hand"))
    patient = builder.patient(kind)
    gap = builder.rng.uniform(*builder.verb.gap) * builder.scale
    builder.edge_to(patient, _far_edge(builder, agent) + builder.way * gap)
    return _group(builder, agent, patient, tool=used)


def on_rungs(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    patient = builder.thing(kind)
    agent = builder.agent(agent_kind)
    seen, climber = seen_box(patient.appearance), seen_box(agent.appearance)
    up = min(0.35 * seen.h, max(0.1 * seen.h, seen.h - climber.h * 0.8))
    middle = PixelPoint(climber.x + climber.w / 2, climber.bottom)
    attach(agent, middle, PixelPoint(seen.x + seen.w / 2 - builder.way * 4, seen.bottom - up))
    return _group(builder, agent, patient, first=(patient,))


def over(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    patient = builder.thing(kind)
    agent = builder.agent(agent_kind)
    seen, jumper = seen_box(patient.appearance), seen_box(agent.appearance)
    middle = PixelPoint(jumper.x + jumper.w / 2, jumper.bottom)
    attach(agent, middle, PixelPoint(seen.x + seen.w / 2, seen.y - 0.05 * builder.scale))
    agent.grounded = False
    return _group(builder, agent, patient, first=(patient,))


def under_spout(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    can = put_in_hand(builder, agent, builder.tool)
    patient = builder.patient(kind)
    spout = spot(can.appearance, "water", "spout")
    seen = seen_box(patient.appearance)
    patient.appearance = move_appearance(
        patient.appearance, spout.x + builder.way * 0.08 * builder.scale - (seen.x + seen.w / 2), 0
    )
    return _group(builder, agent, patient, first=(patient,), tool=can)


def on_string(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:
    agent = builder.agent(agent_kind)
    hand = spot(agent.appearance, "hand")
    kite = builder.thing(kind, grounded=False, facing=builder.facing)
    off = builder.rng.uniform(0.5, 0.8) * builder.scale
    attach(
        kite,
        spot(kite.appearance, "center"),
        PixelPoint(hand.x + builder.way * off, max(46.0, hand.y - 1.15 * builder.scale)),
    )
    kite.appearance = msgspec.structs.replace(kite.appearance, end=PixelPoint(round(hand.x), round(hand.y)))
    kite.aloft = True
    return _group(builder, agent, kite)


def embrace(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup | None:
    if agent_kind in ("man", "woman") and kind not in ("man", "woman"):
        # Whoever hugs stands in front, and would hide somebody small.
        return None
    agent = builder.agent(agent_kind)
    fields: dict[str, Any] = {"gesture": "hug"} if kind in PEOPLE else {}
    patient = builder.patient(kind, **fields)
    patient.words = ()
    hand = spot(agent.appearance, "hand")
    middle = spot(patient.appearance, "back" if kind in PEOPLE else "neck", "center")
    patient.appearance = move_appearance(patient.appearance, hand.x - builder.way * 3 - middle.x, 0)
    return _group(builder, agent, patient, first=(patient,))


def sweep(builder: ActionBuilder, agent_kind: str, kind: str) -> ObjectGroup:  # noqa: ARG001 - the ground is under everybody
    agent = builder.agent(agent_kind)
    broom = put_in_hand(builder, agent, builder.tool)
    seen = seen_box(broom.appearance)
    broom.appearance = move_appearance(broom.appearance, 0, builder.foot - seen.bottom)
    relations = [DrawnRelation(agent, "holding", broom)]
    return ObjectGroup(
        row="front",
        objects=[agent, broom],
        relations=relations,
        actions=[Action(builder.verb.name, agent, None, broom)],
    )


ActionLayout = Callable[[ActionBuilder, str, str], ObjectGroup | None]

ACTION_LAYOUTS: dict[str, ActionLayout] = {
    "hand": in_hand,
    "hands": in_both_hands,
    "overhead": overhead,
    "saddle": in_saddle,
    "seat": on_seat,
    "bed": lying,
    "top": on_top,
    "touching": touching,
    "foot": at_foot,
    "thrown": thrown,
    "caught": caught,
    "struck": struck,
    "mouth": at_mouth,
    "mouth of patient": fed,
    "under hand": under_hand,
    "leash": on_leash,
    "ahead": ahead,
    "rungs": on_rungs,
    "over": over,
    "under spout": under_spout,
    "open hands": open_book,
    "body": before_body,
    "string": on_string,
    "embrace": embrace,
    "ground": sweep,
}
