"""Baselines that see no image, and the questions that they learn from."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import msgspec
import numpy as np

from falter.core.errors import InputError, UsageError
from falter.core.files.checksums import hash_code
from falter.core.optional_packages import import_package
from falter.data.images import Source
from falter.data.model import Capabilities, Model, Reply, Request
from falter.data.model_loading import Builtin, LoadContext, SpecOptions
from falter.data.normalize import normalize
from falter.generation.sources import require_questions

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
