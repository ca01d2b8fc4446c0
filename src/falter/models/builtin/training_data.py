"""Training data of the builtin models: questions with answers, in a fixed order, with a fingerprint."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import NamedTuple

import msgspec

from falter.answers import normalize
from falter.errors import InputError, UsageError
from falter.models.builtin.entry import Builtin, SpecOptions
from falter.models.builtin.source_code import hash_code
from falter.models.load_context import LoadContext
from falter.models.protocol import Model
from falter.sources import Source, require_questions

__all__ = [
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
    used = hash_code("falter.models.builtin", "falter.answers", *code)
    learner = "" if library is None else version(library)
    return hashlib.sha256("\n".join((name, used, learner, *parts)).encode()).hexdigest()


def split_words(text: str) -> list[str]:
    """The words of a question, in lower case."""
    return _WORD.findall(text.lower())


def allowed_answers(choices: Sequence[str] | None) -> dict[str, str] | None:
    """The choices by their normalised form, or None where anything may be answered."""
    return None if choices is None else {normalize(choice): choice for choice in reversed(choices)}
