"""Composes a scene: its objects, their positions, and the exact scene graph of what is visible."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import msgspec

from falter.generation.scene import Box, Relation, SceneGraph, SceneObject
from falter.generation.scene.graph import clip
from falter.world.drawing import BACKGROUNDS, HEIGHT, WIDTH, Appearance, Canvas, anchors, draw_background, worn_box
from falter.world.drawn_objects import (
    AppearanceSampler,
    DrawnObject,
    ObjectGroup,
    seen_box,
    visibility,
    visible_attributes,
    weighted_choice,
)
from falter.world.layout import (
    RelationTriple,
    VisibleObject,
    complete_families,
    complete_relations,
    drawing_order,
    find_relations,
    find_wearers,
    lay_out,
)
from falter.world.object_groups import AFLOAT, ObjectGroupBuilder, SceneMix, interaction, placement, several
from falter.world.world_data import PEOPLE, Environment, WorldData, load_world_data

FIRST_ID = 1_000_001
_MIN_OBJECTS, _MAX_OBJECTS = 3, 12
_CONTRAST_TRIES = 6
_GROUNDS = ("grass", "sand", "snow", "road", "floor")
_BACKDROP_SEEDS = 6
_VIEWS = frozenset({"painting", "window", "television"})
"""Kinds that show some sky or grass that is not annotated."""
_SHORE = 10
"""Pixels from the border of two grounds at which it is clear which of them an object stands on."""


class AnnotatedAction(msgspec.Struct, frozen=True):
    """Who does what to whom, by object ids of the scene graph."""

    verb: str
    agent: str
    patient: str
    tool: str | None = None


class CountedGroup(msgspec.Struct, frozen=True):
    """The objects of one kind, where there is more than one."""

    kind: str
    count: int
    members: tuple[str, ...]


class WorldScene(msgspec.Struct, frozen=True, kw_only=True):
    """A scene: how to draw it, and its annotation.

    ``wearers`` gives, for each worn appearance, the index of its wearer.
    """

    index: int
    environment: str
    background: str
    background_seed: int
    appearances: tuple[Appearance, ...]
    graph: SceneGraph
    wearers: dict[int, int]
    actions: tuple[AnnotatedAction, ...]
    counted_groups: tuple[CountedGroup, ...]

    @property
    def image_id(self) -> str:
        return self.graph.image_id


def compose(seed: int, index: int, mix: SceneMix = "default") -> WorldScene:
    """Compose scene ``index`` of the world of a seed; equal arguments give equal scenes."""
    for attempt in range(200):
        scene = _attempt(random.Random(f"world {seed} {index} {attempt}"), index, mix)
        if scene is not None:
            return scene
    raise RuntimeError(f"no scene could be composed for seed {seed}, index {index}")


def _attempt(rng: random.Random, index: int, mix: SceneMix) -> WorldScene | None:
    data = load_world_data()
    environment = data.environments[
        weighted_choice(rng, {name: each.share for name, each in data.environments.items()})
    ]
    background = rng.choice([name for name in environment.background if name in BACKGROUNDS])
    backdrop_seed = rng.randrange(_BACKDROP_SEEDS)
    top, bottom = BACKGROUNDS[background].ground
    wanted = rng.randint(_MIN_OBJECTS, 6) if rng.random() < 0.25 else min(_MAX_OBJECTS, rng.randint(7, 15))
    scales = _scales(rng, environment, top, bottom, wanted)
    water = _backdrop(background, backdrop_seed).get("water")
    if water is not None:
        scales["water"] = (
            scales["back"][0],
            water.y + (water.h * 0.55 if environment.name == "beach" else water.h * 0.6),
        )
    scales["door"] = (scales["back"][0], BACKGROUNDS[background].horizon + 4)
    builder = ObjectGroupBuilder(AppearanceSampler(rng), environment, scales)
    first = _choose_contrasts(rng, builder) if mix == "contrastive" else []
    groups = _choose(rng, builder, wanted, first)
    groups = lay_out(rng, groups, (top, bottom))
    number = sum(len(group.objects) for group in groups)
    if not _MIN_OBJECTS <= number <= _MAX_OBJECTS or not any(group.row == "front" for group in groups):
        return None
    return _describe(data, index, environment, background, backdrop_seed, drawing_order(groups), builder)


def _scales(
    rng: random.Random, environment: Environment, top: float, bottom: float, wanted: int
) -> dict[str, tuple[float, float]]:
    """The height of an adult and the height of the ground in each row, in pixels."""
    front = float(rng.choice((148, 160) if wanted <= 5 else (136, 148) if wanted <= 8 else (124, 136)))
    back = round(front * (0.74 if environment.outdoors else 0.86))
    near = bottom - rng.choice((2, 8, 14))
    return {"front": (front, near), "back": (back, top + 14), "sky": (back, 0.0), "wall": (back, 0.0)}


def _choose_contrasts(rng: random.Random, builder: ObjectGroupBuilder) -> list[ObjectGroup]:
    """Up to three groups of the contrastive mix."""
    chances = ((several, 0.45), (interaction, 0.5), (placement, 0.7))
    builders = [build for build, chance in chances if rng.random() < chance] or [interaction]
    rng.shuffle(builders)
    groups: list[ObjectGroup] = []
    for build in builders:
        found = (build(builder) for _ in range(_CONTRAST_TRIES))
        group = next((one for one in found if one is not None), None)
        if group is None or any(drawn.kind in builder.met for drawn in group.objects):
            continue
        builder.met.update(drawn.kind for drawn in group.objects)
        builder.dress(group)
        if sum(len(one.objects) for one in (*groups, group)) <= _MAX_OBJECTS:
            groups.append(group)
    return groups


def _choose(
    rng: random.Random, builder: ObjectGroupBuilder, wanted: int, first: Sequence[ObjectGroup] = ()
) -> list[ObjectGroup]:
    """Choose groups until there are about as many objects as wanted; more of the kinds of the first ones are not."""
    groups: list[ObjectGroup] = list(first)
    count = sum(len(group.objects) for group in groups)
    alone = {drawn.kind for group in first for drawn in group.objects}
    group_done = bool(first) or rng.random() < 0.5
    for _ in range(40):
        room = wanted - count
        if room <= 0:
            break
        chance = rng.random()
        group: ObjectGroup | None
        if not group_done and room >= 2:
            group, group_done = builder.counted(min(room, 9 if rng.random() < 0.85 else 12)), True
        elif chance < 0.28 and room >= 2:
            group = builder.action()
        elif chance < 0.32:
            group = builder.person()
        elif chance < 0.5 and room >= 2:
            group = builder.table()
        else:
            group = builder.single(rng.choices(("front", "back", "sky", "wall"), (4, 4, 2, 2))[0])
        if group is None or any(drawn.kind in alone for drawn in group.objects):
            continue
        builder.dress(group)
        if len(group.objects) > room + 1 or count + len(group.objects) > _MAX_OBJECTS:
            continue
        builder.met.update(drawn.kind for drawn in group.objects if drawn.kind not in PEOPLE)
        groups.append(group)
        count += len(group.objects)
    return groups


@lru_cache(maxsize=256)
def _backdrop(name: str, seed: int) -> Mapping[str, Box]:
    return draw_background(Canvas(scale=1), name, seed)


def _describe(
    data: WorldData,
    index: int,
    environment: Environment,
    background: str,
    backdrop_seed: int,
    groups: list[ObjectGroup],
    builder: ObjectGroupBuilder,
) -> WorldScene | None:
    """Annotate a scene whose groups have been placed."""
    number = FIRST_ID + index
    owners = [(group, drawn) for group in groups for drawn in group.objects]
    appearances = tuple(drawn.appearance for _, drawn in owners)
    wearers = find_wearers(groups)
    seen = visibility(appearances, wearers)
    ids = {id(drawn): f"{number}{index:02d}" for index, (_, drawn) in enumerate(owners, start=1)}
    things = [
        VisibleObject(
            id=ids[id(drawn)],
            kind=drawn.kind,
            box=_without_string(drawn.appearance) or seen.boxes[order],
            row=group.row,
            grounded=drawn.grounded,
            aloft=drawn.aloft,
            worn=order in wearers,
            scale=builder.scales[group.row][0],
            order=order,
        )
        for order, (group, drawn) in enumerate(owners)
    ]
    relations = [
        RelationTriple(ids[id(relation.subject)], relation.name, ids[id(relation.object)])
        for group in groups
        for relation in group.relations
    ]
    triples = find_relations(things, relations, seen.covered_by)
    objects: dict[str, tuple[str, Box, tuple[str, ...]]] = {
        thing.id: (thing.kind, thing.box, visible_attributes(drawn, data))
        for thing, (_, drawn) in zip(things, owners, strict=True)
    }
    triples += _annotate_clothes(number, owners, things, objects)
    backdrop_ids = _annotate_backdrop(number, background, backdrop_seed, data, objects)
    triples += _relate_to_ground(
        things, owners, backdrop_ids, {name: objects[id_][1] for name, id_ in backdrop_ids.items()}
    )
    actions = _annotate_actions(groups, ids, backdrop_ids)
    triples += [
        RelationTriple(action.agent, action.verb, action.patient)
        for action in actions
        if action.patient in backdrop_ids.values()
    ]
    triples = list(dict.fromkeys(triples))
    verbs = {action.verb for action in actions}
    moving = sum(drawn.appearance.action in ("walking", "running") for _, drawn in owners)
    complete = complete_relations(things, triples, verbs, moving)
    if not any(appearance.kind in _VIEWS and appearance.light != "unlit" for appearance in appearances):
        complete.add("objects")
    complete |= complete_families(data, ((name, words) for name, _, words in objects.values()), verbs)
    graph = SceneGraph(
        image_id=str(number),
        width=WIDTH,
        height=HEIGHT,
        location=environment.location,
        weather=_weather(appearances),
        objects=_objects(objects, triples),
        complete=frozenset(complete),
    )
    return WorldScene(
        index=index,
        environment=environment.name,
        background=background,
        background_seed=backdrop_seed,
        appearances=appearances,
        graph=graph,
        wearers=wearers,
        actions=actions,
        counted_groups=_count_groups(things),
    )


def _objects(
    objects: Mapping[str, tuple[str, Box, tuple[str, ...]]], triples: Iterable[RelationTriple]
) -> dict[str, SceneObject]:
    relations: dict[str, list[Relation]] = {id_: [] for id_ in objects}
    for one in triples:
        relations[one.subject].append(Relation(one.relation, one.object))
    return {
        id_: SceneObject(id=id_, name=name, box=box, attributes=words, relations=tuple(relations[id_]))
        for id_, (name, box, words) in objects.items()
    }


def _annotate_clothes(
    number: int,
    owners: list[tuple[ObjectGroup, DrawnObject]],
    things: list[VisibleObject],
    objects: dict[str, tuple[str, Box, tuple[str, ...]]],
) -> list[RelationTriple]:
    """Annotate everybody's shirt and pants."""
    triples: list[RelationTriple] = []
    for (_, drawn), thing in zip(owners, things, strict=True):
        appearance = drawn.appearance
        if appearance.kind not in PEOPLE:
            continue
        for name, color in (("shirt", appearance.shirt), ("pants", appearance.pants)):
            box = None if appearance.bare_legs else _garment(appearance, name, thing.box)
            if color is None or box is None:
                continue
            id_ = f"{number}{len(objects) + 1:02d}"
            objects[id_] = (name, box, (color,))
            triples.append(RelationTriple(thing.id, "wearing", id_))
    return triples


def _without_string(appearance: Appearance) -> Box | None:
    """The box of a kite or balloon that somebody holds by its string, the string left out; None for all else."""
    if appearance.end is None or appearance.start is not None:
        return None
    return clip(seen_box(msgspec.structs.replace(appearance, end=None)), WIDTH, HEIGHT)


def _garment(appearance: Appearance, name: str, within: Box) -> Box | None:
    """The box of somebody's shirt or pants."""
    if appearance.pose in ("lying", "sitting"):
        spots = ("neck", "chest", "seat") if name == "shirt" else ("seat", "feet", "foot")
        points = [anchors(appearance)[spot] for spot in spots]
        margin = 0.06 * max(appearance.box.w, appearance.box.h)
        x0, x1 = min(point.x for point in points) - margin, max(point.x for point in points) + margin
        y0, y1 = min(point.y for point in points) - margin, max(point.y for point in points) + margin
    else:
        box = worn_box(appearance, name)
        x0, y0, x1, y1 = box.x, box.y, box.right, box.bottom
    x0, y0 = round(max(x0, within.x)), round(max(y0, within.y))
    x1, y1 = round(min(x1, within.right)), round(min(y1, within.bottom))
    return Box(x0, y0, x1 - x0, y1 - y0) if x1 > x0 and y1 > y0 else None


def _annotate_backdrop(
    number: int,
    background: str,
    seed: int,
    data: WorldData,
    objects: dict[str, tuple[str, Box, tuple[str, ...]]],
) -> dict[str, str]:
    """Annotate what the background shows; returns the object ids by name."""
    backdrop_ids: dict[str, str] = {}
    for name, whole in _backdrop(background, seed).items():
        box = clip(whole, WIDTH, HEIGHT)
        if box is None:
            continue
        id_ = f"{number}{len(objects) + 1:02d}"
        words = data.colored.get(f"{background} {name}", data.colored.get(name, ()))
        objects[id_] = (name, Box(*(round(value) for value in box)), words)
        backdrop_ids[name] = id_
    return backdrop_ids


def _relate_to_ground(
    things: list[VisibleObject],
    owners: list[tuple[ObjectGroup, DrawnObject]],
    backdrop_ids: Mapping[str, str],
    boxes: Mapping[str, Box],
) -> list[RelationTriple]:
    """Relate objects to the ground that they stand, sit or lie on."""
    triples: list[RelationTriple] = []
    for thing, (_, drawn) in zip(things, owners, strict=True):
        ground = _ground_under(thing, backdrop_ids, boxes)
        if ground is not None:
            name = {"sitting": "sitting on", "lying": "lying on"}.get(drawn.appearance.pose or "", "on")
            triples.append(RelationTriple(thing.id, name, ground))
    return triples


def _ground_under(thing: VisibleObject, backdrop_ids: Mapping[str, str], boxes: Mapping[str, Box]) -> str | None:
    """The ground that an object clearly stands on; None in the air and where two grounds meet."""
    if not thing.grounded:
        return None
    foot = thing.box.bottom
    names = ("water",) if thing.kind in AFLOAT else _GROUNDS
    for name in names:
        if name in backdrop_ids and boxes[name].y + _SHORE <= foot <= boxes[name].bottom + 1:
            return backdrop_ids[name]
    return None


def _annotate_actions(
    groups: list[ObjectGroup], ids: Mapping[int, str], backdrop_ids: Mapping[str, str]
) -> tuple[AnnotatedAction, ...]:
    grounds = [backdrop_ids[name] for name in _GROUNDS if name in backdrop_ids]
    actions: list[AnnotatedAction] = []
    for group in groups:
        for action in group.actions:
            patient = grounds[-1] if action.patient is None and grounds else None
            if action.patient is not None:
                patient = ids[id(action.patient)]
            if patient is not None:
                tool = None if action.tool is None else ids[id(action.tool)]
                actions.append(AnnotatedAction(action.verb, ids[id(action.agent)], patient, tool))
    return tuple(actions)


def _count_groups(things: list[VisibleObject]) -> tuple[CountedGroup, ...]:
    members: dict[str, list[str]] = {}
    for thing in things:
        members.setdefault(thing.kind, []).append(thing.id)
    return tuple(CountedGroup(kind, len(ids), tuple(ids)) for kind, ids in members.items() if len(ids) > 1)


def _weather(appearances: Iterable[Appearance]) -> str | None:
    kinds = [appearance.kind for appearance in appearances]
    if "sun" in kinds:
        return "sunny"
    return "cloudy" if kinds.count("cloud") >= 2 else None
