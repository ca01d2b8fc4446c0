"""Where two texts differ: the words that stand in the place of others, in order."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

__all__ = ["Difference", "TextDifference", "find_differences"]

_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?|n't")


class Difference(NamedTuple):
    """Words of the premise, those of the hypothesis in their place, and the words around them in the hypothesis."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    before: str = ""
    after: str = ""


class TextDifference(NamedTuple):
    """All differences of two texts, and the share of the words that are the same."""

    differences: tuple[Difference, ...]
    same: float


def find_differences(premise: str, hypothesis: str) -> TextDifference:
    """The differences of two texts, in lower case and without marks.

    >>> found = find_differences("A cat on a mat.", "A cat under a mat.")
    >>> found.differences[0].old, found.differences[0].new, found.same
    (('on',), ('under',), 0.8)
    """
    one, two = _WORD.findall(premise.lower()), _WORD.findall(hypothesis.lower())
    matcher = SequenceMatcher(a=one, b=two, autojunk=False)
    found = []
    same = 0
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            same += end - start
            continue
        before = two[other_start - 1] if other_start else ""
        after = two[other_end] if other_end < len(two) else ""
        found.append(Difference(tuple(one[start:end]), tuple(two[other_start:other_end]), before, after))
    return TextDifference(tuple(found), same / max(len(one), len(two), 1))
