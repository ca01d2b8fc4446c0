"""Finding a place in the picture for every unit, so that nothing is hidden and nothing touches by accident."""

from __future__ import annotations

import random
from collections.abc import Sequence

from falter.scene import Box
from falter.world.drawing import HEIGHT, WIDTH
from falter.world.drawn_objects import Unit
from falter.world.masks import seen_box, visibility

__all__ = ["LEAST_VISIBLE", "drawing_order", "lay_out", "wearers_of"]

LEAST_VISIBLE = 0.6
_EDGE = 4
_GAP = 9
_TRIES = 24


def lay_out(rng: random.Random, units: Sequence[Unit], ground: tuple[float, float]) -> list[Unit]:
    """Place units and give back those that found room, each moved to its place."""
    front = _line_up(rng, [unit for unit in units if unit.row == "front"])
    placed = [*front]
    taken = [_extent(unit) for unit in front]
    # The widest first: they find no room between others.
    backs = sorted((unit for unit in units if unit.row == "back"), key=lambda unit: -_extent(unit).w)
    for unit in backs:
        if _find_behind(rng, unit, placed):
            placed.append(unit)
            taken.append(_extent(unit))
    for unit in (each for each in units if each.row in ("sky", "wall")):
        if _find_aloft(rng, unit, taken, ground):
            placed.append(unit)
            taken.extend(seen_box(piece.look) for piece in unit.pieces)
    return _without_hidden(placed)


def drawing_order(units: Sequence[Unit]) -> list[Unit]:
    """From the furthest to the nearest: what hangs and flies, what stands behind, what stands in front."""
    rank = {"sky": 0, "wall": 0, "back": 1, "front": 2}
    return sorted(units, key=lambda unit: (rank[unit.row], unit.height()[1] if unit.row in ("front", "back") else 0))


def wearers_of(units: Sequence[Unit]) -> dict[int, int]:
    """For each thing worn, who wears it, by their places in the drawing order."""
    places = {id(piece): place for place, piece in enumerate(piece for unit in units for piece in unit.pieces)}
    return {
        places[id(bond.object)]: places[id(bond.subject)]
        for unit in units
        for bond in unit.bonds
        if bond.relation == "wearing"
    }


def _extent(unit: Unit) -> Box:
    boxes = [seen_box(piece.look) for piece in unit.pieces]
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    return Box(x, y, max(box.right for box in boxes) - x, max(box.bottom for box in boxes) - y)


def _spread(rng: random.Random, unit: Unit) -> None:
    """Set the members of a group side by side."""
    at = 0.0
    for piece in unit.pieces:
        seen = seen_box(piece.look)
        alone = Unit(row=unit.row, pieces=[piece])
        alone.shift(at - seen.x, -rng.randint(0, 6) if unit.row == "front" else 0)
        at += seen.w + rng.randint(4, 9)


def _line_up(rng: random.Random, units: list[Unit]) -> list[Unit]:
    """Stand units side by side across the picture, leaving out those there is no room for."""
    for unit in units:
        if unit.group is not None and not unit.bonds:
            _spread(rng, unit)
    kept: list[Unit] = []
    room = float(WIDTH - 2 * _EDGE)
    for unit in units:
        extent = _extent(unit)
        need = extent.w + (_GAP if kept else 0)
        if need <= room and extent.y >= 2 and extent.bottom <= HEIGHT - 1:
            kept.append(unit)
            room -= need
    rng.shuffle(kept)
    shares = [rng.random() + 0.05 for _ in range(len(kept) + 1)]
    at = float(_EDGE)
    for unit, share in zip(kept, shares, strict=False):
        at += room * share / sum(shares)
        extent = _extent(unit)
        unit.shift(at - extent.x)
        at += extent.w + _GAP
    return kept


def _overlap(first: Box, second: Box) -> tuple[float, float]:
    return (
        min(first.right, second.right) - max(first.x, second.x),
        min(first.bottom, second.bottom) - max(first.y, second.y),
    )


def _find_behind(rng: random.Random, unit: Unit, placed: Sequence[Unit]) -> bool:
    if unit.group is not None:
        _spread(rng, unit)
    extent = _extent(unit)
    if extent.w > WIDTH - 2 * _EDGE or extent.y < 2:
        return False
    fronts = [seen_box(piece.look) for other in placed if other.row == "front" for piece in other.pieces]
    backs = [_extent(other) for other in placed if other.row == "back"]
    for _ in range(_TRIES):
        x = rng.uniform(_EDGE, WIDTH - _EDGE - extent.w)
        here = Box(x, extent.y, extent.w, extent.h)
        if any(_overlap(here, other)[0] > -_GAP for other in backs):
            continue
        if all(_mostly_free(_shifted(seen_box(piece.look), x - extent.x), fronts) for piece in unit.pieces):
            unit.shift(round(x - extent.x))
            return True
    return False


def _shifted(box: Box, dx: float) -> Box:
    return Box(box.x + dx, box.y, box.w, box.h)


def _mostly_free(box: Box, others: Sequence[Box]) -> bool:
    hidden = 0.0
    for other in others:
        across, down = _overlap(box, other)
        if across > 0 and down > 0:
            hidden += across * down
    return hidden <= 0.36 * box.w * box.h


def _find_aloft(rng: random.Random, unit: Unit, taken: Sequence[Box], ground: tuple[float, float]) -> bool:
    """Find places high up for every piece of a unit; a group is scattered within one region."""
    low = ground[0] - (70 if unit.row == "wall" else 60)
    placed: list[Box] = []
    for piece in unit.pieces:
        seen = seen_box(piece.look)
        for _ in range(_TRIES):
            x = rng.uniform(_EDGE, WIDTH - _EDGE - seen.w)
            if seen.h > low - 8:
                return False
            y = rng.uniform(8, max(9.0, low - seen.h))
            here = Box(x - 6, y - 6, seen.w + 12, seen.h + 12)
            if all(min(_overlap(here, other)) <= 0 for other in (*taken, *placed)):
                Unit(row=unit.row, pieces=[piece]).shift(round(x - seen.x), round(y - seen.y))
                placed.append(seen_box(piece.look))
                break
        else:
            return False
    return True


def _without_hidden(units: list[Unit]) -> list[Unit]:
    """Leave out whole units until everything left is visible enough."""
    kept = list(units)
    for _ in range(len(units)):
        ordered = drawing_order(kept)
        owners = [(unit, piece) for unit in ordered for piece in unit.pieces]
        seen = visibility([piece.look for _, piece in owners], wearers_of(ordered))
        bad = [unit for (unit, _), share in zip(owners, seen.shares, strict=True) if share < LEAST_VISIBLE]
        if not bad:
            return kept
        kept = [unit for unit in kept if unit is not bad[0]]
    return kept
