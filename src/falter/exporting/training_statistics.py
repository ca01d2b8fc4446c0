"""What a training file holds: questions by test, originals and variants, images, answers, sizes of sets, facets."""

from __future__ import annotations

from collections import Counter
from typing import Any

from falter.probes import Probe

__all__ = ["TrainingStatistics"]

_VALUES = 30
"""How many values of an answer or a facet are listed, the most frequent first."""


class TrainingStatistics:
    """Counts what is written of each probe."""

    def __init__(self) -> None:
        self.questions: Counter[str] = Counter()
        self._roles: Counter[str] = Counter()
        self._images: set[str] = set()
        self._answers: dict[str, Counter[str]] = {}
        self._sizes: dict[str, Counter[int]] = {}
        self._facets: dict[str, Counter[str]] = {}
        self._texts: set[tuple[str | None, str]] = set()

    def add(self, probe: Probe, written: int) -> None:
        """Count a probe of which so many questions were new."""
        test = probe.original.test
        self.questions[test] += written
        self._sizes.setdefault(test, Counter())[len(probe.variants)] += 1
        for item in probe.items:
            if item.image_id is not None:
                self._images.add(item.image_id)
            if (item.image_id, item.text) in self._texts:
                continue
            self._texts.add((item.image_id, item.text))
            self._roles[item.role] += 1
            self._answers.setdefault(test, Counter())[str(item.gold)] += 1
            for name, value in item.facets.items() if item.variant else ():
                self._facets.setdefault(name, Counter())[value] += 1

    def to_dict(self) -> dict[str, Any]:
        """All counts, for the manifest."""
        return {
            "questions": dict(sorted(self.questions.items())),
            "originals": self._roles["original"],
            "variants": self._roles["variant"],
            "images": len(self._images),
            "answers": {test: dict(count.most_common(_VALUES)) for test, count in sorted(self._answers.items())},
            "variants_of_an_original": {
                test: {str(size): many for size, many in sorted(count.items())}
                for test, count in sorted(self._sizes.items())
            },
            "facets_of_variants": {
                name: dict(count.most_common(_VALUES)) for name, count in sorted(self._facets.items())
            },
        }
