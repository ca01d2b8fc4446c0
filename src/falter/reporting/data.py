"""What a report shows, apart from how it is gathered and how it looks."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from falter.measures.blindness import Blindness
from falter.measures.coverage import Coverage
from falter.measures.robustness import Robustness
from falter.measures.score import Score
from falter.measures.spread import Spread
from falter.measures.vqabq import Vqabq

__all__ = [
    "OUTCOMES",
    "BlindScore",
    "CountedTest",
    "Failure",
    "ModelCard",
    "ModelRobustness",
    "ModelScore",
    "ModelVqabq",
    "Outcome",
    "PairReply",
    "Picture",
    "PromptSpread",
    "ReportData",
    "Shown",
    "Side",
    "SideReply",
    "SuiteCard",
    "SuiteTest",
    "outcomes_of",
    "outcomes_of_foil",
]

ReplyClass = Literal["ok", "other", "unparsed", "unsupported", "failed", "missing"]
"""As :data:`falter.measures.cells.CLASSES`, right and wrong being told by ``SideReply.right``."""
Outcome = Literal["original", "variant", "both", "inconsistent", "unparsed", "foil", "tie"]

OUTCOMES: dict[Outcome, str] = {
    "original": "only the original wrong",
    "variant": "only the variant wrong",
    "both": "both wrong",
    "inconsistent": "inconsistent",
    "unparsed": "unparsed",
    "foil": "the foil scored higher",
    "tie": "caption and foil tied",
}


class SuiteTest(NamedTuple):
    """A test of a suite."""

    suite: str
    test: str


class CountedTest(msgspec.Struct, frozen=True, kw_only=True):
    """One test of a suite, as its manifest counts it."""

    test: str
    probes: int = 0
    items: int = 0
    answers: dict[str, int] = msgspec.field(default_factory=dict)


class SuiteCard(msgspec.Struct, frozen=True, kw_only=True):
    """What was tested: a suite's manifest, ready to show."""

    name: str
    title: str = ""
    made_by: str = ""
    falter: str = ""
    seed: int | None = None
    licence: str = "unknown"
    citation: str = ""
    fingerprint: str = ""
    probes: int = 0
    items: int = 0
    tests: tuple[CountedTest, ...] = ()
    sources: tuple[str, ...] = ()
    parameters: dict[str, str] = msgspec.field(default_factory=dict)
    notes: tuple[str, ...] = ()


class ModelCard(msgspec.Struct, frozen=True, kw_only=True):
    """A model that was asked, and how."""

    name: str
    spec: str = ""
    fingerprint: str = ""
    needs_image: bool = True
    complete: bool = True
    settings: dict[str, str] = msgspec.field(default_factory=dict)
    counts: dict[str, int] = msgspec.field(default_factory=dict)


class ModelScore(msgspec.Struct, frozen=True):
    """A score of the model with this place in ``ReportData.models``."""

    model: int
    score: Score


class ModelRobustness(msgspec.Struct, frozen=True):
    """How the model with this place fares under noise, on one test."""

    model: int
    found: Robustness


class ModelVqabq(msgspec.Struct, frozen=True):
    """What basic questions add to the accuracy of the model with this place."""

    model: int
    found: Vqabq


class Picture(msgspec.Struct, frozen=True):
    """A picture that failures share; ``key`` stands for its bytes."""

    key: str
    path: Path | None


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """The original or the variant of a failed pair; ``picture`` is a place in ``ReportData.pictures``."""

    text: str
    gold: str | None = None
    choices: tuple[str, ...] | None = None
    context: tuple[tuple[str, str], ...] = ()
    picture: int | None = None


class SideReply(msgspec.Struct, frozen=True, kw_only=True):
    """What a model said to one side, and whether that is right (None: it does not count)."""

    status: ReplyClass = "ok"
    text: str | None = None
    answer: str | None = None
    right: bool | None = None
    error: str | None = None


class PairReply(msgspec.Struct, frozen=True, kw_only=True):
    """One model's two replies to a pair, and what went wrong."""

    model: int
    original: SideReply
    variant: SideReply
    outcomes: tuple[Outcome, ...] = ()


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A pair that at least one model failed, with what every model said."""

    suite: str
    test: str
    probe_id: str
    variant_number: int
    expects: str
    original: Side
    variant: Side
    replies: tuple[PairReply, ...]
    facets: dict[str, str] = msgspec.field(default_factory=dict)


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """How many pairs a model failed on a test, and how many of them are in the browser."""

    suite: str
    test: str
    model: int
    failed: int
    shown: int


class BlindScore(msgspec.Struct, frozen=True):
    """A model with its pictures and the same without: their places in ``ReportData.models``."""

    normal: int
    blind: int
    score: Blindness


class PromptSpread(msgspec.Struct, frozen=True):
    """One model under several prompts, each a place in ``ReportData.models``."""

    models: tuple[int, ...]
    spread: Spread


class ReportData(msgspec.Struct, kw_only=True):
    """Everything that a report is made from."""

    title: str
    suites: list[SuiteCard]
    models: list[ModelCard]
    scores: list[ModelScore]
    coverages: list[Coverage] = msgspec.field(default_factory=list)
    """Between models that were asked the same suite; they go by their places in ``models``."""
    blindness: list[BlindScore] = msgspec.field(default_factory=list)
    spreads: list[PromptSpread] = msgspec.field(default_factory=list)
    robustness: list[ModelRobustness] = msgspec.field(default_factory=list)
    vqabq: list[ModelVqabq] = msgspec.field(default_factory=list)
    failures: list[Failure] = msgspec.field(default_factory=list)
    pictures: list[Picture] = msgspec.field(default_factory=list)
    shown: list[Shown] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)


def outcomes_of(original: SideReply, variant: SideReply, consistent: bool | None) -> tuple[Outcome, ...]:
    """What went wrong in a pair; nothing where a reply is failed, missing or unsupported.

    >>> outcomes_of(SideReply(answer="yes", right=True), SideReply(answer="no", right=False), consistent=False)
    ('variant', 'inconsistent')
    """
    if original.right is None or variant.right is None:
        return ()
    found: list[Outcome] = []
    if not (original.right or variant.right):
        found.append("both")
    elif not original.right:
        found.append("original")
    elif not variant.right:
        found.append("variant")
    if consistent is False:
        found.append("inconsistent")
    if "unparsed" in (original.status, variant.status):
        found.append("unparsed")
    return tuple(found)


def outcomes_of_foil(
    original: SideReply, variant: SideReply, preferred: bool | None, tied: bool
) -> tuple[Outcome, ...]:
    """What went wrong with a caption and its foil; nothing where the caption is preferred or a reply was not had."""
    if preferred is None or preferred:
        return ()
    if "unparsed" in (original.status, variant.status):
        return ("unparsed",)
    return ("tie",) if tied else ("foil",)
