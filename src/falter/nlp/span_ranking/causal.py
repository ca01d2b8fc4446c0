"""Spans ranked by a causal language model: the log-probability of the whole sentence."""

from __future__ import annotations

from collections.abc import Sequence

from falter.nlp.causal_lm import CausalLanguageModel, Continuation
from falter.nlp.span_ranking.protocol import AskedSpans, Gap

__all__ = ["CausalSpanRanker"]


class CausalSpanRanker:
    """Whole sentences, summed over their tokens."""

    def __init__(self, model: CausalLanguageModel) -> None:
        self.name = f"{model.name}, whole sentences, sum"
        self.fingerprint = model.fingerprint
        self._model = model

    def score(self, gap: Gap, spans: Sequence[str]) -> list[float]:
        """The log-probability of the sentence with each span."""
        (found,) = self.score_many([AskedSpans(gap, tuple(spans))])
        return found

    def score_many(self, asked: Sequence[AskedSpans]) -> list[list[float]]:
        """Sentences of several gaps share a batch; a thousandth of a nat is kept, which no batch changes."""
        texts = [Continuation(one.gap.fill(span)) for one in asked for span in one.spans]
        scores = iter(self._model.score(texts, bos=self._model.bos_token is not None))
        return [[round(next(scores).total, 3) for _ in one.spans] for one in asked]

    def proposes(self, _gap: Gap, spans: Sequence[str]) -> list[bool]:
        """All: a causal model does not see what comes after the gap, so it ranks only."""
        return [True] * len(spans)
