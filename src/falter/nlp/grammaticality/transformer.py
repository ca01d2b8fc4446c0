"""Grammaticality by a classifier that was trained on CoLA, as GRUEN's grammaticality component is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from falter.nlp.sequence_classifier import SequenceClassifier, load_sequence_classifier

__all__ = ["ColaClassifier", "load_cola_classifier"]

_EXAMPLE = "textattack/bert-base-uncased-CoLA"
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class ColaClassifier:
    """The mean probability of acceptability over the sentences of a text."""

    def __init__(self, classifier: SequenceClassifier) -> None:
        self.name = f"{classifier.name} {classifier.fingerprint[:12]}"
        self._classifier = classifier
        found = classifier.find_label("acceptable", "label_1", "1")
        self._place = len(classifier.labels) - 1 if found is None else found

    def score(self, texts: Sequence[str]) -> list[float]:
        """How acceptable each text is, in the order given."""
        sentences = [[one for one in _SENTENCE.split(text.strip()) if one] or [text] for text in texts]
        rows = iter(self._classifier.probabilities([one for some in sentences for one in some]))
        return [sum(next(rows)[self._place] for _ in some) / len(some) for some in sentences]


def load_cola_classifier(name: str) -> ColaClassifier:
    """A classifier of acceptable sentences, by its folder or id."""
    return ColaClassifier(load_sequence_classifier(name, what="grammaticality", example=_EXAMPLE))
