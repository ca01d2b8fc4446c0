"""Judging an open answer by two rules: exact comparison, and as a careful person would."""

from __future__ import annotations

import re
from functools import lru_cache

from falter.answers.open_answers.given_answer import find_oddity, given_answer, is_doubtful, strip_wrapping
from falter.answers.open_answers.implied import implied_polarity
from falter.answers.open_answers.same_answer import is_same_answer
from falter.answers.parse import parse_answer

__all__ = ["CAREFUL_VERSION", "is_careful_match", "is_exact_match"]

CAREFUL_VERSION = "careful-1"
"""Changes whenever the same reply would be judged differently; part of signatures."""

_YES_NO = ("yes", "no")
_SIDE = re.compile(r"\bright\b")
_SAYS = re.compile(r"\b(?:yes|no|that's|that is)\b")


def is_exact_match(gold: str, text: str) -> bool:
    """Whether the answer that a reply gives is the gold answer, letter by letter in lower case.

    >>> is_exact_match("right", '{"answer": "Right"}'), is_exact_match("right", "Right side")
    (True, False)
    """
    return given_answer(text).lower() == gold.strip().lower()


@lru_cache(maxsize=1 << 16)
def is_careful_match(question: str, gold: str, text: str) -> bool:
    """Whether a careful person, who reads question, gold answer and reply, would call the reply correct.

    >>> is_careful_match("Which side is it on?", "right", "On the right side.")
    True
    >>> is_careful_match("Are there mugs or cups?", "no", "Neither"), is_careful_match("Is it clean?", "no", "Not sure")
    (True, False)
    """
    if find_oddity(text) == "log text":
        return False
    wanted = gold.strip().lower()
    reply = strip_wrapping(text).lower()
    if not reply or reply == wanted:
        return reply == wanted
    if reply in _YES_NO:
        return False
    if wanted in _YES_NO:
        return read_yes_no(question, reply) == wanted
    if is_doubtful(reply, question):
        return False
    if is_same_answer(question, wanted, reply):
        return True
    return not reply.isalnum() and _is_same_sentence(question, wanted, reply)


def read_yes_no(question: str, reply: str) -> str | None:
    """The yes or no that a reply (in lower case) says or implies."""
    if is_doubtful(reply, question):
        return None
    # "To the right" says where, and not that something is right.
    if _SIDE.search(reply) and not _SAYS.search(reply):
        return implied_polarity(question, reply)
    parsed = parse_answer(reply, _YES_NO)
    return parsed.answer if parsed.kind == "choice" else implied_polarity(question, reply)


def _is_same_sentence(question: str, gold: str, reply: str) -> bool:
    """Whether the answer that can be read out of a longer text is the gold answer."""
    parsed = parse_answer(reply)
    if parsed.answer is None or parsed.answer == reply:
        return False
    return is_same_answer(question, gold, parsed.answer)
