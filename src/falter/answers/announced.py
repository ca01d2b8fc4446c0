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
    r"(?:[ \t]+(?:to|for)[ \t]+(?:the|this|your)[ \t]+question)?(?:[ \t]*\([^)\n]{3,}\))?[ \t]*(?:[:=]"
    r"|[-–—](?=[ \t]))+[ \t]*\n*"
    r"|(?:^|\n)[ \t]*(?:final[ \t]+)?answer[ \t]*\n+"
    r"|(?:^|\n)a[ \t]*:[ \t]*"
)
_COPULA = re.compile(
    r"\b(?:answer|option|choice|response|reply|verdict|conclusion|total|caption|statement|sentence|description|letter)\b"
    r"(?:[ \t]+(?:here|(?:to|for)[ \t]+(?:the|this|your)[ \t]+question(?:[ \t]+about[^.,:\n]{1,40}?)?))?"
    r"(?:'s|[ \t]+(?:would be|should be|must be|has to be|is|was|appears to be|seems to be))"
    r"(?![ \t]*(?:not|correct|right(?=[ \t]*(?:[.,!]|$))|true|false|incorrect|wrong|based|accurate|more|most|better"
    r"|best|clearly|the (?:best|correct|better|right))\b)"
    r"[ \t]*[:\"]*[ \t]*(?:that[ \t]+)?"
)
_CHOOSE = re.compile(
    r"\bi(?:'d|'ll|'m| would| will)? (?:choose|pick|select|go(?:ing)? with|opt for|vote for"
    r"|conclude)(?: that)?[ \t]*[:\"]*[ \t]*"
)
_LEADS_UP = re.compile(r":[ \t]*\n\s*(?=[(\[][a-z\d][)\]])")
"""A line that leads up to a mark on the next: ``Therefore, the most similar image is:``."""
_MARK_LINE = re.compile(r"\s*[(\[]?([a-z]|\d)[)\].:]")
_FINAL = re.compile(r"final|conclusion|therefore|thus|hence|\bso\b")


_IN_LABELS = (":", "=", "- ", "– ", "— ", "\n")
_IN_COPULAS = (
    *("answer", "option", "choice", "response", "reply", "verdict", "conclusion", "total", "caption", "statement"),
    *("sentence", "description", "letter"),
)

_MOST = 8
"""More announcements than this are not read: the last ones count."""
_LONGEST = 500
_PARTS = {_LABEL: _IN_LABELS, _COPULA: _IN_COPULAS, _CHOOSE: ("i ", "i'"), _LEADS_UP: ("\n",)}


class Announcement(NamedTuple):
    """An announced answer: its text, and whether it is announced as the last word."""

    text: str
    final: bool
    labelled: bool
    opens: int = 0
    """Where its sentence begins."""


def find_announcements(text: str, *, lettered: bool = False) -> list[Announcement]:
    """What follows each announcement that is neither asked nor supposed nor doubted.

    Where letters stand for choices (``lettered``), "a:" announces an answer only after a "q:".
    """
    found: list[tuple[int, Announcement]] = []
    taken: set[int] = set()
    for pattern, labelled in ((_LABEL, True), (_COPULA, False), (_CHOOSE, False), (_LEADS_UP, False)):
        if not any(part in text for part in _PARTS[pattern]):
            continue
        for match in list(pattern.finditer(text))[-_MOST:]:
            start = match.end()
            if not text[start : start + _LONGEST].split("\n", 1)[0].strip():
                # "The answer is:", and the answer on the next line.
                start += len(text[start : start + _LONGEST]) - len(text[start : start + _LONGEST].lstrip())
            if start in taken or (lettered and match[0].strip(" \n:") == "a" and "q:" not in text):
                continue
            taken.add(start)
            content = _content(text, start)
            opens = max(text.rfind(stop, 0, match.start() + 1) for stop in (". ", "\n", "! ", "? ")) + 1
            sentence = text[opens : match.end()] + content
            # What comes before a "but" is overcome by what comes after it.
            before = text[opens : match.start()].rpartition(" but ")[2]
            if "\n" in text[match.start() : start] and _is_list(text[start : start + _LONGEST]):
                continue
            if not content.strip(" .\"'") or (not labelled and (is_hedged(before) or is_idle(sentence))):
                continue
            final = _FINAL.search(text[opens : match.end()]) is not None
            found.append((start, Announcement(content, final, labelled, opens)))
    return [announcement for _, announcement in sorted(found, key=lambda one: one[0])]


def _is_list(text: str) -> bool:
    """Whether a text begins with two lines of different marks: what is listed is not chosen."""
    lines = [line for line in text.split("\n") if line.strip()][:2]
    marks = [match[1] for line in lines for match in [_MARK_LINE.match(line)] if match]
    return len(set(marks)) == 2 and marks[0].isdigit() == marks[1].isdigit()


def _content(text: str, start: int) -> str:
    """The rest of the sentence, or of the line."""
    line = text[start : start + _LONGEST].split("\n", 1)[0]
    # A mark such as "b." ends no sentence.
    end = next((one for one in SENTENCE_END.finditer(line) if one.start() > 3), None)
    return line if end is None else line[: end.start()]
