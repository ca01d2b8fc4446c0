"""Letters, numbers and ordinals that stand for a choice: ``(B)``, ``Option 2``, ``the first``, ``2. a cat``."""

from __future__ import annotations

import re
from typing import NamedTuple

from falter.answers.choices import EDGES, Choices, exactly, mentioned

__all__ = ["Marked", "by_keyword", "by_mark"]

_NOUN = r"(?:option|choice|answer|caption|sentence|statement|number|description|alternative|candidate|item)"
_WORDS = {
    **{
        word: number
        for number, word in enumerate(
            ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], start=1
        )
    },
    **{
        word: number
        for number, word in enumerate(
            ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=1
        )
    },
    **{f"{number}{ending}": number for number, ending in ((1, "st"), (2, "nd"), (3, "rd"), (4, "th"), (5, "th"))},
    "former": 1,
}
_ORDINAL = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|former|latter|1st|2nd|3rd|4th|5th"
_CARDINAL = "one|two|three|four|five|six|seven|eight|nine|ten"
_SIGN = rf"(?:[a-z]|\d{{1,2}}|{_CARDINAL})"

_ALONE = re.compile(r"#?\s*([a-z]|\d{1,2})")
_BEFORE_TEXT = re.compile(
    r"(?:[(\[]\s*([a-z]|\d{1,2})\s*[)\]]|([a-z]|\d{1,2})\s*(?:[).:,]|\s[-–—]|\n))\s*[-–—:.]?\s*(\S.*)", re.DOTALL
)
_ORDINAL_ALONE = re.compile(
    rf"(?:the\s+)?({_ORDINAL})(?:\s+(?:one|{_NOUN}))?(?:\s+is)?(?:\s+(?:correct|right|true|best))?[.!]*"
)
_BY_NOUN = re.compile(
    rf"(?:\b{_NOUN}\b|\bno\.|#)\s*[:]?\s*(?:[(\[]\s*({_SIGN})\s*[)\]]|({_SIGN})\b(?!'\w))"
    rf"|\b({_ORDINAL})\s+(?:one|{_NOUN})\b"
)
_IS_RIGHT = re.compile(
    r"([a-z]|\d{1,2})\s+(?:is|seems|looks|appears|would be)\s+(?:to be )?(?:the |clearly )?"
    r"(?:correct|right|best|better|answer|true|accurate)\b(.*)",
    re.DOTALL,
)
_WITH_TEXT = re.compile(r"([a-z]|\d{1,2})\s*\(([^()]+)\)[.!]*")
_NEXT_MARK = re.compile(r"(?:^|\s)(?:\(([a-z]|\d)\)|([a-z]|\d)[).:])\s")


_IN_KEYWORDS = (
    *("option", "choice", "answer", "caption", "sentence", "statement", "number", "description", "alternative"),
    *("candidate", "item", "no.", "#", " one"),
)


class Marked(NamedTuple):
    """What a mark stands for: a choice; None with what it was where it is beyond the list or contradicted."""

    choice: str | None
    beyond: str | None = None


def by_mark(core: str, choices: Choices) -> Marked | None:
    """Read a text that is a mark, or begins with one; a mark beside the text of another choice is a contradiction."""
    trimmed = core.strip(EDGES)
    if match := _ALONE.fullmatch(trimmed):
        return _stands_for(match[1], choices)
    if match := _ORDINAL_ALONE.fullmatch(trimmed):
        return _stands_for(match[1], choices)
    if match := _WITH_TEXT.fullmatch(core.strip()):
        found, named = _stands_for(match[1], choices), exactly(match[2], choices)
        return None if named is None or found is None else found if found.choice == named else Marked(None)
    if match := _IS_RIGHT.match(core):
        found = _stands_for(match[1], choices)
        return found if found is None or found.choice is None else _checked(found, match[2], choices)
    if match := _BEFORE_TEXT.match(core.lstrip("\"'")):
        sign = match[1] or match[2]
        if choices.counts and sign.isdigit():
            return None
        if not sign.isdigit() and not match[1] and match.string[match.end(2) :].startswith(","):
            return None
        found = _stands_for(sign, choices)
        return found if found is None or found.choice is None else _checked(found, match[3], choices)
    return None


def by_keyword(text: str, choices: Choices) -> Marked | None:
    """Read ``option 2``, ``the second caption`` wherever it stands; two different ones are a contradiction."""
    if not any(part in text for part in _IN_KEYWORDS):
        return None
    found: dict[Marked, str] = {}
    for match in _BY_NOUN.finditer(text):
        sign = match[1] or match[2] or match[3]
        if (
            match[2] == "a"
            and text[match.end() : match.end() + 1] == " "
            and not re.match(r"\s+(?:is|and|or|matches|describes|fits|because|since)\b", text[match.end() :])
        ):
            continue
        marked = _stands_for(sign, choices, explicit=True)
        if marked is not None:
            found[marked] = text[match.end() :]
    if len(found) != 1:
        return Marked(None) if found else None
    ((marked, rest),) = found.items()
    return marked if marked.choice is None else _checked(marked, rest.lstrip(" .:)-–—"), choices)


def _checked(found: Marked, rest: str, choices: Choices) -> Marked:
    """The choice of a mark, unless the text after it names another one, or lists further marks."""
    others = {_stands_for(match[1] or match[2], choices) for match in _NEXT_MARK.finditer(rest)}
    if any(other is not None and other.choice is not None and other != found for other in others):
        return Marked(None)
    first = re.split(r"[.,;:!\n]|\s[-–—]\s", rest, maxsplit=1)[0]
    named = exactly(first, choices) or exactly(rest, choices)
    if named is None:
        names = mentioned(first, choices) or mentioned(rest, choices)
        named = found.choice if not names or found.choice in names else names[0]
    return found if named == found.choice else Marked(None)


def _stands_for(sign: str, choices: Choices, *, explicit: bool = False) -> Marked | None:
    """The choice at a position; None where such a sign cannot stand for one.

    Where choices hold numbers, only an ``explicit`` number, such as in "option 2", is a position.
    """
    size = len(choices.given)
    if sign in ("last", "latter"):
        return Marked(choices.given[-1]) if sign == "last" or size == 2 else None
    if sign.isalpha() and len(sign) == 1:
        if not choices.lettered:
            return None
        index = ord(sign) - ord("a")
    else:
        index = (int(sign) if sign.isdigit() else _WORDS[sign]) - 1
        if not choices.numbered and sign not in _WORDS:
            literal = exactly(sign, choices)
            at = choices.given[index] if 0 <= index < size else None
            if literal is None:
                return Marked(at) if explicit and at is not None else None
            # A number that is itself among the choices is ambiguous, unless both readings agree.
            return Marked(literal) if literal == at else Marked(None)
        if not choices.numbered and sign in _CARDINAL.split("|"):
            return None
    return Marked(choices.given[index]) if 0 <= index < size else Marked(None, sign)
