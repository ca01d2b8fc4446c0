"""What a reply gives as its answer, and what is odd about the reply."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from falter.answers.doubt import withdraws
from falter.answers.unwrap import answer_field, unwrap

__all__ = ["Oddity", "find_oddity", "given_answer", "is_doubtful", "is_vague", "strip_wrapping"]

Oddity = Literal["empty", "no answer", "log text"]
"""What makes a reply an odd record: it is empty, it says that there is no answer, or a line of a log got into it."""

_LOG = re.compile(
    r"\[(?:debug|info|warn|warning|error|trace)\]|\btraceback \(most recent call|\b(?:debug|info|warning):root:",
    re.IGNORECASE,
)
_NO_ANSWER = frozenset(("n/a", "na", "none", "null", "nan", "not applicable", "n.a."))
_DOUBTS = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|likely|presumably|potentially|might"
    r"|(?<!\d )(?<!\d of )(?<!\dth of )may(?! \d)|could|unclear|unknown|unsure"
    r"|uncertain|undetermined|i think|i guess|i believe"
    r"|not sure|not certain|not clear|not known|not applicable|cannot|can't|can not|unable|either|sometimes|depends"
    r"|hard to|difficult to|impossible to|guess|not enough|insufficient|indeterminate|ambiguous|visible enough"
    r"|if|unless|seems?|supposedly|apparently)\b|\?|^(?:yes|no),? but\b"
)
_VAGUE = re.compile(
    r"\b(?:partly|partially|somewhat|mostly|kind of|sort of|some kind|not visible|approximately"
    r"|roughly|at least"
    r"|at most|nearly|almost|more than|less than|generally|largely|usually|in part|except)\b"
    r"|^(?:about|around)\b|\b(?:about|around) (?=\d|half|a (?:dozen|hundred|thousand)|(?:one|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty)\b)"
)
_CHAT = re.compile(r"^(?:(?:sure|certainly|of course|okay|ok)[!,.:]+\s+(?=[a-z])|\(?1[.)]\s+(?=[a-z]))")
"""What comes before an answer and is none of it: a courtesy, the number of a list of one."""
_NOT_EITHER = re.compile(r"((?:n't|\bnot?)\b[\w ]*?) either\b")
"""\"I don't see either" denies both, and is no doubt."""
_APPEARS = re.compile(r"\b(?:seems?|apparently)\b")


def given_answer(text: str) -> str:
    """The answer as it is written: the answer field of a JSON object, else the whole text, trimmed.

    >>> given_answer('{"answer": "Right side"}'), given_answer(" Right side\\n")
    ('Right side', 'Right side')
    """
    field = answer_field(text) if "{" in text else None
    return (text if field is None else field).strip()


@lru_cache(maxsize=1 << 12)
def strip_wrapping(text: str) -> str:
    """What the text says, in lower case, without thoughts, markup, wrapping and courtesies."""
    unwrapped = unwrap(text)
    said = (unwrapped.text if unwrapped.marked is None else unwrapped.marked).strip()
    return _CHAT.sub("", said)


def find_oddity(text: str) -> Oddity | None:
    """What is odd about a reply, or None.

    >>> find_oddity("No | g[DEBUG] idx=3 | pred=Left"), find_oddity('{"answer": "None"}'), find_oddity("No")
    ('log text', 'no answer', None)
    """
    if _LOG.search(text):
        return "log text"
    given = given_answer(text).lower().strip(" .")
    if not given:
        return "empty"
    return "no answer" if given in _NO_ANSWER else None


@lru_cache(maxsize=1 << 12)
def is_vague(text: str) -> bool:
    """Whether an answer (in lower case) is given only in part, or only about."""
    return _VAGUE.search(text) is not None


@lru_cache(maxsize=1 << 12)
def is_doubtful(text: str, question: str) -> bool:
    """Whether an answer (in lower case) hedges; "seems" is no hedge where the question asks how a thing seems."""
    asks_of_looks = re.search(r"\b(?:seems?|appears?|looks?|think)\b", question.lower()) is not None
    checked = _APPEARS.sub("", text) if asks_of_looks else text
    checked = _NOT_EITHER.sub(r"\1", checked) if "either" in checked else checked
    return _DOUBTS.search(checked) is not None or withdraws(text)
