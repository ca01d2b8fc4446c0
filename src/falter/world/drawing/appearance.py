"""The appearance of one object: everything that determines how it is drawn."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from falter.scene import Box

__all__ = ["Appearance", "Facing", "PixelPoint", "Seat"]

Facing = Literal["left", "right"]
Seat = Literal["chair", "ground", "astride"]


class PixelPoint(NamedTuple):
    """A point of the image, in pixels."""

    x: float
    y: float


class Appearance(msgspec.Struct, frozen=True, kw_only=True):
    """One object as it is drawn: the attributes are words of the ontology, or None where they do not apply.

    ``gesture`` says what a person's arms do (``"down"``, ``"forward"``, ``"up"``, ``"both forward"``, ``"both up"``,
    ``"wave"``, ``"mouth"``, ``"point"`` ...): what a verb looks like from outside.
    ``seat`` is what a sitting person sits on; ``bare_legs`` go with a dress; ``laid`` is a surfboard lying flat, as one
    rides it. ``start`` and ``end`` are the two ends of a rope or a leash; ``end`` alone is where the string of a kite
    or a balloon is held, or where the water of a watering can falls.
    """

    kind: str
    box: Box
    color: str | None = None
    material: str | None = None
    pattern: str | None = None
    size: str | None = None
    shape: str | None = None
    length: str | None = None
    opening: str | None = None
    contents: str | None = None
    light: str | None = None
    mood: str | None = None
    pose: str | None = None
    action: str | None = None
    facing: Facing = "right"
    gesture: str | None = None
    shirt: str | None = None
    pants: str | None = None
    seed: int = 0
    seat: Seat = "chair"
    start: PixelPoint | None = None
    end: PixelPoint | None = None
    bare_legs: bool = False
    laid: bool = False
