"""A failed pair: its two sides, the replies of models, and how a pair fails."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

ReplyClass = Literal["ok", "off_list", "unparsed", "truncated", "unsupported", "failed", "missing"]
"""The outcome of a reply; correct and incorrect ones are ``ok`` and told apart by ``SideReply.correct``."""


FailureType = Literal["original", "variant", "both", "inconsistent", "unparsed", "truncated", "off_list", "foil", "tie"]


FAILURE_TYPES: dict[FailureType, str] = {
    "original": "only the original incorrect",
    "variant": "only the variant incorrect",
    "both": "both incorrect",
    "inconsistent": "inconsistent",
    "unparsed": "unparsed",
    "truncated": "truncated",
    "off_list": "off-list",
    "foil": "the foil scored higher",
    "tie": "caption and foil tied",
}


class SuiteTest(NamedTuple):
    """A test of a suite."""

    suite: str
    test: str


class FailureImage(msgspec.Struct, frozen=True):
    """An image that failures share; ``key`` identifies its bytes."""

    key: str
    path: Path | None
    sha256: str | None = None


class PairSide(msgspec.Struct, frozen=True, kw_only=True):
    """The original or the variant of a failed pair; ``image`` is an index into ``ReportData.images``."""

    text: str
    gold: str | None = None
    choices: tuple[str, ...] | None = None
    context: tuple[tuple[str, str], ...] = ()
    image: int | None = None


class SideReply(msgspec.Struct, frozen=True, kw_only=True):
    """A model's reply to one side, and whether it is correct (None: it does not count)."""

    status: ReplyClass = "ok"
    text: str | None = None
    answer: str | None = None
    correct: bool | None = None
    error: str | None = None


class PairReply(msgspec.Struct, frozen=True, kw_only=True):
    """One model's two replies to a pair, and how they fail."""

    model: int
    original: SideReply
    variant: SideReply
    failure_types: tuple[FailureType, ...] = ()


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A pair that at least one model failed, with the replies of every model."""

    suite: str
    test: str
    probe_id: str
    variant_number: int
    expects: str
    original: PairSide
    variant: PairSide
    replies: tuple[PairReply, ...]
    facets: dict[str, str] = msgspec.field(default_factory=dict)
    image_change: str = ""
    """What was done to the image of the variant, where it has another one."""
    rank: int = 0
    """Its position among those of its test that a model failed, the best over the models; low ones are shown first."""


class FailureCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How many pairs a model failed on a test, whether they are shown or not."""

    suite: str
    test: str
    model: int
    failed: int


def failure_types(original: SideReply, variant: SideReply, consistent: bool | None) -> tuple[FailureType, ...]:
    """How a pair fails; empty where a reply is failed, missing or unsupported.

    >>> failure_types(SideReply(answer="yes", correct=True), SideReply(answer="no", correct=False), consistent=False)
    ('variant', 'inconsistent')
    """
    if original.correct is None or variant.correct is None:
        return ()
    found: list[FailureType] = []
    if not (original.correct or variant.correct):
        found.append("both")
    elif not original.correct:
        found.append("original")
    elif not variant.correct:
        found.append("variant")
    if consistent is False:
        found.append("inconsistent")
    if "off_list" in (original.status, variant.status):
        found.append("off_list")
    return (*found, *_unread(original, variant))


def foil_failure_types(
    original: SideReply, variant: SideReply, preferred: bool | None, tied: bool
) -> tuple[FailureType, ...]:
    """How a caption and its foil fail; empty where the caption is preferred or a reply is failed or missing."""
    if preferred is None or preferred:
        return ()
    return _unread(original, variant) or (("tie",) if tied else ("foil",))


def _unread(original: SideReply, variant: SideReply) -> tuple[FailureType, ...]:
    """Which of the replies that hold no answer are among the two."""
    kinds: tuple[Literal["unparsed", "truncated"], ...] = ("unparsed", "truncated")
    return tuple(kind for kind in kinds if kind in (original.status, variant.status))
