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
    r"\b(?:answer|option|choice|response|caption|statement|sentence|description|letter)\b"
    r"(?:[ \t]+(?:here|(?:to|for)[ \t]+(?:the|this|your)[ \t]+question))?"
    r"(?:'s|[ \t]+(?:would be|should be|must be|has to be|is|was|appears to be|seems to be))"
    r"(?![ \t]*(?:not|correct|right[ \t]*[.,!]|true|false|incorrect|wrong|based|accurate|the (?:best|correct"
    r"|better|right))\b)"
    r"[ \t]*[:\"]*[ \t]*(?:that[ \t]+)?"
)
_CHOOSE = re.compile(
    r"\bi(?:'d|'ll|'m| would| will)? (?:choose|pick|select|go(?:ing)? with|opt for|vote for"
    r"|conclude)(?: that)?[ \t]*[:\"]*[ \t]*"
)
_FINAL = re.compile(r"final|conclusion|therefore|thus|hence|\bso\b")


_IN_LABELS = (":", "=", "- ", "– ", "— ", "\n")
_IN_COPULAS = ("answer", "option", "choice", "response", "caption", "statement", "sentence", "description", "letter")

_MOST = 8
"""More announcements than this are not read: the last ones count."""
_LONGEST = 500
_PARTS = {_LABEL: _IN_LABELS, _COPULA: _IN_COPULAS, _CHOOSE: ("i ", "i'")}


class Announcement(NamedTuple):
    """An announced answer: its text, and whether it is announced as the last word."""

    text: str
    final: bool
    labelled: bool


def find_announcements(text: str, *, lettered: bool = False) -> list[Announcement]:
    """What follows each announcement that is neither asked nor supposed nor doubted.

    Where letters stand for choices (``lettered``), "a:" announces an answer only after a "q:".
    """
    found: list[tuple[int, Announcement]] = []
    taken: set[int] = set()
    for pattern, labelled in ((_LABEL, True), (_COPULA, False), (_CHOOSE, False)):
        if not any(part in text for part in _PARTS[pattern]):
            continue
        for match in list(pattern.finditer(text))[-_MOST:]:
            if match.end() in taken or (lettered and match[0].strip(" \n:") == "a" and "q:" not in text):
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
    line = text[start : start + _LONGEST].split("\n", 1)[0]
    # A mark such as "b." ends no sentence.
    end = next((one for one in SENTENCE_END.finditer(line) if one.start() > 3), None)
    return line if end is None else line[: end.start()]
