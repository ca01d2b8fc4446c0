"""The colors and surfaces of the world: eleven unmistakable hues, what is derived from them, materials and patterns.

A surface is what a material or a pattern looks like over a rectangle.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from PIL import Image, ImageDraw

Color = tuple[int, ...]

COLORS: dict[str, Color] = {
    "red": (216, 32, 38),
    "orange": (250, 135, 10),
    "yellow": (252, 218, 40),
    "green": (50, 158, 62),
    "blue": (36, 102, 218),
    "purple": (126, 52, 172),
    "pink": (252, 142, 188),
    "brown": (124, 74, 38),
    "black": (38, 38, 42),
    "white": (250, 250, 248),
    "gray": (150, 154, 160),
}


def mix(first: Color, second: Color, share: float) -> Color:
    """Return ``first`` with a share (0 to 1) of ``second`` mixed in."""
    return tuple(round(a + (b - a) * share) for a, b in zip(first[:3], second[:3], strict=True))


def darker(color: Color, share: float = 0.35) -> Color:
    return mix(color, (0, 0, 0), share)


def lighter(color: Color, share: float = 0.35) -> Color:
    return mix(color, (255, 255, 255), share)


def with_alpha(color: Color, alpha: int) -> Color:
    return (*color[:3], alpha)


def color_for(word: str | None, otherwise: str | Color) -> Color:
    """Return the color of a word, or the given one (a word or a color) where there is no word."""
    chosen = otherwise if word is None else word
    return COLORS[chosen] if isinstance(chosen, str) else chosen


MATERIAL_COLORS: dict[str, Color] = {
    "wood": (190, 132, 74),
    "metal": (176, 184, 194),
    "plastic": COLORS["blue"],
    "glass": (176, 220, 236),
    "brick": (186, 84, 62),
    "stone": (158, 156, 150),
}


def _contrast(color: Color) -> Color:
    """The second color of a pattern: white, or a dark one where white would not show."""
    bright = (color[0] * 299 + color[1] * 587 + color[2] * 114) / 1000
    return darker(color, 0.6) if bright > 185 else COLORS["white"]


def _striped(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:
    step = 5.5 * unit
    y = step * 0.6
    while y < h:
        draw.rectangle((0, y, w, y + step * 0.38), fill=_contrast(color))
        y += step


def _dotted(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:
    step, r = 6.5 * unit, 1.75 * unit
    row, y = 0, step * 0.5
    while y < h + r:
        x = step * (0.5 if row % 2 else 0.0)
        while x < w + r:
            draw.ellipse((x - r, y - r, x + r, y + r), fill=_contrast(color))
            x += step
        row, y = row + 1, y + step * 0.8


def _checkered(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:
    # An exact chessboard would leave the color only half of the surface: the other squares are a little smaller.
    step = 5.0 * unit
    for row in range(int(h / step) + 1):
        for column in range(row % 2, int(w / step) + 1, 2):
            x, y = column * step, row * step
            draw.rectangle((x, y, x + step * 0.94, y + step * 0.94), fill=_contrast(color))


def _wood(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:
    rng = random.Random(w * 7919 + h)
    grain = darker(color, 0.2) if sum(color[:3]) > 200 else lighter(color, 0.15)
    y = 1.2 * unit
    while y < h:
        sway = [(x, y + rng.uniform(-0.5, 0.5) * unit) for x in range(0, w + int(8 * unit), max(1, int(8 * unit)))]
        draw.line(sway, fill=grain, width=max(1, round(0.45 * unit)))
        y += rng.uniform(2.2, 3.4) * unit


def _metal(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:  # noqa: ARG001
    light = lighter(color, 0.55)
    slant = h * 0.35
    for at, wide, share in ((0.18, 0.12, 0.9), (0.34, 0.05, 0.7), (0.74, 0.07, 0.5)):
        x = w * at
        band = [(x + slant, 0), (x + slant + w * wide, 0), (x + w * wide, h), (x, h)]
        draw.polygon(band, fill=mix(color, light, share))


def _brick(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:
    mortar = lighter(color, 0.5) if sum(color[:3]) < 640 else darker(color, 0.3)
    high, wide = 4.0 * unit, 9.0 * unit
    line = max(1, round(0.6 * unit))
    for row in range(int(h / high) + 1):
        y = row * high
        draw.line((0, y, w, y), fill=mortar, width=line)
        for column in range(int(w / wide) + 2):
            x = (column - (row % 2) * 0.5) * wide
            draw.line((x, y, x, y + high), fill=mortar, width=line)


def _granite(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:
    """Stone cut to small pieces shows its grain, no joints."""
    rng = random.Random(w * 15485863 + h)
    tones = (
        (darker(color, 0.4), lighter(color, 0.5), darker(color, 0.2)) if sum(color[:3]) > 150 else ((120, 120, 126),)
    )
    for _ in range(min(900, int(w * h / (unit * unit) * 0.09))):
        x, y, r = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(0.35, 0.8) * unit
        draw.ellipse((x - r, y - r * 0.8, x + r, y + r * 0.8), fill=rng.choice(tones))


def _stone(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:
    rng = random.Random(w * 104729 + h)
    joint = darker(color, 0.35) if sum(color[:3]) > 150 else lighter(color, 0.25)
    high, wide = 8.0 * unit, 11.0 * unit
    if min(w, h) < 30 * unit or w * h < 2400 * unit * unit:
        _granite(draw, w, h, color, unit)
        return
    draw.rectangle((0, 0, w, h), fill=joint)
    for row in range(int(h / high) + 1):
        x = -rng.uniform(0.1, 0.9) * wide
        while x < w:
            long = wide * rng.uniform(0.7, 1.2)
            tone = mix(color, lighter(color, 0.4), rng.uniform(0.0, 0.45))
            edges = (x + 0.5 * unit, row * high + 0.5 * unit, x + long - 0.5 * unit, (row + 1) * high - 0.5 * unit)
            draw.rounded_rectangle(edges, radius=2.4 * unit, fill=tone)
            x += long


def _plastic(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:
    gloss = lighter(color, 0.55)
    draw.rounded_rectangle((w * 0.14, h * 0.1, w * 0.14 + 2.2 * unit, h * 0.55), radius=unit, fill=gloss)
    draw.ellipse((w * 0.14, h * 0.62, w * 0.14 + 2.2 * unit, h * 0.62 + 2.2 * unit), fill=gloss)


def _zebra(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:
    step = max(w / 13, 3 * unit)
    for i in range(-2, 16):
        x = i * step
        band = [(x, 0), (x + step * 0.46, 0), (x + step * 1.5, h), (x + step * 0.95, h)]
        draw.polygon(band, fill=darker(color, 0.86))


def _zebra_legs(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:
    step = max(h / 7, 2.5 * unit)
    for i in range(8):
        draw.polygon(
            [(0, i * step), (w, i * step + step * 0.2), (w, i * step + step * 0.6), (0, i * step + step * 0.4)],
            fill=darker(color, 0.86),
        )


def _giraffe(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:
    rng = random.Random(5)
    step = max(w / 9.5, 3.4 * unit)
    for row in range(int(h / step * 1.1) + 2):
        for column in range(11):
            x = (column + (0.5 if row % 2 else 0.0)) * step
            y = row * step * 0.95
            ring = []
            for k in range(6):
                a = k * math.pi / 3 + 0.4
                r = step * rng.uniform(0.34, 0.44)
                ring.append((x + r * math.cos(a), y + r * math.sin(a)))
            draw.polygon(ring, fill=mix(color, (140, 76, 26), 0.82))


def _cow(draw: ImageDraw.ImageDraw, w: int, h: int, color: Color, unit: float) -> None:  # noqa: ARG001
    patch = COLORS["black"] if color == COLORS["white"] else COLORS["white"]
    for x, y, rx, ry in (
        (0.24, 0.3, 0.11, 0.17),
        (0.5, 0.42, 0.1, 0.13),
        (0.68, 0.24, 0.06, 0.1),
        (0.13, 0.55, 0.06, 0.09),
        (0.96, 0.16, 0.08, 0.18),
    ):
        draw.ellipse(((x - rx) * w, (y - ry) * h, (x + rx) * w, (y + ry) * h), fill=patch)
        draw.ellipse(((x - rx * 0.3) * w, (y - ry * 0.2) * h, (x + rx * 1.3) * w, (y + ry * 1.2) * h), fill=patch)


SURFACES: dict[str, Callable[[ImageDraw.ImageDraw, int, int, Color, float], None]] = {
    "striped": _striped,
    "dotted": _dotted,
    "checkered": _checkered,
    "wood": _wood,
    "metal": _metal,
    "brick": _brick,
    "stone": _stone,
    "plastic": _plastic,
    "zebra": _zebra,
    "zebra legs": _zebra_legs,
    "giraffe": _giraffe,
    "cow": _cow,
}


def surface(name: str, width: int, height: int, color: Color, unit: float) -> Image.Image:
    """Paint a rectangle of the named surface; ``unit`` is one final pixel in the canvas's own."""
    image = Image.new("RGB", (width, height), color[:3])
    SURFACES[name](ImageDraw.Draw(image), width, height, color, unit)
    return image
