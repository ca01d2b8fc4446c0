"""Inference by a classifier that was trained for it, such as the paper's ALBERT."""

from __future__ import annotations

from collections.abc import Sequence

from falter.errors import UsageError
from falter.nlp.entailment.protocol import InferenceLabel, Judgement, TextPair
from falter.nlp.sequence_classifier import SequenceClassifier, load_sequence_classifier

__all__ = ["NliClassifier", "load_nli_classifier"]

_EXAMPLE = "ynie/albert-xxlarge-v2-snli_mnli_fever_anli_R1_R2_R3-nli"
_STEMS: dict[InferenceLabel, tuple[str, ...]] = {
    "entailment": ("entail",),
    "neutral": ("neutral",),
    "contradiction": ("contradict",),
}


class NliClassifier:
    """The label with the highest probability."""

    def __init__(self, classifier: SequenceClassifier) -> None:
        self.name = f"{classifier.name} {classifier.fingerprint[:12]}"
        self._classifier = classifier
        self._places: dict[int, InferenceLabel] = {}
        for label, stems in _STEMS.items():
            place = classifier.find_label(*stems)
            if place is None:
                raise UsageError(
                    f"{classifier.name} has no label for {label} but {', '.join(classifier.labels)}; one that has is "
                    f"{_EXAMPLE}"
                )
            self._places[place] = label

    def judge(self, pairs: Sequence[TextPair]) -> list[Judgement]:
        """The judgements, in the order of the pairs."""
        if not pairs:
            return []
        premises, hypotheses = zip(*pairs, strict=True)
        found = []
        for row in self._classifier.probabilities(premises, hypotheses):
            place = max(self._places, key=lambda index, row=row: row[index])  # type: ignore[misc]
            found.append(Judgement(self._places[place], f"probability {row[place]:.3f}"))
        return found


def load_nli_classifier(name: str) -> NliClassifier:
    """A classifier with the three labels of inference, by its folder or id."""
    return NliClassifier(load_sequence_classifier(name, what="inference", example=_EXAMPLE))
