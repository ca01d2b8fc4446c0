"""Samples the appearance of objects: color, clothes, size, pose, action."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import msgspec

from falter.scene import Box
from falter.world.drawing import DRAWABLE, Appearance, anchors, natural_size
from falter.world.drawing.appearance import Facing
from falter.world.drawn_objects import DrawnObject
from falter.world.masks import seen_box
from falter.world.world_data import PEOPLE, WorldData, load_world_data

__all__ = ["AppearanceSampler", "visible_attributes", "weighted_choice"]

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
