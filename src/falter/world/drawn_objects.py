"""The objects of a scene while it is composed: how each looks, what of it is visible, and groups that move as one.

Color, clothes, size, pose and action are sampled; masks are cached per shape.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from falter.generation.scene import Box
from falter.world.drawing import DRAWABLE, HEIGHT, WIDTH, anchors, mask, natural_size
from falter.world.drawing.pen import Appearance, Facing, PixelPoint
from falter.world.world_data import PEOPLE, WorldData, load_world_data

SceneRow = str
"""The row of a group: ``back``, ``front``, ``sky`` or ``wall``."""


class DrawnObject(msgspec.Struct, kw_only=True):
    """One object to be drawn and annotated."""

    appearance: Appearance
    words: tuple[str, ...] = ()
    grounded: bool = False
    aloft: bool = False

    @property
    def kind(self) -> str:
        return self.appearance.kind


class DrawnRelation(NamedTuple):
    """A relation between two objects that follows from how they were placed."""

    subject: DrawnObject
    name: str
    object: DrawnObject


class Action(NamedTuple):
    """Who does what to whom with what; ``patient`` is None where it is the ground."""

    verb: str
    agent: DrawnObject
    patient: DrawnObject | None
    tool: DrawnObject | None


class ObjectGroup(msgspec.Struct, kw_only=True):
    """Objects that are placed as one, from the furthest to the nearest."""

    row: SceneRow
    objects: list[DrawnObject]
    relations: list[DrawnRelation] = []
    actions: list[Action] = []
    counted_kind: str | None = None

    def height(self) -> tuple[float, float]:
        """The topmost and the lowest edge."""
        edges = [(drawn.appearance.box.y, drawn.appearance.box.bottom) for drawn in self.objects]
        return min(top for top, _ in edges), max(bottom for _, bottom in edges)

    def shift(self, dx: float, dy: float = 0.0) -> None:
        """Move the whole group."""
        for drawn in self.objects:
            drawn.appearance = move_appearance(drawn.appearance, dx, dy)


def move_box(box: Box, dx: float, dy: float) -> Box:
    """Move a box."""
    return Box(box.x + dx, box.y + dy, box.w, box.h)


def move_appearance(appearance: Appearance, dx: float, dy: float) -> Appearance:
    """Move an appearance by whole pixels, with the string or rope that leads out of it."""
    dx, dy = round(dx), round(dy)
    start = None if appearance.start is None else PixelPoint(appearance.start.x + dx, appearance.start.y + dy)
    end = None if appearance.end is None else PixelPoint(appearance.end.x + dx, appearance.end.y + dy)
    return msgspec.structs.replace(appearance, box=move_box(appearance.box, dx, dy), start=start, end=end)


_MARGIN = 8


class ObjectMask(NamedTuple):
    """A mask with the position of its upper left corner in the image."""

    x: int
    y: int
    mask: NDArray[np.bool_]


def object_mask(appearance: Appearance) -> ObjectMask:
    """The pixels an object covers by itself, cut to its extent; its box must lie on whole pixels."""
    corners = [(appearance.box.x, appearance.box.y), (appearance.box.right, appearance.box.bottom)]
    corners += [(point.x, point.y) for point in (appearance.start, appearance.end) if point is not None]
    x0, y0 = round(min(x for x, _ in corners)) - _MARGIN, round(min(y for _, y in corners)) - _MARGIN
    # What does not change the outline is left out of the key, so that one mask serves every color.
    shape = msgspec.structs.replace(
        appearance,
        box=Box(appearance.box.x - x0, appearance.box.y - y0, appearance.box.w, appearance.box.h),
        color=None,
        material=None,
        pattern=None,
        size=None,
        seed=0 if appearance.kind in PEOPLE else appearance.seed,
        shirt=None,
        pants=None,
        mood=None,
        light=None,
        start=None if appearance.start is None else PixelPoint(appearance.start.x - x0, appearance.start.y - y0),
        end=None if appearance.end is None else PixelPoint(appearance.end.x - x0, appearance.end.y - y0),
    )
    width = round(max(x for x, _ in corners)) - x0 + _MARGIN
    height = round(max(y for _, y in corners)) - y0 + _MARGIN
    left, top, covered = _cut(shape, width, height)
    return ObjectMask(x0 + left, y0 + top, covered)


@lru_cache(maxsize=8192)
def _cut(appearance: Appearance, width: int, height: int) -> tuple[int, int, NDArray[np.bool_]]:
    covered = mask(appearance, width, height)
    rows, columns = np.flatnonzero(covered.any(axis=1)), np.flatnonzero(covered.any(axis=0))
    if not len(rows):
        return 0, 0, np.zeros((1, 1), dtype=np.bool_)
    cut = np.ascontiguousarray(covered[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
    cut.setflags(write=False)
    return int(columns[0]), int(rows[0]), cut


def seen_box(appearance: Appearance) -> Box:
    """The tight box around an object drawn alone."""
    cover = object_mask(appearance)
    return Box(cover.x, cover.y, cover.mask.shape[1], cover.mask.shape[0])


class Visibility(NamedTuple):
    """What remains visible of each object: share, box, and the pixels that each later object covers."""

    shares: list[float]
    boxes: list[Box]
    covered_by: dict[tuple[int, int], int]


def visibility(
    appearances: Sequence[Appearance], wearers: Mapping[int, int], width: int = WIDTH, height: int = HEIGHT
) -> Visibility:
    """Draw objects over each other from back to front and measure what remains of each.

    ``wearers`` gives the wearer of each worn object: clothes do not hide their wearer.
    """
    top = np.full((height, width), -1, dtype=np.int16)
    totals: list[int] = []
    covered_by: dict[tuple[int, int], int] = {}
    for number, appearance in enumerate(appearances):
        x, y, covered = object_mask(appearance)
        totals.append(int(np.count_nonzero(covered)))
        x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + covered.shape[1], width), min(y + covered.shape[0], height)
        if x0 >= x1 or y0 >= y1:
            continue
        here = top[y0:y1, x0:x1]
        inside = covered[y0 - y : y1 - y, x0 - x : x1 - x]
        below = here[inside]
        below = below[below >= 0]
        if below.size:
            for other, count in enumerate(np.bincount(below)):
                if count and wearers.get(number) != other:
                    covered_by[other, number] = int(count)
        here[inside] = number
    shares: list[float] = []
    boxes: list[Box] = []
    for number, appearance in enumerate(appearances):
        x, y, covered = object_mask(appearance)
        x0, y0 = min(max(x, 0), width), min(max(y, 0), height)
        x1, y1 = max(x0, min(x + covered.shape[1], width)), max(y0, min(y + covered.shape[0], height))
        here = top[y0:y1, x0:x1]
        left = here == number
        for worn, wearer in wearers.items():
            if wearer == number:
                left |= (here == worn) & covered[y0 - y : y1 - y, x0 - x : x1 - x]
        rows, columns = np.flatnonzero(left.any(axis=1)), np.flatnonzero(left.any(axis=0))
        if not len(rows):
            shares.append(0.0)
            boxes.append(Box(0, 0, 0, 0))
            continue
        shares.append(int(np.count_nonzero(left)) / max(totals[number], 1))
        boxes.append(
            Box(
                x0 + int(columns[0]),
                y0 + int(rows[0]),
                int(columns[-1] - columns[0] + 1),
                int(rows[-1] - rows[0] + 1),
            )
        )
    return Visibility(shares, boxes, covered_by)


_FEATURES = ("material", "pattern", "shape", "length", "opening", "contents", "light")
_GRAINED = frozenset({"wood", "stone", "brick"})
"""Materials that are drawn with a grain: what is of them is not called plain."""
_SIZES = {"small": 0.65, "large": 1.4}
_SIZED = frozenset({"ball", "box", "tree", "bush", "flower", "cactus", "dog", "cat", "fish", "balloon"})
"""Kinds whose usual size is known from other scenes."""


def weighted_choice(rng: random.Random, weights: Mapping[str, float]) -> str:
    """Draw one of the names by its weight."""
    names = [name for name, weight in weights.items() if weight > 0]
    return rng.choices(names, [weights[name] for name in names])[0]


class AppearanceSampler:
    """Samples objects with the random stream of one scene."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.data: WorldData = load_world_data()

    def facing(self) -> Facing:
        """Left or right."""
        return "left" if self.rng.random() < 0.5 else "right"

    def sample(
        self,
        kind: str,
        *,
        scale: float,
        foot: float,
        x: float = 0.0,
        grounded: bool = True,
        sizes: bool = False,
        **fields: Any,
    ) -> DrawnObject:
        """Sample an object whose lowest point is at ``(x, foot)``; ``scale`` is the height of an adult in pixels."""
        features = self._features(kind, fields)
        size = None
        if sizes and kind in _SIZED and self.rng.random() < 0.3:
            size = self.rng.choice(("small", "large"))
        appearance = Appearance(kind=kind, box=Box(0, 0, 1, 1), seed=self.rng.randrange(4), size=size, **features)
        width, height = natural_size(appearance)
        factor = scale * _SIZES.get(size or "", 1.0)
        width, height = max(4, round(width * factor)), max(4, round(height * factor))
        appearance = _boxed(appearance, Box(round(x - width / 2), round(foot - height), width, height))
        return DrawnObject(appearance=_standing(appearance, x, foot), grounded=grounded)

    def _features(self, kind: str, given: dict[str, Any]) -> dict[str, Any]:
        rng, attributes = self.rng, DRAWABLE[kind].attributes
        given = {**self.data.fixed.get(kind, {}), **given}
        features: dict[str, Any] = {"facing": given.get("facing") or self.facing()}
        for name in (*_FEATURES, "color", "mood", "pose", "action", "gesture", "shirt", "pants"):
            if name not in attributes:
                continue
            if name in given:
                features[name] = given[name]
                continue
            values = attributes[name]
            if name == "color":
                allowed = [value for value in values if value in self.data.colors.get(kind, values)]
                features[name] = rng.choice(allowed or values)
            elif name in ("shirt", "pants"):
                features[name] = rng.choice(self.data.colors[name])
            elif name == "mood":
                features[name] = rng.choices((*values, None), [*(3 if each == "happy" else 2 for each in values), 1])[0]
            elif name == "pose":
                features[name] = "standing" if "standing" in values else None
            elif name == "pattern":
                features[name] = rng.choice(values) if rng.random() < 0.5 else "plain"
            elif name in _FEATURES:
                features[name] = rng.choice(values)
        if features.get("material") in _GRAINED and features.get("pattern") == "plain":
            features["pattern"] = None
        for name in ("seat", "start", "end"):
            if name in given:
                features[name] = given[name]
        return features


def _boxed(appearance: Appearance, box: Box) -> Appearance:
    return msgspec.structs.replace(appearance, box=box)


def _standing(appearance: Appearance, x: float, foot: float) -> Appearance:
    """Move an appearance so that its drawn pixels, not its box, stand at ``(x, foot)``."""
    seen = seen_box(appearance)
    feet = anchors(appearance).get("feet")
    middle = feet.x if feet is not None and appearance.kind in PEOPLE else seen.x + seen.w / 2
    box = appearance.box
    return _boxed(appearance, Box(box.x + round(x - middle), box.y + round(foot - seen.bottom), box.w, box.h))


def visible_attributes(drawn: DrawnObject, data: WorldData) -> tuple[str, ...]:
    """The attribute words for what is visible of an object, in the order of the families."""
    appearance = drawn.appearance
    words: list[str] = []
    if appearance.color is not None and "color" in DRAWABLE[appearance.kind].attributes:
        words.append(appearance.color)
    else:
        words.extend(data.colored.get(appearance.kind, ()))
    words += [
        word
        for name in (*_FEATURES, "size", "mood", "pose", "action")
        if (word := getattr(appearance, name)) is not None
    ]
    words += [word for word in drawn.words if word not in words]
    return tuple(words)
