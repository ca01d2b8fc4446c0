"""What a text names only to set it aside: choices that it rules out or compares with, and words that are no side."""

from __future__ import annotations

import re

from falter.answers.choices import Choices
from falter.answers.doubt import is_hedged, withdraws
from falter.answers.lexicon import NEGATIONS
from falter.answers.statements import name_choice

__all__ = ["find_sum", "without_comparisons", "without_idioms", "without_rejected"]

_PREFERS = re.compile(
    r"(?P<taken>\b(?:prefer|choose|pick|select|favou?r|(?:go|going) (?:with|for)|opt for) [^.,;:!?\n]+?)"
    r" (?:over|rather than|instead of|to) (?P<left>[^.,;:!?\n]+)"
)
_WHEREAS = re.compile(
    r"(?:^|(?<=[.,;:!?\n]))(?P<taken>[^.,;:!?\n]*\b(?:best|better|correct|fits|matches|plausible|accurate\w*)\b"
    r"[^.,;:!?\n]*),? (?P<left>(?:whereas|while|unlike)\b"
    r"(?![^.!?\n]*\b(?:best|better|correct|fits|matches)\b)[^.!?\n]*)"
)
_RULES_OUT = re.compile(
    r"(?:\b(?:i|we|you)(?:'d|'ll|'ve)? (?:(?:can|would|could|will|have|had|then|first|also|safely|clearly) )*)?"
    r"\b(?:rul(?:e|es|ed|ing) out|eliminat(?:e|es|ed|ing)|discard(?:s|ed|ing)?|dismiss(?:es|ed|ing)?"
    r"|exclud(?:e|es|ed|ing)|reject(?:s|ed|ing)?) [^.;:!?\n]*?"
    r"(?=[.;:!?\n]|$|,? (?:so|but|leaving|which|because|since|as)\b)"
)
_OF_BOTH = re.compile(
    r"(?:^|(?<=[.!?\n] )|(?<=\n))(?:between|out of|among|comparing) [^.;:!?\n]+? (?:and|or) [^.,;:!?\n]+, "
)
_OFFERS = re.compile(r"^(?:(?:the|answer|possible) )*(?:options|choices)(?: are)?\s*:[^\n]*?(?=\banswer\b|\n|$)")
_COMPARES = {_PREFERS: (" over ", "rather than", "instead of", "prefer"), _WHEREAS: ("whereas", "while", "unlike")}
_LEAVES_OUT = {
    _OFFERS: ("options", "choices:", "choices are"),
    _RULES_OUT: ("e out", "ed out", "ing out", "eliminat", "discard", "dismiss", "exclud", "reject"),
    _OF_BOTH: ("between ", "out of ", "among ", "comparing "),
}
"""Each pattern with words without which it need not be tried."""

_NO_SIDE = re.compile(
    r"\b(?:you're|you are|all) right\b(?! (?:side|hand|half))|,\s*right(?=\?)|^right,? so\b"
    # "The" and "on" before it make it a side.
    r"|(?:^|(?<=[,.;:] )|\b(?:is|are|it's|he's|she's|and|standing|sitting) )right (?=(?:next|there|here|below|above"
    r"|behind|under|underneath|beneath|beside|by|near|inside|in (?:front|the (?:middle|center)))\b)"
    r"|^right,\s+(?=the\b[^.]*\bleft\b)|^right[,.!]\s+(?=(?:so\s+)?(?:it|this|that|he|she|they)\b)"
    r"|\b(?:has|have|had|just|already) left\b(?! (?:side|hand|arm|of|and|or)\b)|\bleft over\b"
)
"""In "right next to the door", "you're right" and "he has left" no side is named."""

_SUM = re.compile(
    r"(?<!out of )\b(?:a )?total of (?P<of>\w+)\b|\w ?= ?(?P<equal>\d+)\W*$"
    r"|\b(?:so|that's|that is|makes?|making|gives?|giving)(?: there (?:is|are))? (?P<so>\w+)(?: [a-z]+)?"
    r" (?:in total|altogether|in all)\b"
)
_AT_LEAST = re.compile(r"\b(?:at (?:least|most)|up to|or more|more than|not)\b|n't\b")


def without_comparisons(text: str, choices: Choices) -> str:
    """A text without the choices that it compares its own with: ``I prefer A over B``, ``A fits best, whereas B``."""
    for pattern, parts in _COMPARES.items():
        if any(part in text for part in parts):
            text = pattern.sub(lambda match: _taken(match, choices), text)
    return text


def without_rejected(text: str, choices: Choices) -> str:
    """A text without the choices that it only lists or rules out; what is left may be nothing."""
    for pattern, parts in _LEAVES_OUT.items():
        # Where choices say so themselves, it is part of the answer.
        if (
            any(part in text for part in parts)
            and pattern.search(text)
            and not any(pattern.search(choice.lower()) for choice in choices.given)
        ):
            text = pattern.sub(" ", text).strip()
    return text


def _taken(match: re.Match[str], choices: Choices) -> str:
    """What is preferred, where that is one choice, and what comes after it is not."""
    taken, left = match["taken"], match["left"]
    choice = None if NEGATIONS.intersection(taken.split()) else name_choice(taken, choices)
    return match[0] if choice is None or name_choice(left, choices) == choice else taken


def without_idioms(text: str, choices: Choices) -> str:
    """A text without "right" and "left" where they name no side, if sides are the choices."""
    if "right" not in choices.by_form or "left" not in choices.by_form or not ("right" in text or "left" in text):
        return text
    return _NO_SIDE.sub("", text).strip()


def find_sum(text: str) -> str | None:
    """The number that a text gives as a total: ``a total of 2``, ``1 + 2 = 3``, ``so 2 in all``."""
    if "total" not in text and "=" not in text and " all" not in text:
        return None
    sums = {match[match.lastgroup or 0] for match in _SUM.finditer(text)}
    if len(sums) != 1 or _AT_LEAST.search(text) or is_hedged(text) or withdraws(text):
        return None
    return sums.pop()
