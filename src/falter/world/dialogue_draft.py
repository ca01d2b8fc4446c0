"""A dialogue before its options are chosen, and what its answers mean."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["AnswerMeaning", "DialogueDraft", "RoundDraft"]


class AnswerMeaning(msgspec.Struct, frozen=True, array_like=True):
    """What an answer says, whatever its wording: yes, no, a word, a number, or a kind of thing."""

    sort: Literal["yes", "no", "word", "count", "kind"]
    value: str = ""


class RoundDraft(msgspec.Struct, frozen=True, array_like=True):
    """A question with its answer; other answers that name one of the words or kinds may be right as well."""

    question: str
    answer: str
    meaning: AnswerMeaning
    words: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


class DialogueDraft(msgspec.Struct, frozen=True, array_like=True):
    """A dialogue without options."""

    image_id: int
    caption: str
    rounds: tuple[RoundDraft, ...]
