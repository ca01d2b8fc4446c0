"""Judging an open answer by two rules: exact comparison, and as a careful person would."""

from __future__ import annotations

import re
from functools import lru_cache

from falter.answers.normalize import fold
from falter.answers.open_answers.given_answer import find_oddity, given_answer, is_doubtful, strip_wrapping
from falter.answers.open_answers.implied import implied_polarity
from falter.answers.open_answers.phrases import names_kind, plain_words
from falter.answers.open_answers.same_answer import is_same_answer, turns_position_round
from falter.answers.parse import parse_answer

__all__ = ["CAREFUL_VERSION", "is_careful_match", "is_exact_match"]

CAREFUL_VERSION = "careful-2"
"""Changes whenever the same reply would be judged differently; part of signatures."""

_YES_NO = ("yes", "no")
_SIDE = re.compile(r"\bright\b")
_SEVERAL_SENTENCES = re.compile(r"[.!?:;\n,]")
_GENERAL = frozenset(
    (
        *("image", "picture", "photo", "photograph", "scene", "object", "objects", "thing", "item", "color", "answer"),
        *("animal", "person", "people", "vehicle", "food", "side", "part", "kind", "type", "material", "sign"),
    )
)
"""Nouns that may stand for what is asked about."""
_AGREES = re.compile(r"^(?:that(?:'s| is)|you(?:'re| are)|all) right\W*$")
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
    reply = strip_wrapping(text).lower()
    if not reply or reply == wanted:
        return reply == wanted
    if reply in _YES_NO:
        return False
    if wanted in _YES_NO:
        return read_yes_no(question, reply) == wanted
    if is_doubtful(reply, question) or _AGREES.match(reply):
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


def _is_about_another(question: str, reply: str, answer: str) -> bool:
    """Whether one sentence says it of something else than the question: "the woman holds it", asked of the man."""
    if _SEVERAL_SENTENCES.search(reply.strip(" .!")):
        return False
    known = set(plain_words(question)) | set(plain_words(answer)) | _GENERAL
    return any(word not in known and names_kind(word) for word in plain_words(reply))


def _is_same_sentence(question: str, gold: str, reply: str) -> bool:
    """Whether the answer that can be read out of a longer text is the gold answer."""
    parsed = parse_answer(reply)
    if parsed.answer is None or parsed.answer == reply:
        return False
    if turns_position_round(question, plain_words(gold), plain_words(reply)) or _is_about_another(
        question, reply, parsed.answer
    ):
        return False
    return is_same_answer(question, gold, parsed.answer)
