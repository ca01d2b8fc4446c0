"""Judging an open answer by two rules: exact comparison, and as a careful person would."""

from __future__ import annotations

import re
from functools import lru_cache

from falter.answers.normalize import fold
from falter.answers.open_answers.claims import strip_closers
from falter.answers.open_answers.given_answer import find_oddity, given_answer, is_doubtful, is_vague, strip_wrapping
from falter.answers.open_answers.implied import implied_polarity
from falter.answers.open_answers.same_answer import is_same_answer
from falter.answers.parse import parse_answer

__all__ = ["CAREFUL_VERSION", "is_careful_match", "is_exact_match"]

CAREFUL_VERSION = "careful-3"
"""Changes whenever the same reply would be judged differently; part of signatures."""

_YES_NO = ("yes", "no")
_SIDE = re.compile(r"\bright\b")
_AGREES = re.compile(r"^(?:that(?:'s| is)|you(?:'re| are)|all) right\W*$")
_SEES_NONE = re.compile(
    r"\bi (?:can't|cannot|can not|couldn't|could not) (?:see|spot|find) (?:any|an?) "
    r"(?!images?|pictures?|photos?|ways?|reasons?|details?|evidence|signs? of|difference|clear)"
)
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
    if is_exact_match(gold, text):
        return True
    wanted = fold(gold).strip().lower()
    reply = strip_closers(strip_wrapping(text).lower())
    if not reply or reply == wanted:
        return reply == wanted
    if reply in _YES_NO:
        return False
    if wanted in _YES_NO:
        return read_yes_no(question, reply) == wanted
    # "May be closed" is no hedge where the sign says so.
    checked = reply.replace(wanted, " ") if is_doubtful(wanted, question) else reply
    if is_doubtful(checked, question) or _AGREES.match(reply):
        return False
    return is_same_answer(question, wanted, reply)


def read_yes_no(question: str, reply: str) -> str | None:
    """The yes or no that a reply (in lower case) says or implies."""
    # "I can't see any cars" denies that there are some.
    reply = _SEES_NONE.sub("i see no ", reply)
    if is_doubtful(reply, question) or is_vague(reply):
        return None
    # "To the right" says where, and not that something is right.
    if _SIDE.search(reply) and not _SAYS.search(reply):
        return implied_polarity(question, reply)
    parsed = parse_answer(reply, _YES_NO)
    return parsed.answer if parsed.kind == "choice" else implied_polarity(question, reply)
