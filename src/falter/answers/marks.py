"""Letters, numbers and ordinals that stand for a choice: ``(B)``, ``Option 2``, ``the first``, ``2. a cat``."""

from __future__ import annotations

import re
from typing import NamedTuple

from falter.answers.choices import EDGES, Choices, exactly, is_denied, mentioned

__all__ = ["Marked", "by_keyword", "by_mark"]

_NOUN = r"(?:option|choice|answer|caption|sentence|statement|number|description|alternative|candidate|item|letter)"
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
    rf"|\b({_ORDINAL})\s+(?:one|{_NOUN})\b|(?<=is the )({_ORDINAL})(?=[.!]*(?:\n|$))"
    r"|[(\[]([a-z])[)\]]|(?<=\bis )([a-z])(?=[.!]*(?:\n|$))"
)
_COMPARED_WITH = re.compile(r"\b(?:to|than|as|of|with|from|like|match(?:es)?) (?:the )?$")
"""What comes before the thing that an answer is compared with: "most similar to the first one"."""
_IS_RIGHT = re.compile(
    r"([a-z]|\d{1,2})\s+(?:is|seems|looks|appears|would be)\s+(?:to be )?(?:the |clearly )?"
    r"(?:correct|right|best|better|answer|true|accurate)\b(.*)",
    re.DOTALL,
)
_REASON = re.compile(r"(?:because|since|as|due|given|for|not|the|which|it|this|that)\b")
_WITH_TEXT = re.compile(r"([a-z]|\d{1,2})\s*\(([^()]+)\)[.!]*")
_AND_MORE = re.compile(rf"(?:and|or|&|/|,)\s*(?:\d|{_CARDINAL})\b")
_NEXT_MARK = re.compile(r"(?:^|\s)(?:\(([a-z]|\d)\)|([a-z]|\d)[).:])\s")


_IN_KEYWORDS = (
    *("option", "choice", "answer", "caption", "sentence", "statement", "number", "description", "alternative"),
    *("candidate", "item", "no.", "#", " one", "letter", "(", "[", " is "),
)
_AFTER_A = re.compile(r"\s+(?:is|and|or|matches|describes|fits|because|since)\b")


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
        bare_comma = not sign.isdigit() and not match[1] and core.lstrip("\"'")[match.end(2) :].startswith(",")
        # "A, b, c" lists, "a, well" is a word; "c, because" gives an answer.
        if bare_comma and not _REASON.match(match[3]):
            return None
        found = _stands_for(sign, choices)
        return found if found is None or found.choice is None else _checked(found, match[3], choices)
    return None


def by_keyword(text: str, choices: Choices) -> Marked | None:
    """Read ``option 2``, ``the second caption``, ``(c)`` wherever it stands; two different ones are a contradiction."""
    if not any(part in text for part in _IN_KEYWORDS):
        return None
    found: dict[Marked, str] = {}
    for match in _BY_NOUN.finditer(text):
        sign = next(group for group in match.groups() if group is not None)
        after = text[match.end() :]
        if match[2] == "a" and after[:1] == " " and not _AFTER_A.match(after):
            continue
        if is_denied(text, match.start(), match.end()) or _is_compared_with(text, match):
            continue
        marked = _stands_for(sign, choices, explicit=True)
        if marked is not None and ((match[5] or match[6]) is None or marked.choice is not None):
            found[marked] = after
    if len(found) != 1:
        return Marked(None) if found else None
    ((marked, rest),) = found.items()
    return marked if marked.choice is None else _checked(marked, rest.lstrip(" .:)-–—"), choices)


def _is_compared_with(text: str, match: re.Match[str]) -> bool:
    return match[3] is not None and _COMPARED_WITH.search(text[max(0, match.start() - 16) : match.start()]) is not None


def _checked(found: Marked, rest: str, choices: Choices) -> Marked:
    """The choice of a mark, unless the text after it names another one, or lists further marks."""
    others = {_stands_for(match[1] or match[2], choices) for match in _NEXT_MARK.finditer(rest)}
    if any(other is not None and other.choice is not None and other != found for other in others):
        return Marked(None)
    first = re.split(r"[.,;:!\n]|\s[-–—]\s", rest, maxsplit=1)[0]
    named = exactly(first, choices) or exactly(rest, choices)
    if named is None:
        # "(C) About the same. Points A and B ...": letters in what follows explain.
        # In "caption 1 fits because there are 2 people" the 2 is no caption.
        names = (
            []
            if choices.labelled or (choices.positions and not _AND_MORE.match(rest))
            else mentioned(first, choices) or mentioned(rest, choices)
        )
        named = found.choice if not names or found.choice in names else names[0]
    return found if named == found.choice else Marked(None)


def _stands_for(sign: str, choices: Choices, *, explicit: bool = False) -> Marked | None:
    """The choice at a position; None where such a sign cannot stand for one.

    Where choices hold numbers, only an ``explicit`` number, such as in "option 2", is a position.
    """
    size = len(choices.given)
    if choices.ordinals and sign in _WORDS:
        # "The second one" of "the second image" and "the third image" is no position.
        named = choices.ordinals.get(sign)
        return None if named is None else Marked(named)
    if sign in ("last", "latter"):
        return Marked(choices.given[-1]) if sign == "last" or size == 2 else None
    if sign.isalpha() and len(sign) == 1:
        if not choices.letters:
            return None
        named = choices.letters.get(sign)
        return Marked(None, sign) if named is None else Marked(named)
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
