"""Spans ranked by a causal language model: the log-probability of the whole sentence."""

from __future__ import annotations

from collections.abc import Sequence

from falter.nlp.causal_lm import CausalLanguageModel, Continuation
from falter.nlp.span_ranking.protocol import Gap

__all__ = ["CausalSpanRanker"]


class CausalSpanRanker:
    """Whole sentences, summed over their tokens; those of one gap are scored together and with nothing else."""

    def __init__(self, model: CausalLanguageModel) -> None:
        self.name = f"{model.name}, whole sentences, sum"
        self.fingerprint = model.fingerprint
        self._model = model

    def score(self, gap: Gap, spans: Sequence[str]) -> list[float]:
        """The log-probability of the sentence with each span."""
        texts = [Continuation(gap.fill(span)) for span in spans]
        return [one.total for one in self._model.score(texts, bos=self._model.bos_token is not None)]

    def proposes(self, _gap: Gap, spans: Sequence[str]) -> list[bool]:
        """All: a causal model does not see what comes after the gap, so it ranks only."""
        return [True] * len(spans)
