"""Texts that were cut off: a whole answer before the cut counts, half a thought does not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from falter.answers.lexicon import CLAUSE_END
from falter.answers.parse import Parsed, parse_answer
from falter.answers.unwrap import has_open_thought, unwrap

__all__ = ["ReadText", "read_text"]

_WHOLE_MARK = re.compile(
    r"\{[^{}]*[\"\w\]]\s*\}|<\s*/\s*(?:final[_ ]?answer|answer)\s*>|<\|end_of_box\|>|\\f?boxed\s*\{[^{}]*\}"
)
_SENTENCE = re.compile(r"[.!?\n]")
_SHORT = 3
"""So many words make an answer; a longer first sentence may lead up to one."""


class ReadText(NamedTuple):
    """What was read out of a text: the status of the reply, and its answer."""

    status: Literal["ok", "unparsed", "truncated"]
    answer: str | None = None


def read_text(text: str, choices: Sequence[str] | None = None, *, cut_off: bool = False) -> ReadText:
    """Read a reply's text; ``cut_off`` says that it ends at the limit of tokens.

    Of such a text only an answer counts that came whole before the cut: one that is marked, that the text begins
    with, or that is a choice letter by letter. Without one, the reply is truncated; so is a text that ends within a
    thought.

    >>> read_text("Yes, there is a", ("yes", "no"), cut_off=True)
    ReadText(status='ok', answer='yes')
    >>> read_text("The man is holding a hot", cut_off=True).status
    'truncated'
    """
    parsed = _parse_part(text, choices) if cut_off else parse_answer(text, choices)
    if parsed is None or (parsed.kind == "unparsed" and has_open_thought(text)):
        return ReadText("truncated")
    return ReadText(parsed.status, parsed.answer)


def _parse_part(text: str, choices: Sequence[str] | None) -> Parsed | None:
    """The answer that came whole, or None."""
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
