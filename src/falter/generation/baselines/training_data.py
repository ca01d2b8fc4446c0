"""Training data of the builtin models, and the classifier they share.

The data are questions with answers, in a fixed order, with a fingerprint; the classifier is a logistic regression over
sparse features.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import msgspec
import numpy as np

from falter.core.errors import InputError, UsageError
from falter.core.files.checksums import hash_code
from falter.core.optional_packages import import_package
from falter.data.model import Model
from falter.data.model_loading import Builtin, LoadContext, SpecOptions
from falter.data.normalize import normalize
from falter.generation.sources import Source, require_questions

__all__ = [
    "AnswerClassifier",
    "TrainingExample",
    "allowed_answers",
    "draw_examples",
    "hash_examples",
    "learned_fingerprint",
    "learner",
    "split_words",
]

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


class TrainingExample(NamedTuple):
    """A question of the training data and its answer, normalised."""

    id: str
    image_id: str
    text: str
    answer: str


def learner(make: Callable[[Source], Model], *, summary: str, needs: str = "--train SOURCE") -> Builtin:
    """The entry of a builtin model that learns answers from a source."""
    return Builtin(
        lambda options, context: make(training_source(options, context)),
        summary=summary,
        tasks=("answer",),
        needs=needs,
    )


def training_source(options: SpecOptions, context: LoadContext) -> Source:
    """The training source; raises UsageError with the option to give where there is none."""
    if context.train is None:
        raise UsageError(
            f"builtin:{options.name} learns from questions: give --train SOURCE, e.g. gqa:FOLDER, "
            f"or write builtin:{options.name}@SOURCE"
        )
    return context.train


def draw_examples(source: Source, *, most: int) -> list[TrainingExample]:
    """At most so many questions with an answer, drawn by their ids, in the order of the draw."""
    examples = []
    for question in require_questions(source).questions():
        answer = question.answer
        if answer is None and question.answers:
            counted = Counter(question.answers)
            answer = min(counted, key=lambda given: (-counted[given], given))
        if answer is not None and normalize(answer):
            examples.append(TrainingExample(question.id, question.image_id, question.text, normalize(answer)))
    if not examples:
        raise InputError(source.name, "has no questions with answers to learn from", hint="give another --train SOURCE")
    examples.sort(key=lambda example: (hashlib.sha256(example.id.encode()).digest(), example))
    return examples[:most]


def hash_examples(examples: Sequence[TrainingExample]) -> str:
    """A hash of the examples: equal data in another place has the same hash."""
    return hashlib.sha256(msgspec.json.encode(list(examples))).hexdigest()


def learned_fingerprint(name: str, *parts: str, code: Sequence[str] = (), library: str | None = None) -> str:
    """The fingerprint of a trained model: its training data and the code that trains it and answers.

    ``code`` names packages beside the builtins' own and those that read text; ``library`` the package that learns.
    """
    used = hash_code("falter.generation.baselines", "falter.data.normalize", *code)
    learner = "" if library is None else version(library)
    return hashlib.sha256("\n".join((name, used, learner, *parts)).encode()).hexdigest()


def split_words(text: str) -> list[str]:
    """The words of a question, in lower case."""
    return _WORD.findall(text.lower())


def allowed_answers(choices: Sequence[str] | None) -> dict[str, str] | None:
    """The choices by their normalised form, or None where anything may be answered."""
    return None if choices is None else {normalize(choice): choice for choice in reversed(choices)}


_MOST_ANSWERS = 100


class AnswerClassifier:
    """Predicts an answer from features, among the allowed answers."""

    def __init__(self, features: Any, answers: Sequence[str], *, epochs: int, strength: float) -> None:
        counted = Counter(answers)
        frequent = sorted(counted, key=lambda answer: (-counted[answer], answer))[:_MOST_ANSWERS]
        self.answers = sorted(frequent)
        self._model: Any = None
        if len(self.answers) < 2:
            return
        number = {answer: index for index, answer in enumerate(self.answers)}
        rows = [row for row, answer in enumerate(answers) if answer in number]
        self._model = import_package("sklearn.linear_model", "a learned builtin").SGDClassifier(
            loss="log_loss", alpha=strength, max_iter=epochs, tol=None, random_state=0, average=True
        )
        self._model.fit(features[rows], np.array([number[answers[row]] for row in rows]))

    def best(self, features: Any, allowed: Sequence[Mapping[str, str] | None]) -> list[str | None]:
        """For each row the best answer, as the item writes it; None where no allowed answer was ever learned."""
        if self._model is None:
            values = np.zeros((features.shape[0], 1))
        else:
            values = self._model.decision_function(features)
            if values.ndim == 1:
                values = np.stack([-values, values], axis=1)
        return [self._best(row, forms) for row, forms in zip(values, allowed, strict=True)]

    def _best(self, values: Any, allowed: Mapping[str, str] | None) -> str | None:
        if allowed is None:
            return self.answers[int(np.argmax(values))]
        open_to_it = [index for index, answer in enumerate(self.answers) if answer in allowed]
        if not open_to_it:
            return None
        return allowed[self.answers[max(open_to_it, key=lambda index: (values[index], -index))]]
