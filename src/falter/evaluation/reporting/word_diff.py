"""Which words differ between two texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_WORD = re.compile(r"\s+|[\w'’-]+|[^\w\s]", re.UNICODE)
_MOST_WORDS = 2000
"""Longer texts are compared as one piece each: the comparison takes quadratic time."""


class Segment(NamedTuple):
    """A stretch of text, and whether the other text lacks it."""

    text: str
    changed: bool


def word_diff(first: str, second: str) -> tuple[list[Segment], list[Segment]]:
    """Both texts cut into stretches that they share and stretches that they do not.

    Words are compared without regard to case, so that a word moved to the front of a sentence still counts as shared.
    Joined again, the stretches give back the texts.
    """
    left, right = _WORD.findall(first), _WORD.findall(second)
    if first == second:
        return _joined([(first, False)]), _joined([(second, False)])
    if len(left) + len(right) > _MOST_WORDS:
        return _joined([(first, True)]), _joined([(second, True)])
    matcher = SequenceMatcher(None, _keys(left), _keys(right), autojunk=False)
    one: list[tuple[str, bool]] = []
    other: list[tuple[str, bool]] = []
    for operation, start, end, other_start, other_end in matcher.get_opcodes():
        changed = operation != "equal"
        one += _trimmed("".join(left[start:end]), changed)
        other += _trimmed("".join(right[other_start:other_end]), changed)
    return _joined(one), _joined(other)


def _keys(words: Sequence[str]) -> list[str]:
    return [" " if word.isspace() else word.casefold() for word in words]


def _trimmed(text: str, changed: bool) -> list[tuple[str, bool]]:
    """A stretch without the spaces at its ends, which are nothing to mark."""
    core = text.strip()
    if not changed or not core:
        return [(text, False)]
    start = text.index(core)
    return [(text[:start], False), (core, True), (text[start + len(core) :], False)]


def _joined(parts: Sequence[tuple[str, bool]]) -> list[Segment]:
    """Neighbours of one sort put together; a lone space between two changed words counts as changed."""
    filled = [(text, changed) for text, changed in parts if text]
    joined: list[Segment] = []
    for index, (text, marked) in enumerate(filled):
        inner = 0 < index < len(filled) - 1
        changed = marked or (inner and text.isspace() and filled[index - 1][1] and filled[index + 1][1])
        if joined and joined[-1].changed == changed:
            joined[-1] = Segment(joined[-1].text + text, changed)
        else:
            joined.append(Segment(text, changed))
    return joined
