"""Backgrounds, outdoors and indoors, each with the boxes of what it shows."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from falter.generation.scene import Box
from falter.world.drawing.canvas import HEIGHT, WIDTH, Canvas, oval, rect, smooth
from falter.world.drawing.palette import Color, darker, lighter, mix

W, H = float(WIDTH), float(HEIGHT)
GRASS: Color = (134, 194, 96)


class Background(NamedTuple):
    """A background: the line where the ground meets the sky or the wall, and the band where things stand.

    ``ground`` is the range of heights (top, bottom) at which feet may stand; ``shows`` are the names of what is drawn.
    """

    name: str
    indoors: bool
    horizon: float
    ground: tuple[float, float]
    shows: tuple[str, ...]
    painter: Callable[[Canvas, random.Random], dict[str, Box]]


BACKGROUNDS: dict[str, Background] = {}

Painter = Callable[[Canvas, random.Random], dict[str, Box]]


def _background(name: str, indoors: bool, horizon: float, top: float, *shows: str) -> Callable[[Painter], Painter]:
    def register(painter: Painter) -> Painter:
        BACKGROUNDS[name] = Background(name, indoors, horizon, (top, H - 8), shows, painter)
        return painter

    return register


def draw_background(canvas: Canvas, name: str, seed: int = 0) -> dict[str, Box]:
    """Draw a background over the whole image and return the boxes of what it shows: sky, grass, wall, floor ..."""
    return BACKGROUNDS[name].painter(canvas, random.Random(seed))


def _band(canvas: Canvas, top: float, bottom: float, upper: Color, lower: Color, steps: int = 8) -> Box:
    """Fill the image's width between two heights, from one color to the other."""
    for i in range(steps):
        y0 = top + (bottom - top) * i / steps
        canvas.fill(rect(0, y0, W, bottom), mix(upper, lower, i / max(1, steps - 1)))
    return Box(0, top, W, bottom - top)


def _sky(canvas: Canvas, horizon: float) -> Box:
    return _band(canvas, 0, horizon, (142, 200, 240), (214, 236, 250), 32)


def _tufts(canvas: Canvas, rng: random.Random, top: float, color: Color, count: int = 26) -> None:
    for _ in range(count):
        x, y = rng.uniform(4, W - 4), rng.uniform(top + 10, H - 4)
        size = 2 + 4 * (y - top) / (H - top)
        for lean in (-0.6, 0.0, 0.6):
            canvas.stroke([(x + lean, y), (x + lean * size, y - size)], color, 1.0)


@_background("meadow", False, 190, 210, "sky", "grass")
def _meadow(canvas: Canvas, rng: random.Random) -> dict[str, Box]:
    sky = _sky(canvas, 196)
    lift = rng.uniform(-6, 6)
    hill: list[tuple[float, float]] = [
        (-20, 400),
        (-20, 188),
        (90, 176 + lift),
        (220, 190),
        (360, 180 - lift),
        (500, 190),
        (500, 400),
    ]
    canvas.fill(smooth(*hill), lighter(GRASS, 0.18))
    _band(canvas, 204, H, GRASS, darker(GRASS, 0.14))
    _tufts(canvas, rng, 204, darker(GRASS, 0.3))
    return {"sky": sky, "grass": Box(0, 186, W, H - 186)}


def _mountains(canvas: Canvas, rng: random.Random, base: float) -> Box:
    left = rng.uniform(30, 180)
    peaks = ((left + 150, base - 58, 130.0), (left + 40, base - 78, 140.0))
    for x, y, half in peaks:
        stone: Color = (128, 136, 154)
        canvas.fill([(x, y), (x + half, base + 2), (x - half, base + 2)], stone)
        canvas.fill([(x, y), (x + half, base + 2), (x + half * 0.25, base + 2)], darker(stone, 0.14))
        cap = 0.26
        drop = (base - y) * cap
        zigzag = [(x, y), (x + half * cap, y + drop), (x + half * 0.1, y + drop * 0.8), (x, y + drop * 1.2)]
        canvas.fill([*zigzag, (x - half * 0.12, y + drop * 0.8), (x - half * cap, y + drop)], (250, 252, 255))
    x0, x1 = max(0.0, left - 100), min(W, left + 280)
    return Box(x0, base - 78, x1 - x0, 78)


@_background("park", False, 190, 210, "sky", "mountain", "grass")
def _park(canvas: Canvas, rng: random.Random) -> dict[str, Box]:
    sky = _sky(canvas, 196)
    mountain = _mountains(canvas, rng, 190)
    _band(canvas, 188, H, lighter(GRASS, 0.1), darker(GRASS, 0.16))
    _tufts(canvas, rng, 196, darker(GRASS, 0.3))
    return {"sky": sky, "mountain": mountain, "grass": Box(0, 188, W, H - 188)}


@_background("street", False, 176, 214, "sky", "grass", "road")
def _street(canvas: Canvas, rng: random.Random) -> dict[str, Box]:
    sky = _sky(canvas, 180)
    grass = _band(canvas, 176, 226, lighter(GRASS, 0.12), GRASS, 4)
    canvas.fill(rect(0, 220, W, 232), (206, 202, 194))
    road = _band(canvas, 232, H, (112, 114, 120), (96, 98, 104), 4)
    shift = rng.uniform(0, 60)
    for i in range(-1, 8):
        x = i * 72 + shift
        canvas.fill([(x, 292), (x + 36, 292), (x + 33, 298), (x - 3, 298)], (244, 240, 226))
    return {"sky": sky, "grass": grass, "road": road}


@_background("beach", False, 150, 226, "sky", "water", "sand")
def _beach(canvas: Canvas, rng: random.Random) -> dict[str, Box]:
    sky = _sky(canvas, 152)
    water = _band(canvas, 150, 226, (40, 128, 196), (92, 182, 220))
    for _ in range(16):
        x, y = rng.uniform(0, W), rng.uniform(158, 204)
        canvas.stroke([(x, y), (x + 7, y - 1.6), (x + 14, y)], (190, 226, 244), 1.0)
    shore: list[tuple[float, float]] = [
        (-30, 420),
        (-30, 216),
        (80, 208),
        (200, 218),
        (330, 209),
        (520, 218),
        (520, 420),
    ]
    canvas.fill(smooth(*[(x, y - 4) for x, y in shore]), (240, 248, 250))
    sand: Color = (240, 218, 162)
    canvas.fill(smooth(*shore), sand)
    for _ in range(60):
        x, y = rng.uniform(2, W - 2), rng.uniform(230, H - 3)
        canvas.fill(oval(x, y, 1.0, 0.7), darker(sand, 0.16))
    return {"sky": sky, "water": Box(0, 150, W, water.h - 12), "sand": Box(0, 208, W, H - 208)}


@_background("lake", False, 150, 296, "sky", "water", "grass")
def _lake(canvas: Canvas, rng: random.Random) -> dict[str, Box]:
    sky = _sky(canvas, 152)
    canvas.fill(
        smooth((-30, 160), (60, 130), (160, 146), (280, 132), (400, 144), (520, 130), (520, 170), (-30, 170)),
        (126, 176, 112),
    )
    _band(canvas, 150, 300, (62, 146, 204), (112, 190, 226))
    for _ in range(26):
        x, y = rng.uniform(0, W), rng.uniform(160, 276)
        canvas.stroke([(x, y), (x + 8, y - 1.8), (x + 16, y)], (200, 232, 246), 1.1)
    bank: list[tuple[float, float]] = [
        (-30, 420),
        (-30, 290),
        (90, 280),
        (220, 288),
        (350, 279),
        (520, 288),
        (520, 420),
    ]
    canvas.fill(smooth(*bank), GRASS)
    _tufts(canvas, rng, 288, darker(GRASS, 0.3), 14)
    return {"sky": sky, "water": Box(0, 150, W, 134), "grass": Box(0, 279, W, H - 279)}


@_background("snow", False, 186, 208, "sky", "snow")
def _snow(canvas: Canvas, rng: random.Random) -> dict[str, Box]:
    _band(canvas, 0, 194, (160, 184, 208), (214, 226, 238), 32)
    hill = [
        (-20.0, 400.0),
        (-20.0, 186.0),
        (110.0, 172.0),
        (250.0, 188.0),
        (380.0, 174.0),
        (500.0, 186.0),
        (500.0, 400.0),
    ]
    canvas.fill(smooth(*hill), (226, 234, 243))
    _band(canvas, 202, H, (238, 243, 249), (248, 251, 254))
    for _ in range(10):
        x, y = rng.uniform(0, W), rng.uniform(216, H - 8)
        canvas.fill(oval(x, y, rng.uniform(14, 34), 1.6), (218, 228, 239))
    for _ in range(26):
        canvas.fill(oval(rng.uniform(0, W), rng.uniform(4, 180), 1.3), (255, 255, 255))
    return {"sky": Box(0, 0, W, 186), "snow": Box(0, 182, W, H - 182)}


def _wall(canvas: Canvas, color: Color, horizon: float, skirting: Color = (246, 242, 234)) -> Box:
    canvas.fill(rect(0, 0, W, horizon), color)
    canvas.fill(rect(0, horizon - 7, W, horizon), skirting)
    canvas.stroke([(0, horizon - 7), (W, horizon - 7)], darker(skirting, 0.22), 0.8)
    return Box(0, 0, W, horizon)


def _planks(canvas: Canvas, horizon: float, color: Color) -> Box:
    floor = _band(canvas, horizon, H, color, darker(color, 0.1), 4)
    y, step = horizon, 9.0
    rows = []
    while y < H:
        rows.append(y)
        canvas.stroke([(0, y), (W, y)], darker(color, 0.24), 0.9)
        y, step = y + step, step * 1.28
    for i, (y0, y1) in enumerate(zip(rows, [*rows[1:], H], strict=True)):
        for k in range(5):
            x = (k + (0.5 if i % 2 else 0.0)) * 116 + i * 9
            canvas.stroke([(x, y0), (x, y1)], darker(color, 0.24), 0.9)
    return floor


def _tiles(canvas: Canvas, horizon: float, color: Color) -> Box:
    floor = Box(0, horizon, W, H - horizon)
    canvas.fill(rect(0, horizon, W, H), color)
    y, step = horizon, 13.0
    while y < H:
        canvas.stroke([(0, y), (W, y)], darker(color, 0.16), 1.0)
        y, step = y + step, step * 1.24
    for k in range(-14, 15):
        canvas.stroke([(W / 2 + k * 30, horizon), (W / 2 + k * 62, H)], darker(color, 0.16), 1.0)
    return floor


@_background("living room", True, 216, 232, "wall", "floor")
def _living_room(canvas: Canvas, rng: random.Random) -> dict[str, Box]:
    tone = rng.choice(((238, 222, 196), (214, 226, 212), (232, 214, 206)))
    wall = _wall(canvas, tone, 216)
    for k in range(13):
        canvas.fill(rect(k * 40 - 6, 0, k * 40 + 4, 209), lighter(tone, 0.22))
    return {"wall": wall, "floor": _planks(canvas, 216, (206, 160, 108))}


@_background("kitchen", True, 216, 232, "wall", "floor")
def _kitchen(canvas: Canvas, rng: random.Random) -> dict[str, Box]:
    tone = rng.choice(((226, 238, 240), (240, 236, 220)))
    wall = _wall(canvas, tone, 216)
    for y in range(110, 209, 14):
        canvas.stroke([(0, y), (W, y)], darker(tone, 0.12), 0.8)
    for x in range(0, int(W) + 1, 24):
        canvas.stroke([(x, 110), (x, 209)], darker(tone, 0.12), 0.8)
    return {"wall": wall, "floor": _tiles(canvas, 216, (226, 218, 206))}


@_background("bedroom", True, 216, 232, "wall", "floor")
def _bedroom(canvas: Canvas, rng: random.Random) -> dict[str, Box]:
    tone = rng.choice(((206, 216, 234), (226, 214, 232)))
    wall = _wall(canvas, tone, 216)
    for row in range(7):
        for column in range(13):
            x, y = column * 40 + (20 if row % 2 else 0), 16 + row * 28
            canvas.fill(oval(x, y, 2.2), lighter(tone, 0.4))
    floor = Box(0, 216, W, H - 216)
    _band(canvas, 216, H, (200, 186, 170), (188, 172, 156), 4)
    return {"wall": wall, "floor": floor}


@_background("plain room", True, 212, 228, "wall", "floor")
def _plain_room(canvas: Canvas, rng: random.Random) -> dict[str, Box]:
    tones: tuple[tuple[Color, Color], ...] = (
        ((232, 232, 226), (178, 168, 158)), ((222, 232, 226), (190, 170, 144)), ((236, 226, 214), (164, 168, 176)),
    )  # fmt: skip
    wall_tone, floor_tone = rng.choice(tones)
    wall = _wall(canvas, wall_tone, 212)
    return {"wall": wall, "floor": _band(canvas, 212, H, floor_tone, darker(floor_tone, 0.1), 4)}
