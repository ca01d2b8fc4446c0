"""Where a text announces its answer: ``Answer: B``, ``the correct option is (2)``, ``I would choose the first``."""

from __future__ import annotations

import re
from typing import NamedTuple

from falter.answers.doubt import is_hedged, is_idle
from falter.answers.lexicon import SENTENCE_END

__all__ = ["Announcement", "find_announcements"]

_THING = (
    r"(?:answer|ans|option|choice|response|result|output|prediction|verdict|conclusion|selection|caption"
    r"|statement|sentence"
    r"|description|label|total|count|colou?r)"
)
_LABEL = re.compile(
    r"(?:^|\n|(?<=[.!?,;:)])[ \t]+|\b(?:short|long|final|correct|best|my|the)[ \t]+)[ \t]*"
    rf"(?:(?:the|my|your|final|correct|best|right|short|selected|chosen|predicted)[ \t]+)*{_THING}"
    r"(?:[ \t]+(?:to|for)[ \t]+(?:the|this|your)[ \t]+question)?(?:[ \t]*\([^)\n]*\))?[ \t]*(?:[:=]"
    r"|[-–—](?=[ \t]))+[ \t]*\n*"
    r"|(?:^|\n)[ \t]*(?:final[ \t]+)?answer[ \t]*\n+"
    r"|(?:^|\n)a[ \t]*:[ \t]*"
)
_COPULA = re.compile(
    r"\b(?:answer|option|choice|response|caption|statement|sentence|description)\b"
    r"(?:[ \t]+(?:here|to[ \t]+(?:the|this|your)[ \t]+question|for[ \t]+(?:the|this|your)[ \t]+question))?"
    r"[ \t]+(?:would be|should be|must be|has to be|is|was|appears to be|seems to be)(?![ \t]*(?:not|correct"
    r"|right[ \t]*[.,!]|"
    r"true|false|incorrect|wrong|based|accurate|the (?:best|correct|better"
    r"|right))\b)[ \t]*[:\"]*[ \t]*(?:that[ \t]+)?"
)
_FINAL = re.compile(r"final|conclusion|therefore|thus|hence|\bso\b")


_IN_LABELS = (":", "=", "- ", "– ", "— ", "\n")
_IN_COPULAS = ("answer", "option", "choice", "response", "caption", "statement", "sentence", "description")


class Announcement(NamedTuple):
    """An announced answer: its text, and whether it is announced as the last word."""

    text: str
    final: bool
    labelled: bool


def find_announcements(text: str) -> list[Announcement]:
    """What follows each announcement that is neither asked nor supposed nor doubted."""
    found: list[tuple[int, Announcement]] = []
    taken: set[int] = set()
    for pattern, labelled in ((_LABEL, True), (_COPULA, False)):
        if not any(part in text for part in (_IN_LABELS if labelled else _IN_COPULAS)):
            continue
        for match in pattern.finditer(text):
            if match.end() in taken:
                continue
            taken.add(match.end())
            content = _content(text, match.end())
            start = max(text.rfind(stop, 0, match.start() + 1) for stop in (". ", "\n", "! ", "? ")) + 1
            sentence = text[start : match.end() + len(content)]
            before = text[start : match.start()]
            if not content.strip(" .\"'") or (not labelled and (is_hedged(before) or is_idle(sentence))):
                continue
            final = _FINAL.search(text[start : match.end()]) is not None
            found.append((match.end(), Announcement(content, final, labelled)))
    return [announcement for _, announcement in sorted(found, key=lambda one: one[0])]


def _content(text: str, start: int) -> str:
    """The rest of the sentence, or of the line."""
    rest = text[start:]
    line = rest.split("\n", 1)[0]
    # A mark such as "b." ends no sentence.
    end = next((one for one in SENTENCE_END.finditer(line) if one.start() > 3), None)
    return line if end is None else line[: end.start()]
