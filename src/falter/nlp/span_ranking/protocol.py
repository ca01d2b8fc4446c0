"""The interface of a ranker of spans, and how one is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

__all__ = ["AskedSpans", "Gap", "NoRanker", "SpanRanker", "load_span_ranker"]


class Gap(NamedTuple):
    """A sentence with a place for words: what stands before it and what after, blanks included."""

    before: str
    after: str

    def fill(self, span: str) -> str:
        """The sentence with words in the place.

        >>> Gap("A cat ", " a mat.").fill("under")
        'A cat under a mat.'
        """
        return f"{self.before}{span}{self.after}"


class AskedSpans(NamedTuple):
    """A gap, and the words that may fill it."""

    gap: Gap
    spans: tuple[str, ...]


class SpanRanker(Protocol):
    """Gives log-probabilities of words in a gap; ``name`` and ``fingerprint`` say by which model."""

    name: str
    fingerprint: str

    def score(self, gap: Gap, spans: Sequence[str], /) -> list[float]:
        """For each span how probable the sentence is with it, in nats; differences within a gap mean something."""
        ...

    def score_many(self, asked: Sequence[AskedSpans], /) -> list[list[float]]:
        """The scores of several gaps at once, which costs less than one after the other."""
        ...

    def proposes(self, gap: Gap, spans: Sequence[str], /) -> list[bool]:
        """For each span whether the model itself comes up with it; one that only ranks does not say no."""
        ...


class NoRanker:
    """Finds all words equally probable."""

    name = "none"
    fingerprint = ""

    def score(self, _gap: Gap, spans: Sequence[str]) -> list[float]:
        """Zeros."""
        return [0.0] * len(spans)

    def score_many(self, asked: Sequence[AskedSpans]) -> list[list[float]]:
        """Zeros."""
        return [[0.0] * len(one.spans) for one in asked]

    def proposes(self, _gap: Gap, spans: Sequence[str]) -> list[bool]:
        """All."""
        return [True] * len(spans)


def load_span_ranker(spec: str) -> SpanRanker:
    """``mlm:ID_OR_FOLDER`` for a masked language model, ``none``; all else names a causal one, as ``smollm2``."""
    if spec == "none":
        return NoRanker()
    from falter.nlp.span_ranking.causal import CausalSpanRanker
    from falter.nlp.span_ranking.masked import load_masked_ranker

    kind, _, name = spec.partition(":")
    if kind == "mlm":
        return load_masked_ranker(name)
    from falter.nlp.causal_lm import load_causal_lm

    return CausalSpanRanker(load_causal_lm(name if kind == "lm" else spec))
