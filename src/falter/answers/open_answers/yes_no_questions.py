"""What a yes-or-no question asks about: which things it asks the existence of, and whether all or any are wanted."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from falter.answers.open_answers.phrases import plain_words

__all__ = ["YesNoQuestion", "read_question"]

_EXISTS = re.compile(
    r"^(?:so,? |and |then )?(?:(?:is|are|was|were) there\b|(?:do|did|can|could) (?:you|we) (?:see|spot|find|notice)\b"
    r"|(?:does|do) (?:the|this|that) (?:image|picture|photo|photograph|scene) (?:have|show|contain|include)\b"
    r"|(?:is|are) (?=(?:any|either)\b.* (?:visible|shown|present|seen)\b))"
)
_TAIL = re.compile(
    r"\s*(?:,? ?(?:anywhere |shown |visible |present |seen |depicted )?"
    r"(?:in|on|of) (?:the|this|that) (?:image|picture|photo|photograph|scene|shot|frame)|\bthere|\bhere"
    r"|\bvisible|\bshown|\bpresent)\s*$"
)
_CLAUSE = re.compile(r"\s+(?:that|which|who)\s+(?:is|are|looks?|has|have|was|were)\b.*$")
_PLACE = re.compile(
    r"\s+(?:on|in|at|near|behind|under|underneath|above|below|beside|by|to|with|around|inside|beneath|next|between"
    r"|along|against|over|across|next to|in front of)\s+.*$"
)
_START = re.compile(r"^(?:(?:either|both|any|a|an|some|the)\s+)+")


class YesNoQuestion(NamedTuple):
    """A question that yes or no answers.

    ``things`` are what it asks the existence of, without articles; ``joined`` says whether one of them is enough
    ("any"), all are needed ("all"), or there is one alone; "no" where it does not ask for existence.
    """

    words: tuple[str, ...]
    things: tuple[tuple[str, ...], ...]
    joined: Literal["one", "any", "all", "no"]
    placed: bool = False
    """Whether it asks for the existence in a place, not in the image."""


@lru_cache(maxsize=1 << 12)
def read_question(question: str) -> YesNoQuestion:
    """Read a question.

    >>> read_question("Are there any mugs or plates in the image?").things
    (('mugs',), ('plates',))
    """
    asked = question.lower().strip().rstrip("?.! ")
    words = plain_words(asked)
    match = _EXISTS.match(asked)
    if match is None:
        return YesNoQuestion(words, (), "no")
    rest = asked[match.end() :].strip()
    while (shorter := _TAIL.sub("", rest)) != rest:
        rest = shorter
    rest = _CLAUSE.sub("", rest)
    placed = _PLACE.search(rest) is not None
    for link, joined in ((" or ", "any"), (" and ", "all")):
        if link in rest:
            parts = [_START.sub("", part.strip()) for part in rest.split(link)]
            things = tuple(plain_words(_PLACE.sub("", part)) for part in parts if part)
            return YesNoQuestion(words, things, "any" if joined == "any" else "all", placed)
    return YesNoQuestion(words, (plain_words(_PLACE.sub("", _START.sub("", rest))),), "one", placed)
