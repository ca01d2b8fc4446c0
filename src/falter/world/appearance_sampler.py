"""Choosing how a thing of a kind looks: its colour, its clothes, its size, what it does."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from falter.scene import Box
from falter.world.drawing import DRAWABLE, Look, anchors, natural_size
from falter.world.drawing.appearance import Facing
from falter.world.drawn_objects import Piece
from falter.world.world_data import PEOPLE, Knowledge, knowledge

__all__ = ["Caster", "attributes_of", "weighted"]

_FEATURES = ("material", "pattern", "shape", "length", "opening", "contents", "light")
_SIZES = {"small": 0.65, "large": 1.4}
_SIZED = frozenset({"ball", "box", "tree", "bush", "flower", "cactus", "dog", "cat", "fish", "balloon"})
"""Kinds whose usual size everybody knows from the other scenes."""


def weighted(rng: random.Random, weights: Mapping[str, float]) -> str:
    """One of the names, as often as its weight says."""
    names = [name for name, weight in weights.items() if weight > 0]
    return rng.choices(names, [weights[name] for name in names])[0]


class Caster:
    """Makes pieces, one scene's worth of chance after the other."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.known: Knowledge = knowledge()

    def facing(self) -> Facing:
        """Left or right."""
        return "left" if self.rng.random() < 0.5 else "right"

    def piece(
        self,
        kind: str,
        *,
        scale: float,
        foot: float,
        x: float = 0.0,
        grounded: bool = True,
        sizes: bool = False,
        **fields: Any,
    ) -> Piece:
        """A thing whose lowest point stands at ``(x, foot)``; ``scale`` is the height of an adult in pixels."""
        features = self._features(kind, fields)
        size = None
        if sizes and kind in _SIZED and self.rng.random() < 0.3:
            size = self.rng.choice(("small", "large"))
        look = Look(kind=kind, box=Box(0, 0, 1, 1), seed=self.rng.randrange(4), size=size, **features)
        width, height = natural_size(look)
        factor = scale * _SIZES.get(size or "", 1.0)
        width, height = max(4, round(width * factor)), max(4, round(height * factor))
        look = _boxed(look, Box(round(x - width / 2), round(foot - height), width, height))
        return Piece(look=_standing(look, x, foot), grounded=grounded)

    def _features(self, kind: str, given: dict[str, Any]) -> dict[str, Any]:
        rng, honours = self.rng, DRAWABLE[kind].honours
        given = {**self.known.fixed.get(kind, {}), **given}
        features: dict[str, Any] = {"facing": given.get("facing") or self.facing()}
        for name in (*_FEATURES, "color", "mood", "pose", "action", "gesture", "shirt", "pants"):
            if name not in honours:
                continue
            if name in given:
                features[name] = given[name]
                continue
            values = honours[name]
            if name == "color":
                allowed = [value for value in values if value in self.known.colors.get(kind, values)]
                features[name] = rng.choice(allowed or values)
            elif name in ("shirt", "pants"):
                features[name] = rng.choice(self.known.colors[name])
            elif name == "mood":
                features[name] = rng.choices((*values, None), [*(3 if each == "happy" else 2 for each in values), 1])[0]
            elif name == "pose":
                features[name] = "standing" if "standing" in values else None
            elif name == "pattern":
                features[name] = rng.choice(values) if rng.random() < 0.5 else "plain"
            elif name in _FEATURES:
                features[name] = rng.choice(values)
        for name in ("seat", "start", "end"):
            if name in given:
                features[name] = given[name]
        return features


def _boxed(look: Look, box: Box) -> Look:
    from msgspec.structs import replace

    return replace(look, box=box)


def _standing(look: Look, x: float, foot: float) -> Look:
    """Move a look so that what is drawn of it, not its box, stands at the place."""
    from falter.world.masks import seen_box

    seen = seen_box(look)
    place = anchors(look).get("feet")
    middle = place.x if place is not None and look.kind in PEOPLE else seen.x + seen.w / 2
    box = look.box
    return _boxed(look, Box(box.x + round(x - middle), box.y + round(foot - seen.bottom), box.w, box.h))


def attributes_of(piece: Piece, known: Knowledge) -> tuple[str, ...]:
    """The words for what is seen of a thing, in the order of the families."""
    look = piece.look
    words: list[str] = []
    if look.color is not None and "color" in DRAWABLE[look.kind].honours:
        words.append(look.color)
    else:
        words.extend(known.colored.get(look.kind, ()))
    words += [
        word for name in (*_FEATURES, "size", "mood", "pose", "action") if (word := getattr(look, name)) is not None
    ]
    words += [word for word in piece.words if word not in words]
    return tuple(words)
