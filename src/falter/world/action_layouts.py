"""Putting the two roles of a deed together, so that one sees who does what to whom.

Each function stands for one ``place`` of ``data/actions.yaml``: it takes the agent, posed and standing, and makes the
patient (and moves the agent where it is the agent that goes to the patient).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from falter.scene import Box
from falter.world.appearance_sampler import Caster
from falter.world.drawing import DRAWABLE, Look, Point, anchors
from falter.world.drawn_objects import Bond, Deed, Piece, Unit, moved_look
from falter.world.masks import seen_box
from falter.world.world_data import PEOPLE, Verb

__all__ = ["PLACES", "Stage", "put_in_hand"]

_GRIPS = ("grip", "handle", "end", "hold", "stem")
_IN_HAND = {"camera": 0.6, "guitar": 0.85}
_AT_MOUTH = 0.62
"""Things are drawn larger than life to be known by; before a face they are drawn smaller, so as not to hide it."""


_REACH = 0.1
"""How far above a back a hand may be and still touch it to the eye, in heights of an adult."""


class Stage:
    """What a deed is built with: chance, how large things are here, where the ground is, which way the agent looks."""

    def __init__(self, caster: Caster, verb: Verb, scale: float, foot: float, tool: str) -> None:
        self.caster = caster
        self.rng = caster.rng
        self.verb = verb
        self.tool = tool
        self.scale = scale
        self.foot = foot
        self.facing = caster.facing()
        self.way = 1 if self.facing == "right" else -1

    def agent(self, kind: str, **fields: Any) -> Piece:
        """The one who does it, standing at 0."""
        verb = self.verb
        fields = {"pose": verb.pose, "action": verb.motion, "gesture": verb.gesture, "facing": self.facing} | fields
        piece = self.caster.piece(kind, scale=self.scale, foot=self.foot, **fields)
        if verb.word is not None:
            piece.words = (verb.word,)
        return piece

    def thing(self, kind: str, *, factor: float = 1.0, grounded: bool = True, **fields: Any) -> Piece:
        """Another thing on the same ground, ``factor`` times as large as usual."""
        return self.caster.piece(kind, scale=self.scale * factor, foot=self.foot, grounded=grounded, **fields)

    def patient(self, kind: str, *, factor: float = 1.0, grounded: bool = True, **fields: Any) -> Piece:
        """The one it is done to, with the pose that the verb asks for."""
        body = self.verb.patient
        facing = {"toward": self.opposite, "same": self.facing, "away": self.facing}.get(body.facing or "")
        given: dict[str, Any] = {"facing": facing or self.facing}
        honours = DRAWABLE[kind].honours
        asked = (("pose", body.pose), ("action", body.motion), ("gesture", body.gesture))
        given |= {
            name: value
            for name, value in asked
            if name in honours and (value is not None or (name == "pose" and body.motion is not None))
        }
        return self.thing(kind, factor=factor, grounded=grounded, **(given | fields))

    @property
    def opposite(self) -> str:
        return "left" if self.facing == "right" else "right"

    def edge_to(self, piece: Piece, x: float) -> None:
        """Move a piece so that its near edge, as the agent sees it, is at ``x``."""
        seen = seen_box(piece.look)
        near = seen.x if self.way > 0 else seen.right
        piece.look = moved_look(piece.look, x - near, 0)


def spot(look: Look, *names: str) -> Point:
    """The first of these places that the thing has, or else its middle."""
    places = anchors(look)
    return next((places[name] for name in names if name in places), places["centre"])


def attach(piece: Piece, here: Point, there: Point) -> None:
    """Move a piece so that a point of it comes to another point."""
    piece.look = moved_look(piece.look, there.x - here.x, there.y - here.y)


def put_in_hand(stage: Stage, agent: Piece, kind: str, **fields: Any) -> Piece:
    """A thing held in the agent's hand."""
    hand = spot(agent.look, "hand")
    held = stage.thing(kind, factor=_IN_HAND.get(kind, 1.0), grounded=False, **({"facing": stage.facing} | fields))
    if kind in ("balloon", "kite"):
        attach(
            held,
            spot(held.look, "knot", "tail"),
            Point(hand.x + stage.way * 0.1 * stage.scale, hand.y - 0.42 * stage.scale),
        )
        held.look = msgspec.structs.replace(held.look, end=Point(round(hand.x), round(hand.y)))
        return held
    attach(held, spot(held.look, *_GRIPS), hand)
    return held


def _unit(
    stage: Stage, agent: Piece, patient: Piece, *, first: tuple[Piece, ...] = (), tool: Piece | None = None
) -> Unit:
    """Agent and patient as one, the agent drawn over what is in ``first`` and under the rest."""
    pieces = [*first, agent, *(piece for piece in (patient, tool) if piece is not None and piece not in first)]
    bonds = [Bond(agent, stage.verb.name, patient)]
    if stage.verb.holds:
        bonds.append(Bond(agent, "holding", patient))
    if stage.verb.atop:
        bonds.append(Bond(agent, "on", patient))
    if tool is not None:
        bonds.append(Bond(agent, "holding", tool))
    if stage.verb.atop:
        agent.grounded = False
    return Unit(row="front", pieces=pieces, bonds=bonds, deeds=[Deed(stage.verb.name, agent, patient, tool)])


def in_hand(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    opening = {"opening": "open"} if kind in ("umbrella", "book") else {}
    return _unit(stage, agent, put_in_hand(stage, agent, kind, **opening))


def in_both_hands(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    hands = [spot(agent.look, "hand"), spot(agent.look, "other_hand")]
    middle = Point(sum(hand.x for hand in hands) / 2, max(hand.y for hand in hands))
    patient = stage.patient(kind, grounded=False)
    seen = seen_box(patient.look)
    attach(
        patient, Point(seen.x + seen.w / 2, seen.bottom), Point(middle.x + stage.way * 0.06 * stage.scale, middle.y + 2)
    )
    return _unit(stage, agent, patient)


def overhead(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    hands = [spot(agent.look, "hand"), spot(agent.look, "other_hand")]
    patient = stage.patient(kind, grounded=False)
    seen = seen_box(patient.look)
    low = min(*(hand.y + 3 for hand in hands), spot(agent.look, "head_top").y - 1)
    high = Point((hands[0].x + hands[1].x) / 2, low)
    attach(patient, Point(seen.x + seen.w / 2, seen.bottom), high)
    return _unit(stage, agent, patient)


def at_mouth(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    patient = stage.thing(kind, factor=_AT_MOUTH, grounded=False, facing=stage.facing)
    hand, outward = spot(agent.look, "hand"), 0.2 * seen_box(patient.look).w
    attach(patient, spot(patient.look, "centre"), Point(hand.x + stage.way * outward, hand.y))
    return _unit(stage, agent, patient)


def open_book(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    hands = [spot(agent.look, "hand"), spot(agent.look, "other_hand")]
    patient = stage.thing(kind, grounded=False, facing=stage.facing, opening="open")
    attach(patient, spot(patient.look, "centre"), Point((hands[0].x + hands[1].x) / 2 + stage.way * 2, hands[0].y - 3))
    return _unit(stage, agent, patient)


def before_body(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    patient = stage.thing(kind, factor=_IN_HAND.get(kind, 1.0), grounded=False, facing=stage.facing)
    attach(patient, spot(patient.look, "strings"), spot(agent.look, "hand"))
    return _unit(stage, agent, patient)


def in_saddle(stage: Stage, agent_kind: str, kind: str) -> Unit:
    if kind in ("skateboard", "surfboard"):
        agent = stage.agent(agent_kind, pose=None, gesture="wave" if kind == "surfboard" else "dance")
        patient = stage.patient(kind)
        attach(agent, spot(agent.look, "feet"), spot(patient.look, "top"))
    else:
        agent = stage.agent(agent_kind, pose="sitting", seat="astride")
        honours = DRAWABLE[kind].honours
        motion: dict[str, Any] = {"action": "walking", "pose": None} if "walking" in honours.get("action", ()) else {}
        patient = stage.patient(kind, **motion)
        attach(agent, spot(agent.look, "seat"), spot(patient.look, "saddle", "seat", "back", "top"))
    return _unit(stage, agent, patient, first=(patient,))


def on_seat(stage: Stage, agent_kind: str, kind: str) -> Unit:
    patient = stage.thing(kind, facing=stage.facing)
    there = spot(patient.look, "seat", "top")
    if agent_kind in PEOPLE:
        agent = stage.agent(agent_kind, seat="chair")
        attach(agent, spot(agent.look, "seat"), there)
    else:
        agent = stage.agent(agent_kind)
        seen = seen_box(agent.look)
        attach(agent, Point(seen.x + seen.w / 2, seen.bottom - 2), there)
    return _unit(stage, agent, patient, first=(patient,))


def lying(stage: Stage, agent_kind: str, kind: str) -> Unit:
    patient = stage.thing(kind, facing=stage.facing)
    asleep = stage.rng.random() < 0.5
    action = {"action": "sleeping"} if asleep and "sleeping" in DRAWABLE[agent_kind].honours.get("action", ()) else {}
    agent = stage.agent(agent_kind, gesture="down", **action)
    seen = seen_box(agent.look)
    there = spot(patient.look, "lie", "top" if kind != "sofa" else "seat", "seat")
    attach(agent, Point(seen.x + seen.w / 2, seen.bottom - 2), there)
    return _unit(stage, agent, patient, first=(patient,))


def on_top(stage: Stage, agent_kind: str, kind: str) -> Unit:
    closed: dict[str, Any] = {"opening": "closed"} if kind == "box" else {}
    patient = stage.thing(kind, facing=stage.facing, **closed)
    agent = stage.agent(agent_kind)
    seen = seen_box(agent.look)
    there = spot(patient.look, "seat" if kind == "chair" else "top", "top")
    attach(agent, Point(seen.x + seen.w / 2, seen.bottom - 2), there)
    return _unit(stage, agent, patient, first=(patient,))


def touching(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    hand = spot(agent.look, "hand")
    patient = stage.patient(kind, facing=stage.facing)
    if "handle" in anchors(patient.look):
        handle = spot(patient.look, "handle")
        away = (handle.x - spot(patient.look, "centre").x) * stage.way > 0
        # The handle comes to the hands: larger carts for taller people.
        factor = min(1.6, max(0.9, (stage.foot - hand.y) / max(1.0, stage.foot - handle.y)))
        patient = stage.patient(kind, factor=factor, facing=stage.opposite if away else stage.facing)
        patient.look = moved_look(patient.look, hand.x - spot(patient.look, "handle").x, 0)
    else:
        stage.edge_to(patient, hand.x - stage.way)
    return _unit(stage, agent, patient, first=(patient,))


def at_foot(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    foot = spot(agent.look, "foot")
    patient = stage.patient(kind, grounded=kind != "ball")
    stage.edge_to(patient, foot.x + stage.way * 2)
    if kind == "ball":
        seen = seen_box(patient.look)
        patient.look = moved_look(patient.look, 0, foot.y - (seen.y + seen.h / 2))
    return _unit(stage, agent, patient)


def _in_air(stage: Stage, agent_kind: str, kind: str, ahead: float, up: float) -> Unit:
    agent = stage.agent(agent_kind)
    hand = spot(agent.look, "hand")
    patient = stage.patient(kind, grounded=False)
    stage.edge_to(patient, hand.x + stage.way * ahead * stage.scale)
    seen = seen_box(patient.look)
    patient.look = moved_look(patient.look, 0, hand.y - up * stage.scale - (seen.y + seen.h / 2))
    return _unit(stage, agent, patient)


def thrown(stage: Stage, agent_kind: str, kind: str) -> Unit:
    return _in_air(stage, agent_kind, kind, 0.22, 0.08)


def caught(stage: Stage, agent_kind: str, kind: str) -> Unit:
    return _in_air(stage, agent_kind, kind, 0.07, 0.03)


def struck(stage: Stage, agent_kind: str, kind: str) -> Unit:
    unit = _in_air(stage, agent_kind, kind, 0.14, 0.18)
    agent, patient = unit.deeds[0].agent, unit.deeds[0].patient
    assert patient is not None
    racket = put_in_hand(stage, agent, stage.tool)
    stage.edge_to(patient, _far_edge(stage, racket) + stage.way * 4)
    seen, swung = seen_box(patient.look), seen_box(racket.look)
    patient.look = moved_look(patient.look, 0, swung.y + swung.h * 0.3 - (seen.y + seen.h / 2))
    return _unit(stage, agent, patient, tool=racket)


def _far_edge(stage: Stage, piece: Piece) -> float:
    seen = seen_box(piece.look)
    return seen.right if stage.way > 0 else seen.x


def fed(stage: Stage, agent_kind: str, kind: str) -> Unit | None:
    agent = stage.agent(agent_kind)
    food = put_in_hand(stage, agent, stage.tool)
    attach(food, spot(food.look, "centre"), spot(agent.look, "hand"))
    patient = stage.patient(kind)
    mouth = spot(patient.look, "mouth", "head")
    if abs(mouth.y - spot(agent.look, "hand").y) > 2 * _REACH * stage.scale:
        return None
    patient.look = moved_look(patient.look, _far_edge(stage, food) + stage.way - mouth.x, 0)
    return _unit(stage, agent, patient, tool=food)


def under_hand(stage: Stage, agent_kind: str, kind: str) -> Unit | None:
    agent = stage.agent(agent_kind)
    patient = stage.patient(kind)
    hand, places = spot(agent.look, "hand"), anchors(patient.look)
    there = min((places[name] for name in ("back", "head_top") if name in places), key=lambda at: abs(at.y - hand.y))
    if abs(there.y - hand.y) > _REACH * stage.scale:
        return None
    patient.look = moved_look(patient.look, hand.x - there.x, 0)
    return _unit(stage, agent, patient, first=(patient,))


def on_leash(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    patient = stage.patient(kind)
    stage.edge_to(patient, _far_edge(stage, agent) + stage.way * 0.12 * stage.scale)
    hand, neck = spot(agent.look, "hand"), spot(patient.look, "collar", "neck", "head")
    start, end = Point(round(hand.x), round(hand.y)), Point(round(neck.x), round(neck.y))
    left, top = min(start.x, end.x), min(start.y, end.y)
    leash = stage.thing("leash", grounded=False)
    box = Box(left, top, max(4, abs(start.x - end.x)), max(4, abs(start.y - end.y)))
    leash.look = msgspec.structs.replace(leash.look, box=box, start=start, end=end)
    return _unit(stage, agent, patient, tool=leash)


def ahead(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    used = None
    if stage.tool:
        used = put_in_hand(stage, agent, stage.tool)
        attach(used, spot(used.look, "centre"), spot(agent.look, "hand"))
    patient = stage.patient(kind)
    gap = stage.rng.uniform(*stage.verb.gap) * stage.scale
    stage.edge_to(patient, _far_edge(stage, agent) + stage.way * gap)
    return _unit(stage, agent, patient, tool=used)


def on_rungs(stage: Stage, agent_kind: str, kind: str) -> Unit:
    patient = stage.thing(kind)
    agent = stage.agent(agent_kind)
    seen, climber = seen_box(patient.look), seen_box(agent.look)
    up = min(0.35 * seen.h, max(0.1 * seen.h, seen.h - climber.h * 0.8))
    middle = Point(climber.x + climber.w / 2, climber.bottom)
    attach(agent, middle, Point(seen.x + seen.w / 2 - stage.way * 4, seen.bottom - up))
    return _unit(stage, agent, patient, first=(patient,))


def over(stage: Stage, agent_kind: str, kind: str) -> Unit:
    patient = stage.thing(kind)
    agent = stage.agent(agent_kind)
    seen, jumper = seen_box(patient.look), seen_box(agent.look)
    middle = Point(jumper.x + jumper.w / 2, jumper.bottom)
    attach(agent, middle, Point(seen.x + seen.w / 2, seen.y - 0.05 * stage.scale))
    agent.grounded = False
    return _unit(stage, agent, patient, first=(patient,))


def under_spout(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    can = put_in_hand(stage, agent, stage.tool)
    patient = stage.patient(kind)
    spout = spot(can.look, "water", "spout")
    seen = seen_box(patient.look)
    patient.look = moved_look(patient.look, spout.x + stage.way * 0.08 * stage.scale - (seen.x + seen.w / 2), 0)
    return _unit(stage, agent, patient, first=(patient,), tool=can)


def on_string(stage: Stage, agent_kind: str, kind: str) -> Unit:
    agent = stage.agent(agent_kind)
    hand = spot(agent.look, "hand")
    kite = stage.thing(kind, grounded=False, facing=stage.facing)
    off = stage.rng.uniform(0.5, 0.8) * stage.scale
    attach(kite, spot(kite.look, "centre"), Point(hand.x + stage.way * off, max(46.0, hand.y - 1.15 * stage.scale)))
    kite.look = msgspec.structs.replace(kite.look, end=Point(round(hand.x), round(hand.y)))
    kite.aloft = True
    return _unit(stage, agent, kite)


def embrace(stage: Stage, agent_kind: str, kind: str) -> Unit | None:
    if agent_kind in ("man", "woman") and kind not in ("man", "woman"):
        # Whoever hugs stands in front, and would hide somebody small.
        return None
    agent = stage.agent(agent_kind)
    fields: dict[str, Any] = {"gesture": "hug"} if kind in PEOPLE else {}
    patient = stage.patient(kind, **fields)
    patient.words = ()
    hand = spot(agent.look, "hand")
    middle = spot(patient.look, "back" if kind in PEOPLE else "neck", "centre")
    patient.look = moved_look(patient.look, hand.x - stage.way * 3 - middle.x, 0)
    return _unit(stage, agent, patient, first=(patient,))


def sweep(stage: Stage, agent_kind: str, kind: str) -> Unit:  # noqa: ARG001 - the ground is under everybody
    agent = stage.agent(agent_kind)
    broom = put_in_hand(stage, agent, stage.tool)
    seen = seen_box(broom.look)
    broom.look = moved_look(broom.look, 0, stage.foot - seen.bottom)
    bonds = [Bond(agent, "holding", broom)]
    return Unit(row="front", pieces=[agent, broom], bonds=bonds, deeds=[Deed(stage.verb.name, agent, None, broom)])


Place = Callable[[Stage, str, str], Unit | None]

PLACES: dict[str, Place] = {
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
