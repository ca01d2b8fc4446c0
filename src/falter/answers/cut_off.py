"""Texts that were cut off: a whole answer before the cut counts, half a thought does not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from falter.answers.lexicon import CLAUSE_END
from falter.answers.parse import Parsed, parse_answer
from falter.answers.unwrap import unwrap

__all__ = ["parse_whole_part"]

_WHOLE_MARK = re.compile(
    r"\{[^{}]*[\"\w\]]\s*\}|<\s*/\s*(?:final[_ ]?answer|answer)\s*>|<\|end_of_box\|>|\\f?boxed\s*\{[^{}]*\}"
)
_SENTENCE = re.compile(r"[.!?\n]")
_SHORT = 3
"""So many words make an answer; a longer first sentence may lead up to one."""


def parse_whole_part(text: str, choices: Sequence[str] | None) -> Parsed | None:
    """The answer that came whole before a text was cut off, or None.

    Only an answer counts that is marked, that the text begins with, or that is a choice letter by letter.

    >>> parse_whole_part("Yes, there is a", ("yes", "no"))
    Parsed(kind='choice', answer='yes')
    >>> parse_whole_part("The man is holding a hot", None)
    """
    message = unwrap(text)
    if message.marked is not None:
        whole = parse_answer(text, choices) if _WHOLE_MARK.search(text) else None
        return whole if whole is not None and whole.answer is not None else None
    said = message.text.strip()
    first = CLAUSE_END.split(said, maxsplit=1)[0].strip()
    if first == said:
        return _whole_choice(said, choices or ())
    opening = parse_answer(first, choices)
    if opening.kind == "choice" or opening.answer in ("yes", "no"):
        return opening if parse_answer(text, choices).answer == opening.answer else None
    sentence = _SENTENCE.split(said, maxsplit=1)[0].strip()
    if choices is None and sentence != said and len(sentence.split()) <= _SHORT:
        short = parse_answer(sentence)
        return short if short.answer is not None else None
    return None


def _whole_choice(said: str, choices: Sequence[str]) -> Parsed | None:
    """The choice that a text is, letter by letter; None where it may be the beginning of another."""
    begun = [choice for choice in choices if choice.lower().startswith(said)]
    return Parsed("choice", begun[0]) if said and len(begun) == 1 and begun[0].lower() == said else None
