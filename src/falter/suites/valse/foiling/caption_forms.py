"""Captions of which no foil is made as a whole: those in capitals, questions, denials, and those that give a reason."""

from __future__ import annotations

from falter.nlp.parsing import ParsedText
from falter.suites.valse.foiling.word_lists import word_list

__all__ = ["form_problem"]


def form_problem(parsed: ParsedText) -> str:
    """Why no foil is made of a caption, or an empty text.

    Where there are no dogs on the bench there may be none next to it either, and a question is neither true nor false.
    """
    if parsed.text.isupper():
        return "the caption is in capitals"
    if parsed.text.rstrip("\"' ”’)").endswith("?"):
        return "the caption is a question"
    words = {token.lower.replace("’", "'") for token in parsed.tokens}
    if not words.isdisjoint(word_list("denying")):
        return "the caption denies something"
    return "" if words.isdisjoint(word_list("reasons")) else "the caption gives a reason"
