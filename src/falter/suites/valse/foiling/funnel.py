"""How many captions became candidates, how many of these were kept, and why the others were not, with a sample."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from falter.inspection.divergence import jensen_shannon
from falter.suites.valse.foiling.candidate import FoilCandidate, Skipped

__all__ = ["Funnel"]

_SAMPLE = 3
_MOST_WORDS = 40
"""Words of candidates that a manifest holds, for a chart."""


class Funnel:
    """Counts for one instrument; the sample of a reason is drawn without favor from the seed."""

    def __init__(self, test: str, seed: int = 0) -> None:
        self.test = test
        self.captions = 0
        self.candidates = 0
        self.kept = 0
        self.skipped: Counter[str] = Counter()
        """Phrases and captions without a candidate, by reason."""
        self.rejected: Counter[str] = Counter()
        """Candidates that were given up, by the filter or rule that did."""
        self._samples: dict[str, list[str]] = {}
        self._words: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self._rng = Random(f"{seed}|{test}|funnel")

    def skip(self, skipped: Skipped) -> None:
        """Count a phrase or a caption without a candidate."""
        self.skipped[skipped.reason] += 1
        self._sample(skipped.reason, skipped.text, self.skipped[skipped.reason])

    def propose(self, number: int = 1) -> None:
        """Count candidates."""
        self.candidates += number

    def reject(self, reason: str, candidate: FoilCandidate) -> None:
        """Count a candidate that is given up."""
        self.rejected[reason] += 1
        self._count_words(candidate)
        self._sample(reason, candidate.show(), self.rejected[reason])

    def keep(self, candidate: FoilCandidate) -> None:
        """Count a pair of the suite."""
        self.kept += 1
        self._count_words(candidate)
        self._sample("kept", candidate.show(), self.kept)

    def _count_words(self, candidate: FoilCandidate) -> None:
        # A candidate without a foil of its own is shown as it is.
        if candidate.caption != candidate.foil:
            for words, word in zip(self._words, (candidate.word, candidate.foil_word), strict=True):
                words[word] += 1

    def _before(self) -> dict[str, Any]:
        """The words of all candidates, before any filter and any balance."""
        captions, foils = self._words
        together = captions + foils
        most = sorted(together, key=lambda word: (-together[word], word))[:_MOST_WORDS]
        return {
            "candidates": captions.total(),
            "lexical_items": len(together),
            "js": jensen_shannon(captions, foils),
            "captions": {word: captions[word] for word in most},
            "foils": {word: foils[word] for word in most},
        }

    def _sample(self, reason: str, text: str, count: int) -> None:
        drawn = self._samples.setdefault(reason, [])
        if len(drawn) < _SAMPLE:
            drawn.append(text)
        elif (place := self._rng.randrange(count)) < _SAMPLE:
            drawn[place] = text

    def to_dict(self) -> dict[str, Any]:
        """As a suite's manifest holds it."""
        return {
            "captions": self.captions,
            "candidates": self.candidates,
            "kept": self.kept,
            "skipped": dict(self.skipped.most_common()),
            "rejected": dict(self.rejected.most_common()),
            "before": self._before(),
            "samples": dict(sorted(self._samples.items())),
        }
