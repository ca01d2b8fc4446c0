"""The colors of the world: eleven unmistakable hues, and what is derived from them."""

from __future__ import annotations

__all__ = ["COLORS", "Color", "color_for", "darker", "lighter", "mix", "with_alpha"]

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
