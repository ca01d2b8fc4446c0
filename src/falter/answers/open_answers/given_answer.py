"""What a reply gives as its answer, and what is odd about the reply."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from falter.answers.doubt import withdraws
from falter.answers.unwrap import answer_field, unwrap

__all__ = ["Oddity", "find_oddity", "given_answer", "is_doubtful", "strip_wrapping"]

Oddity = Literal["empty", "no answer", "log text"]
"""What makes a reply an odd record: it is empty, it says that there is no answer, or a line of a log got into it."""

_LOG = re.compile(
    r"\[(?:debug|info|warn|warning|error|trace)\]|\btraceback \(most recent call|\b(?:debug|info|warning):root:",
    re.IGNORECASE,
)
_NO_ANSWER = frozenset(("n/a", "na", "none", "null", "nan", "not applicable", "n.a."))
_DOUBTS = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|likely|presumably|potentially|might|may|could|unclear|unknown|unsure"
    r"|uncertain|undetermined|partly|partially|somewhat|mostly|kind of|sort of|some kind|i think|i guess|i believe"
    r"|not sure|not certain|not clear|not visible|not known|not applicable|cannot|can't|can not|unable|either"
    r"|about|around|approximately|roughly|at least|at most|nearly|almost|more than|less than|sometimes|depends"
    r"|hard to|difficult to|impossible to|guess|not enough|insufficient|indeterminate|ambiguous|visible enough"
    r"|if|unless|seems?|supposedly|apparently|generally|largely|usually|in part|except)\b|\?|^(?:yes|no),? but\b"
)
_CHAT = re.compile(r"^(?:(?:sure|certainly|of course|okay|ok)[!,.:]+\s+(?=[a-z])|\(?1[.)]\s+(?=[a-z]))")
"""What comes before an answer and is none of it: a courtesy, the number of a list of one."""
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
def is_doubtful(text: str, question: str) -> bool:
    """Whether an answer (in lower case) hedges; "seems" is no hedge where the question asks how a thing seems."""
    asks_of_looks = re.search(r"\b(?:seems?|appears?|looks?|think)\b", question.lower()) is not None
    checked = _APPEARS.sub("", text) if asks_of_looks else text
    return _DOUBTS.search(checked) is not None or withdraws(text)
