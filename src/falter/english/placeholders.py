"""Placeholders: the parts of a template in braces, and the fixed words between them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from falter.english.noun_phrases import Determiner, Shape
from falter.english.slots import SLOT_TYPES
from falter.english.words import PLURAL_AUXILIARIES

__all__ = ["AGREEMENT", "DETERMINERS", "Placeholder", "Segments", "TemplateError", "split_segments"]


class TemplateError(ValueError):
    """A malformed template, or slots that do not fit it."""


class Placeholder(NamedTuple):
    """A placeholder: its keyword, its slot, and the shape of a noun phrase (``{a x}`` renders slot x)."""

    word: str
    slot: str
    shape: Shape


Segments = tuple[str | Placeholder, ...]
"""Fixed words in lower case, and placeholders between them."""

AGREEMENT: dict[str, tuple[str, str]] = {
    **{singular: (singular, plural) for singular, plural in PLURAL_AUXILIARIES.items()},
    "it": ("it", "they"),
}
DETERMINERS: dict[str, Determiner] = {
    "a": "a",
    "any": "any",
    "the": "the",
    "object": "the",
    "no": "no",
    "bare": "",
    "anyone": "anyone",
    "noone": "no one",
    "which": "which",
    "kindof": "kind of",
}

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def split_segments(text: str) -> Segments:
    """The fixed words and the placeholders of a template's text."""
    segments: list[str | Placeholder] = []
    position = 0
    for found in _PLACEHOLDER.finditer(text):
        if found.start() > position:
            segments.append(text[position : found.start()].lower())
        segments.append(_parse_placeholder(found.group(1)))
        position = found.end()
    if position < len(text):
        segments.append(text[position:].lower())
    for first, second in pairwise(segments):
        if isinstance(first, Placeholder) and isinstance(second, Placeholder):
            raise TemplateError("two placeholders need a word or a space between them")
    return tuple(segments)


def _parse_placeholder(written: str) -> Placeholder:
    match written.split():
        case [word, slot] if word in AGREEMENT or word in DETERMINERS or word in SLOT_TYPES:
            return Placeholder(word, slot, "plain")
        case [word, slot, ("related" | "that" | "clause") as shape] if word in DETERMINERS:
            return Placeholder(word, slot, shape)
    raise TemplateError(f"{{{written}}} is not a placeholder")
