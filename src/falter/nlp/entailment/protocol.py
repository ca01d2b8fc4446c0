"""The interface of natural language inference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

__all__ = ["EntailmentModel", "InferenceLabel", "Judgement", "TextPair"]

InferenceLabel = Literal["entailment", "neutral", "contradiction"]


class TextPair(NamedTuple):
    """A premise, and a hypothesis that may follow from it."""

    premise: str
    hypothesis: str


class Judgement(NamedTuple):
    """What a hypothesis is to its premise, and why, where a model can say."""

    label: InferenceLabel
    reason: str = ""


class EntailmentModel(Protocol):
    """Judges pairs of texts; ``name`` says which model or which rules, for a suite's manifest."""

    name: str

    def judge(self, pairs: Sequence[TextPair]) -> list[Judgement]:
        """The judgements, in the order of the pairs; each depends on its pair alone."""
        ...
