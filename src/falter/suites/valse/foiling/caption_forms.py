"""Captions of which no foil is made as a whole: those in capitals, questions, denials, and those that give a reason."""

from __future__ import annotations

from falter.nlp.parsing import ParsedText
from falter.suites.valse.foiling.word_lists import word_list

__all__ = ["form_problem"]

_BEFORE_FEW = frozenset({"a", "the", "these", "those", "last", "first", "next"})


def form_problem(parsed: ParsedText) -> str:
    """Why no foil is made of a caption, or an empty text.

    Where there are no dogs on the bench there may be none next to it either, and a question is neither true nor false.
    """
    if parsed.text.isupper():
        return "the caption is in capitals"
    if parsed.text.rstrip("\"' ”’)").endswith("?"):
        return "the caption is a question"
    words = {token.lower.replace("’", "'") for token in parsed.tokens}
    if not words.isdisjoint(word_list("denying")) or _says_few(parsed):
        return "the caption denies something"
    return "" if words.isdisjoint(word_list("reasons")) else "the caption gives a reason"


def _says_few(parsed: ParsedText) -> bool:
    """Whether few are spoken of without an article, or only some: "few people" denies, "a few" does not."""
    for index, token in enumerate(parsed.tokens):
        if token.lower == "few" and (not index or parsed.tokens[index - 1].lower not in _BEFORE_FEW):
            return True
        # "A bus only lane" is another matter.
        if token.lower == "only" and index + 1 < len(parsed) and parsed.tokens[index + 1].tag in ("DT", "CD", "PRP$"):
            return True
    return False
