"""Text-only baselines: what they answer correctly needs no image.

*Blind* is trained on questions; *prior* gives the most frequent training answer for the question's first words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from falter.core.optional_packages import import_package
from falter.data.model import Capabilities, Reply, Request
from falter.generation.baselines.training_data import (
    AnswerClassifier,
    allowed_answers,
    draw_examples,
    hash_examples,
    learned_fingerprint,
    learner,
    split_words,
)
from falter.generation.sources import Source

__all__ = ["BLIND", "PRIOR"]

_MOST_LEARNED = 20_000
_EPOCHS = 12
_STRENGTH = 1e-5


class Blind:
    """Logistic regression over word n-grams (1 to 3)."""

    name = "blind"
    capabilities = Capabilities(batch_size=512)

    def __init__(self, source: Source) -> None:
        examples = draw_examples(source, most=_MOST_LEARNED)
        self._words = import_package("sklearn.feature_extraction.text", "a learned builtin").CountVectorizer(
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


_LONGEST = 3
_ENOUGH = 5
_MOST_COUNTED = 500_000


class Prior:
    """Groups questions by their first three words, or two or one where too few training questions share them."""

    name = "prior"
    capabilities = Capabilities(batch_size=1024)

    def __init__(self, source: Source) -> None:
        examples = draw_examples(source, most=_MOST_COUNTED)
        self._counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for example in examples:
            words = split_words(example.text)
            for length in range(_LONGEST + 1):
                if length <= len(words):
                    self._counts[tuple(words[:length])][example.answer] += 1
        self.trained_images = frozenset(example.image_id for example in examples)
        self.fingerprint = learned_fingerprint("builtin:prior", hash_examples(examples))

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return [Reply(item_id=request.item_id, answer=self._answer(request)) for request in batch]

    def _answer(self, request: Request) -> str:
        words = split_words(request.text)
        allowed = allowed_answers(request.choices)
        for length in range(min(_LONGEST, len(words)), -1, -1):
            counts = self._counts.get(tuple(words[:length]), Counter())
            fitting = counts if allowed is None else {form: counts[form] for form in allowed if form in counts}
            if sum(fitting.values()) >= (_ENOUGH if length else 1):
                best = min(fitting, key=lambda form: (-fitting[form], form))
                return best if allowed is None else allowed[best]
        return min(request.choices) if request.choices else "yes"


PRIOR = learner(Prior, summary="the most frequent answer to questions that begin alike")
