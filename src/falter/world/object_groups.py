"""Builds the groups of a scene before layout: single objects, people, several of one kind, laid tables, actions.

Groups of the contrastive mix have the same kinds in either role of an action, and in either position to others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from falter.core.files import read_yaml
from falter.generation.scene import Box
from falter.world.action_layouts import ACTION_LAYOUTS, ActionBuilder, attach
from falter.world.drawing import DRAWABLE, WIDTH, PixelPoint, anchors, worn_box
from falter.world.drawn_objects import (
    AppearanceSampler,
    DrawnObject,
    DrawnRelation,
    ObjectGroup,
    SceneRow,
    move_appearance,
    seen_box,
    visibility,
    weighted_choice,
)
from falter.world.world_data import PEOPLE, Environment, load_world_data

AFLOAT = frozenset({"boat", "fish"})
"""Kinds that occur on or in the water."""

_WORN = {"hat": 4.0, "helmet": 0.5, "glasses": 4.0, "scarf": 4.0, "backpack": 3.0, "dress": 8.0}


def drawable(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights of kinds that can be drawn, adjusted so that no kind is rare over all scenes."""
    factors = load_world_data().factors
    return {
        kind: weight * factors.get(kind, 1.0) for kind, weight in weights.items() if kind in DRAWABLE and weight > 0
    }


class ObjectGroupBuilder:
    """Builds the groups of one scene; ``scales`` gives the height of an adult and of the ground by row."""

    def __init__(
        self, sampler: AppearanceSampler, environment: Environment, scales: Mapping[SceneRow, tuple[float, float]]
    ) -> None:
        self.sampler = sampler
        self.rng = sampler.rng
        self.environment = environment
        self.scales = scales
        self.met: set[str] = set()

    def single(self, row: SceneRow) -> ObjectGroup | None:
        """One object of a kind that occurs in a row."""
        weights = drawable(getattr(self.environment, row))
        sky = {"sun", "moon"} if self.met & {"sun", "moon"} else set()
        fresh = {
            kind: weight
            for kind, weight in weights.items()
            if kind not in sky and (kind not in self.met or self.rng.random() < 0.12)
        }
        if not fresh:
            return None
        kind = weighted_choice(self.rng, fresh)
        return ObjectGroup(row=row, objects=[self._thing(kind, row)])

    def person(self) -> ObjectGroup:
        """A person without an action."""
        scale, foot = self.scales["front"]
        kind = self.rng.choice(PEOPLE)
        chance = self.rng.random()
        fields: dict[str, Any] = {"pose": "standing"}
        if chance < 0.15:
            fields = {"pose": None, "action": self.rng.choice(("walking", "running", "jumping", "dancing"))}
        elif chance < 0.25 and "sitting" in DRAWABLE[kind].attributes.get("pose", ()):
            fields = {"pose": "sitting", "seat": "ground"}
        drawn = self.sampler.sample(kind, scale=scale, foot=foot, **fields)
        if drawn.appearance.action == "jumping":
            drawn.appearance = move_appearance(drawn.appearance, 0, -round(0.12 * scale))
            drawn.grounded = False
        return ObjectGroup(row="front", objects=[drawn])

    def counted(self, most: int) -> ObjectGroup | None:
        """Two to ``most`` objects of one kind."""
        choices = self.countable()
        if not choices or most < 2:
            return None
        factors = load_world_data().factors
        row, kind = self.rng.choices(choices, [factors.get(kind, 1.0) for _, kind in choices])[0]
        number = self.rng.randint(2, most) if self.rng.random() < 0.5 else self.rng.randint((most + 2) // 2, most)
        if row == "top":
            return self.table(kind, number)
        return self.group_of(kind, row, number)

    def countable(self) -> list[tuple[SceneRow, str]]:
        """The kinds of which there may be several, each with its row."""
        return [
            (row, kind)
            for row, kinds in self.environment.groups.items()
            for kind in kinds
            if kind in DRAWABLE and kind not in self.met
        ]

    def group_of(self, kind: str, row: SceneRow, number: int, factor: float = 1.0) -> ObjectGroup:
        """So many objects of one kind, ``factor`` times as large as usual."""
        objects = [self._thing(kind, row, factor) for _ in range(number)]
        return ObjectGroup(row=row, objects=objects, counted_kind=kind)

    def table(self, kind: str | None = None, number: int = 0) -> ObjectGroup | None:
        """A table with one to three objects on it, or with ``number`` of one kind."""
        tops = {
            top: things for top, things in self.environment.tables.items() if top in DRAWABLE and top not in self.met
        }
        if not tops:
            return None
        rng = self.rng
        top = rng.choice(list(tops))
        weights = drawable(tops[top])
        kinds = [kind] * number if kind else []
        while not kinds or (kind is None and len(kinds) < 3 and rng.random() < 0.6):
            fresh = {each: weight for each, weight in weights.items() if each not in kinds and each not in self.met}
            if not fresh:
                break
            kinds.append(weighted_choice(rng, fresh))
        if not kinds:
            return None
        base = self._thing(top, "front")
        scale = self.scales["front"][0]
        points = anchors(base.appearance)
        seen = seen_box(base.appearance)
        left = points.get("top_left", PixelPoint(seen.x + 6, seen.y + 2))
        right = points.get("top_right", PixelPoint(seen.right - 6, seen.y + 2))
        bearing = points.get("top", PixelPoint(seen.x + seen.w / 2, seen.y + 2))
        lo, hi = min(left.x, right.x), max(left.x, right.x)
        things: list[DrawnObject] = []
        for each in kinds:
            thing = self.sampler.sample(each, scale=scale, foot=bearing.y + 2, grounded=False)
            things.append(thing)
        widths = [seen_box(thing.appearance).w for thing in things]
        while things and (hi - lo) - sum(widths) < 2 * (len(things) - 1):
            things.pop()
            widths.pop()
        if len(things) < (2 if kind else 1):
            return None
        slack = (hi - lo) - sum(widths)
        gap = slack / (len(things) + 1)
        at = lo + gap
        for thing, width in zip(things, widths, strict=True):
            box = seen_box(thing.appearance)
            thing.appearance = move_appearance(thing.appearance, at - box.x, 0)
            at += width + gap
        relations = [DrawnRelation(thing, "on", base) for thing in things]
        return ObjectGroup(row="front", objects=[base, *things], relations=relations, counted_kind=kind)

    def action(self) -> ObjectGroup | None:
        """An agent, a patient and perhaps a tool, in the layout of a verb."""
        rng, data = self.rng, self.sampler.data
        verbs = {
            name: weight * data.factors.get(name, 1.0)
            for name, weight in self.environment.actions.items()
            if weight > 0 and name not in self.met
        }
        if not verbs:
            return None
        verb = data.verbs[weighted_choice(rng, verbs)]
        agents = self.at_home(drawable(verb.agents))
        patients = {"ground": 1.0} if "ground" in verb.patients else self.at_home(drawable(verb.patients))
        tools = drawable(verb.tool)
        if not agents or not patients or (verb.tool and not tools):
            return None
        agent = weighted_choice(rng, agents)
        if agent in patients:
            patients = {kind: weight for kind, weight in patients.items() if kind != agent}
        if not patients:
            return None
        patient = weighted_choice(rng, patients)
        scale, foot = self.scales["front"]
        tool = weighted_choice(rng, tools) if tools else ""
        group = ACTION_LAYOUTS[verb.layout](ActionBuilder(self.sampler, verb, scale, foot, tool), agent, patient)
        if group is not None:
            self.met.add(verb.name)
        return group

    def at_home(self, weights: Mapping[str, float]) -> dict[str, float]:
        """The weights of kinds that occur in this environment: no elephants in the kitchen."""
        environment = self.environment
        here = {*environment.back, *environment.front, *environment.wall, *environment.sky, *PEOPLE, *_CARRIED}
        here |= {kind for things in environment.tables.values() for kind in (*environment.tables, *things)}
        return {kind: weight for kind, weight in weights.items() if kind in here}

    def dress(self, group: ObjectGroup) -> None:
        """Give the people of a group something to wear besides shirt and pants."""
        rng = self.rng
        for drawn in [each for each in group.objects if each.kind in PEOPLE]:
            appearance = drawn.appearance
            if appearance.pose == "lying" or appearance.gesture in ("lift", "hug") or rng.random() < 0.5:
                continue
            weights = dict(_WORN)
            if any(relation.subject is drawn and relation.name == "riding" for relation in group.relations):
                weights = {"helmet": 1.0}
            if appearance.gesture in ("mouth", "camera"):
                weights = {kind: weight for kind, weight in weights.items() if kind not in ("glasses", "scarf")}
            if appearance.kind not in ("woman", "girl") or appearance.pose != "standing":
                weights.pop("dress", None)
            if appearance.pose == "sitting":
                weights.pop("backpack", None)
            if self.environment.name == "snow":
                weights["scarf"] = weights.get("scarf", 0) * 2
            self._wear(group, drawn, weighted_choice(rng, weights))

    def _wear(self, group: ObjectGroup, wearer: DrawnObject, kind: str) -> None:
        # A pattern is not recognizable on a scarf, nor a scarf on a shirt of its color.
        plain: dict[str, Any] = {"pattern": "plain"} if kind in ("scarf", "hat") else {}
        scale, facing = self.scales["front"][0], wearer.appearance.facing
        for _ in range(8):
            worn = self.sampler.sample(kind, scale=scale, foot=0, grounded=False, facing=facing, **plain)
            if worn.appearance.color != wearer.appearance.shirt:
                break
        box = worn_box(wearer.appearance, kind)
        box = Box(round(box.x), round(box.y), max(4, round(box.w)), max(4, round(box.h)))
        worn.appearance = replace(worn.appearance, box=box)
        if kind == "dress":
            wearer.appearance = replace(wearer.appearance, shirt=worn.appearance.color, bare_legs=True)
        at = next(index for index, each in enumerate(group.objects) if each is wearer)
        group.objects.insert(at if kind == "backpack" else at + 1, worn)
        group.relations.append(DrawnRelation(wearer, "wearing", worn))

    def _thing(self, kind: str, row: SceneRow, factor: float = 1.0) -> DrawnObject:
        scale, foot = self.scales["water" if kind in AFLOAT else "door" if kind == "door" else row]
        fields: dict[str, str] = {}
        attributes = DRAWABLE[kind].attributes
        if row == "sky" and "flying" in attributes.get("action", ()):
            fields = {"action": "flying", "pose": ""}
        elif "pose" in attributes and self.rng.random() < 0.35:
            fields = {"pose": self.rng.choice(attributes["pose"])}
        given: dict[str, Any] = {name: value or None for name, value in fields.items()}
        if kind == "fish":
            given = {"action": "swimming"}
        grounded = row in ("back", "front") and kind not in ("door", "fish")
        drawn = self.sampler.sample(kind, scale=scale * factor, foot=foot, grounded=grounded, sizes=True, **given)
        drawn.aloft = row in ("sky", "wall")
        return drawn


_CARRIED = frozenset(
    {"flower", "umbrella", "balloon", "phone", "bag", "bottle", "cup", "book", "racket", "camera", "apple", "banana",
     "sandwich", "pizza", "carrot", "orange", "guitar", "box", "basket", "bucket", "ball", "kite", "hat", "ladder"}
)  # fmt: skip
"""Kinds that people carry anywhere."""


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
