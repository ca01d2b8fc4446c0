"""The paper's two filters of foils: grammatical enough, and a contradiction of the caption."""

from __future__ import annotations

from collections.abc import Sequence

from falter.nlp.entailment import EntailmentModel
from falter.nlp.entailment.protocol import TextPair
from falter.nlp.grammaticality import GrammaticalityModel
from falter.suites.valse.foiling.candidate import FoilCandidate

__all__ = ["FoilFilters"]


class FoilFilters:
    """Says of candidates why they are given up; applied to plurality and relations."""

    def __init__(
        self, grammaticality: GrammaticalityModel, entailment: EntailmentModel, min_grammaticality: float = 0.8
    ) -> None:
        self._grammaticality, self._entailment = grammaticality, entailment
        self._least = min_grammaticality

    def problems(self, candidates: Sequence[FoilCandidate]) -> list[str]:
        """By candidate the reason, or an empty text for one that passes both."""
        if not candidates:
            return []
        scores = self._grammaticality.score([one.foil for one in candidates])
        judged = self._entailment.judge([TextPair(one.caption, one.foil) for one in candidates])
        return [
            "the foil is not grammatical enough"
            if score < self._least
            else ("" if judgement.label == "contradiction" else f"the foil does not contradict: {judgement.label}")
            for score, judgement in zip(scores, judged, strict=True)
        ]
