"""A text-only baseline trained on questions: what it answers correctly needs no image."""

from __future__ import annotations

from collections.abc import Sequence

from falter.models.builtin.answer_classifier import AnswerClassifier, import_sklearn
from falter.models.builtin.training_data import (
    allowed_answers,
    draw_examples,
    hash_examples,
    learned_fingerprint,
    learner,
    split_words,
)
from falter.models.capabilities import Capabilities
from falter.models.request import Request
from falter.runs.reply import Reply
from falter.sources import Source

__all__ = ["BLIND", "Blind"]

_MOST_EXAMPLES = 20_000
_EPOCHS = 12
_STRENGTH = 1e-5


class Blind:
    """Logistic regression over word n-grams (1 to 3)."""

    name = "blind"
    capabilities = Capabilities(batch_size=512)

    def __init__(self, source: Source) -> None:
        examples = draw_examples(source, most=_MOST_EXAMPLES)
        self._words = import_sklearn("feature_extraction.text").CountVectorizer(
            analyzer=_runs_of_words, binary=True, min_df=2 if len(examples) > 1000 else 1, max_features=30_000
        )
        features = self._words.fit_transform([example.text for example in examples])
        self._classifier = AnswerClassifier(
            features, [example.answer for example in examples], epochs=_EPOCHS, strength=_STRENGTH
        )
        self.trained_images = frozenset(example.image_id for example in examples)
        self.fingerprint = learned_fingerprint("builtin:blind", hash_examples(examples), library="scikit-learn")

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        features = self._words.transform([request.text for request in batch])
        best = self._classifier.best(features, [allowed_answers(request.choices) for request in batch])
        return [
            Reply(item_id=request.item_id, answer=answer if answer is not None else min(request.choices or ("yes",)))
            for request, answer in zip(batch, best, strict=True)
        ]


def _runs_of_words(text: str) -> list[str]:
    words = ["^", *split_words(text)]
    return [" ".join(words[start : start + size]) for size in (1, 2, 3) for start in range(len(words) - size + 1)]


BLIND = learner(Blind, summary="logistic regression over the question's words; never looks at the image")
