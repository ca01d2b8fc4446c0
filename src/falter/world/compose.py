"""Composing a scene: what is in it, where, and the exact graph of what one sees."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from falter.scene import Box, Relation, SceneGraph, SceneObject
from falter.scene.geometry import clip
from falter.world.appearance_sampler import Caster, attributes_of, weighted
from falter.world.drawing import (
    BACKGROUNDS,
    HEIGHT,
    WIDTH,
    Canvas,
    Look,
    anchors,
    draw_background,
    worn_box,
)
from falter.world.drawn_objects import Piece, Unit
from falter.world.layout import drawing_order, lay_out, wearers_of
from falter.world.masks import seen_box, visibility
from falter.world.object_groups import AFLOAT, Builder
from falter.world.relations import Said, Thing, complete_families, complete_relations, relations_of
from falter.world.world_data import PEOPLE, Knowledge, Setting, knowledge

__all__ = ["FIRST_ID", "Act", "Group", "WorldScene", "compose"]

FIRST_ID = 1_000_001
_FEWEST, _MOST = 3, 12
_GROUNDS = ("grass", "sand", "snow", "road", "floor")
_BACKDROP_SEEDS = 6
_VIEWS = frozenset({"painting", "window", "television"})
"""What shows a bit of sky or grass that nobody annotates."""
_SHORE = 10
"""So far from where two grounds meet one can tell which of them a thing stands on."""


class Act(msgspec.Struct, frozen=True):
    """Who does what to whom, by the ids of the graph."""

    verb: str
    agent: str
    patient: str
    tool: str | None = None


class Group(msgspec.Struct, frozen=True):
    """How many things of one kind there are where there is more than one."""

    kind: str
    count: int
    members: tuple[str, ...]


class WorldScene(msgspec.Struct, frozen=True, kw_only=True):
    """A scene: how to draw it, and everything one can say of it.

    ``wearers`` says which look of ``looks`` is worn by which.
    """

    index: int
    setting: str
    background: str
    background_seed: int
    looks: tuple[Look, ...]
    graph: SceneGraph
    wearers: dict[int, int]
    acts: tuple[Act, ...]
    groups: tuple[Group, ...]

    @property
    def image_id(self) -> str:
        return self.graph.image_id


def compose(seed: int, index: int) -> WorldScene:
    """The scene of that number in the world of that seed; always the same."""
    for attempt in range(200):
        scene = _attempt(random.Random(f"world {seed} {index} {attempt}"), index)
        if scene is not None:
            return scene
    raise RuntimeError(f"no scene could be composed for seed {seed}, index {index}")


def _attempt(rng: random.Random, index: int) -> WorldScene | None:
    known = knowledge()
    setting = known.settings[weighted(rng, {name: each.share for name, each in known.settings.items()})]
    background = rng.choice([name for name in setting.background if name in BACKGROUNDS])
    backdrop_seed = rng.randrange(_BACKDROP_SEEDS)
    top, bottom = BACKGROUNDS[background].ground
    wanted = rng.randint(_FEWEST, 6) if rng.random() < 0.25 else min(_MOST, rng.randint(7, 15))
    scales = _scales(rng, setting, top, bottom, wanted)
    water = _backdrop(background, backdrop_seed).get("water")
    if water is not None:
        scales["water"] = (scales["back"][0], water.y + (water.h * 0.55 if setting.name == "beach" else water.h * 0.6))
    scales["door"] = (scales["back"][0], BACKGROUNDS[background].horizon + 4)
    builder = Builder(Caster(rng), setting, scales)
    units = _choose(rng, builder, wanted)
    units = lay_out(rng, units, (top, bottom))
    number = sum(len(unit.pieces) for unit in units)
    if not _FEWEST <= number <= _MOST or not any(unit.row == "front" for unit in units):
        return None
    return _describe(known, index, setting, background, backdrop_seed, drawing_order(units), builder)


def _scales(
    rng: random.Random, setting: Setting, top: float, bottom: float, wanted: int
) -> dict[str, tuple[float, float]]:
    """How high an adult is in each row, and at which height of the picture its ground lies."""
    front = float(rng.choice((148, 160) if wanted <= 5 else (136, 148) if wanted <= 8 else (124, 136)))
    back = round(front * (0.74 if setting.outdoors else 0.86))
    near = bottom - rng.choice((2, 8, 14))
    return {"front": (front, near), "back": (back, top + 14), "sky": (back, 0.0), "wall": (back, 0.0)}


def _choose(rng: random.Random, builder: Builder, wanted: int) -> list[Unit]:
    """Units for a scene until there are about as many things as wanted."""
    units: list[Unit] = []
    count = 0
    group_done = rng.random() < 0.5
    for _ in range(40):
        room = wanted - count
        if room <= 0:
            break
        chance = rng.random()
        unit: Unit | None
        if not group_done and room >= 2:
            unit, group_done = builder.group(min(room, 9 if rng.random() < 0.85 else 12)), True
        elif chance < 0.28 and room >= 2:
            unit = builder.deed()
        elif chance < 0.32:
            unit = builder.person()
        elif chance < 0.5 and room >= 2:
            unit = builder.table()
        else:
            unit = builder.single(rng.choices(("front", "back", "sky", "wall"), (4, 4, 2, 2))[0])
        if unit is None:
            continue
        builder.dress(unit)
        if len(unit.pieces) > room + 1 or count + len(unit.pieces) > _MOST:
            continue
        builder.met.update(piece.kind for piece in unit.pieces if piece.kind not in PEOPLE)
        units.append(unit)
        count += len(unit.pieces)
    return units


@lru_cache(maxsize=256)
def _backdrop(name: str, seed: int) -> Mapping[str, Box]:
    return draw_background(Canvas(scale=1), name, seed)


def _describe(
    known: Knowledge,
    index: int,
    setting: Setting,
    background: str,
    backdrop_seed: int,
    units: list[Unit],
    builder: Builder,
) -> WorldScene | None:
    """The graph of a laid-out scene."""
    number = FIRST_ID + index
    owners = [(unit, piece) for unit in units for piece in unit.pieces]
    looks = tuple(piece.look for _, piece in owners)
    wearers = wearers_of(units)
    seen = visibility(looks, wearers)
    ids = {id(piece): f"{number}{place:02d}" for place, (_, piece) in enumerate(owners, start=1)}
    things = [
        Thing(
            id=ids[id(piece)],
            kind=piece.kind,
            box=_without_string(piece.look) or seen.boxes[order],
            row=unit.row,
            grounded=piece.grounded,
            aloft=piece.aloft,
            worn=order in wearers,
            scale=builder.scales[unit.row][0],
            order=order,
        )
        for order, (unit, piece) in enumerate(owners)
    ]
    bonds = [Said(ids[id(bond.subject)], bond.relation, ids[id(bond.object)]) for unit in units for bond in unit.bonds]
    said = relations_of(things, bonds, seen.covered_by)
    objects: dict[str, tuple[str, Box, tuple[str, ...]]] = {
        thing.id: (thing.kind, thing.box, attributes_of(piece, known))
        for thing, (_, piece) in zip(things, owners, strict=True)
    }
    said += _clothes(number, owners, things, objects)
    places = _places(number, background, backdrop_seed, known, objects)
    said += _grounded(things, owners, places, {name: objects[id_][1] for name, id_ in places.items()})
    acts = _acts(units, ids, places)
    said += [Said(act.agent, act.verb, act.patient) for act in acts if act.patient in places.values()]
    said = list(dict.fromkeys(said))
    deeds = {act.verb for act in acts}
    moving = sum(piece.look.action in ("walking", "running") for _, piece in owners)
    complete = complete_relations(things, said, deeds, moving)
    if not any(look.kind in _VIEWS and look.light != "unlit" for look in looks):
        complete.add("objects")
    complete |= complete_families(known, ((name, words) for name, _, words in objects.values()), deeds)
    graph = SceneGraph(
        image_id=str(number),
        width=WIDTH,
        height=HEIGHT,
        location=setting.location,
        weather=_weather(looks),
        objects=_objects(objects, said),
        complete=frozenset(complete),
    )
    return WorldScene(
        index=index,
        setting=setting.name,
        background=background,
        background_seed=backdrop_seed,
        looks=looks,
        graph=graph,
        wearers=wearers,
        acts=acts,
        groups=_groups(things),
    )


def _objects(objects: Mapping[str, tuple[str, Box, tuple[str, ...]]], said: Iterable[Said]) -> dict[str, SceneObject]:
    relations: dict[str, list[Relation]] = {id_: [] for id_ in objects}
    for one in said:
        relations[one.subject].append(Relation(one.relation, one.object))
    return {
        id_: SceneObject(id=id_, name=name, box=box, attributes=words, relations=tuple(relations[id_]))
        for id_, (name, box, words) in objects.items()
    }


def _clothes(
    number: int,
    owners: list[tuple[Unit, Piece]],
    things: list[Thing],
    objects: dict[str, tuple[str, Box, tuple[str, ...]]],
) -> list[Said]:
    """Annotate the shirt and the pants that everybody wears."""
    said: list[Said] = []
    for (_, piece), thing in zip(owners, things, strict=True):
        look = piece.look
        if look.kind not in PEOPLE:
            continue
        for name, color in (("shirt", look.shirt), ("pants", look.pants)):
            box = None if look.bare_legs else _garment(look, name, thing.box)
            if color is None or box is None:
                continue
            id_ = f"{number}{len(objects) + 1:02d}"
            objects[id_] = (name, box, (color,))
            said.append(Said(thing.id, "wearing", id_))
    return said


def _without_string(look: Look) -> Box | None:
    """The box of a kite or balloon that somebody holds by its string, the string left out; None for all else."""
    if look.end is None or look.start is not None:
        return None
    return clip(seen_box(msgspec.structs.replace(look, end=None)), WIDTH, HEIGHT)


def _garment(look: Look, name: str, within: Box) -> Box | None:
    """Where somebody's shirt or pants are to be seen."""
    if look.pose in ("lying", "sitting"):
        spots = ("neck", "chest", "seat") if name == "shirt" else ("seat", "feet", "foot")
        points = [anchors(look)[spot] for spot in spots]
        margin = 0.06 * max(look.box.w, look.box.h)
        x0, x1 = min(point.x for point in points) - margin, max(point.x for point in points) + margin
        y0, y1 = min(point.y for point in points) - margin, max(point.y for point in points) + margin
    else:
        box = worn_box(look, name)
        x0, y0, x1, y1 = box.x, box.y, box.right, box.bottom
    x0, y0 = round(max(x0, within.x)), round(max(y0, within.y))
    x1, y1 = round(min(x1, within.right)), round(min(y1, within.bottom))
    return Box(x0, y0, x1 - x0, y1 - y0) if x1 > x0 and y1 > y0 else None


def _places(
    number: int,
    background: str,
    seed: int,
    known: Knowledge,
    objects: dict[str, tuple[str, Box, tuple[str, ...]]],
) -> dict[str, str]:
    """Annotate what the background shows; gives the id of each by its name."""
    places: dict[str, str] = {}
    for name, whole in _backdrop(background, seed).items():
        box = clip(whole, WIDTH, HEIGHT)
        if box is None:
            continue
        id_ = f"{number}{len(objects) + 1:02d}"
        words = known.colored.get(f"{background} {name}", known.colored.get(name, ()))
        objects[id_] = (name, Box(*(round(value) for value in box)), words)
        places[name] = id_
    return places


def _grounded(
    things: list[Thing], owners: list[tuple[Unit, Piece]], places: Mapping[str, str], boxes: Mapping[str, Box]
) -> list[Said]:
    """Say what stands, sits and lies on the ground."""
    said: list[Said] = []
    for thing, (_, piece) in zip(things, owners, strict=True):
        ground = _ground_under(thing, places, boxes)
        if ground is not None:
            name = {"sitting": "sitting on", "lying": "lying on"}.get(piece.look.pose or "", "on")
            said.append(Said(thing.id, name, ground))
    return said


def _ground_under(thing: Thing, places: Mapping[str, str], boxes: Mapping[str, Box]) -> str | None:
    """The ground that a thing plainly stands on; None in the air and where two grounds meet."""
    if not thing.grounded:
        return None
    foot = thing.box.bottom
    names = ("water",) if thing.kind in AFLOAT else _GROUNDS
    for name in names:
        if name in places and boxes[name].y + _SHORE <= foot <= boxes[name].bottom + 1:
            return places[name]
    return None


def _acts(units: list[Unit], ids: Mapping[int, str], places: Mapping[str, str]) -> tuple[Act, ...]:
    grounds = [places[name] for name in _GROUNDS if name in places]
    acts: list[Act] = []
    for unit in units:
        for deed in unit.deeds:
            patient = grounds[-1] if deed.patient is None and grounds else None
            if deed.patient is not None:
                patient = ids[id(deed.patient)]
            if patient is not None:
                tool = None if deed.tool is None else ids[id(deed.tool)]
                acts.append(Act(deed.verb, ids[id(deed.agent)], patient, tool))
    return tuple(acts)


def _groups(things: list[Thing]) -> tuple[Group, ...]:
    members: dict[str, list[str]] = {}
    for thing in things:
        members.setdefault(thing.kind, []).append(thing.id)
    return tuple(Group(kind, len(ids), tuple(ids)) for kind, ids in members.items() if len(ids) > 1)


def _weather(looks: Iterable[Look]) -> str | None:
    kinds = [look.kind for look in looks]
    if "sun" in kinds:
        return "sunny"
    return "cloudy" if kinds.count("cloud") >= 2 else None
