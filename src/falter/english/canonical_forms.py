"""Other wordings of questions that templates parse, rewritten to the wording of the templates.

Only what leaves the meaning as it is: where the picture is named, a list's commas, "what kind of color" for "what
color". Questions are made and audited without it; it serves those who must make something of questions from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["canonical_forms"]

_FAMILY = "color|material|pattern|size|length|shape|flavor|sport|activity"
_DOING = "action|activity|pose|sport"
_KIND_OF = "(?:(?:kind|type|sort)s? of )?"


def _rule(pattern: str, instead: str) -> tuple[re.Pattern[str], str]:
    return re.compile(pattern, re.IGNORECASE), instead


_PLAIN = (
    # Every question is about the image.
    _rule(r"(?: anywhere)? in (?:the|this) (?:photo|photograph|picture|image|scene)\b", ""),
    _rule(r"^(?:in|looking at) (?:the|this) (?:photo|photograph|picture|image|scene), ", ""),
    _rule(r" (?:anywhere|here)\?$", "?"),
    _rule(r"^what's ", "What is "),
    _rule(rf"\b{_KIND_OF}({_FAMILY})\b", r"\1"),
    _rule(rf"^(?:what|which) {_KIND_OF}(?:{_DOING}) (is|are) ", r"What \1 "),
    _rule(rf"^what would you call the {_KIND_OF}(?:{_DOING}) that (.+?) (is|are) doing,", r"What \2 \1 doing,"),
    _rule(
        rf"^(?:do you think|would you say)(?: that)? the {_KIND_OF}(?:{_DOING}) (the .+?) (is|are) doing is ",
        r"What \2 \1 doing, ",
    ),
    _rule(rf"^(?:do you think|would you say)(?: that)? the ({_FAMILY}) of ", r"Would you say the \1 of "),
    _rule(rf"^(?:what|which) ({_FAMILY}) do you think the ", r"What \1 would you say the "),
    _rule(
        r"^(?:what|which) (?:(?:kind|type|sort) of )?(\w+(?: \w+)?) (?:do you see(?: is)?|is) (.+?), (an? .+)$",
        r"What is the \1 \2, \3",
    ),
    _rule(r"^does it (?:look like|seem that|seem like) (?=the )", "Would you say that "),
    _rule(r" (?:that|who|which) (?:is|are) ", " "),
    # Both before "any" and in a list, the word that only some need is left out.
    _rule(r"\b(both|and|or|either) any ", r"\1 "),
    _rule(r"  +", " "),
)
_LAST_OR = re.compile(r",? or (?!.* or )")
_THAT = re.compile(r"\b(think|say)( that)?(?= (?:the|there)\b)", re.IGNORECASE)


def canonical_forms(question: str) -> Iterator[str]:
    """Equivalent wordings of a question, the most likely to be parsed first; the question itself is not among them.

    >>> list(canonical_forms("Do you think the window in this photo is open?"))
    ['Do you think the window is open?', 'Do you think that the window is open?']
    >>> list(canonical_forms("What kind of color is the car, red, blue or green?"))[1]
    'What color is the car, red, blue, or green?'
    """
    plain = question
    for pattern, instead in _PLAIN:
        plain = pattern.sub(instead, plain)
    plain = plain[:1].upper() + plain[1:]
    lists = [plain]
    if _LAST_OR.search(plain):
        lists += [_LAST_OR.sub(", or ", plain, count=1), _LAST_OR.sub(" or ", plain, count=1)]
    seen = {question}
    for text in lists:
        for other in (text, _THAT.sub(_other_that, text)):
            if other not in seen:
                seen.add(other)
                yield other


def _other_that(found: re.Match[str]) -> str:
    return found[1] if found[2] else f"{found[1]} that"
