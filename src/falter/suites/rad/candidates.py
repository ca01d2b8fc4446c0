"""Questions of a source that an augmentation can ask about, and how much of the source they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from falter.authoring.generator import GenerateContext
from falter.authoring.vote_rule import says_nothing, votes_problem
from falter.english.rewrites import Reading
from falter.sources.protocol import Question, require_questions
from falter.sources.question_checks import text_problem
from falter.suites.rad.augmentations import Augmentation
from falter.suites.rad.options import RadOptions
from falter.suites.rad.own_shapes import OwnShapes
from falter.suites.rad.plain_words import plain_answer
from falter.suites.rad.same_answer import adds_another, holds_the_other

__all__ = ["ReadQuestion", "ReadQuestions", "find_candidates"]


class ReadQuestion(NamedTuple):
    """A question that an augmentation has read, with a trusted answer that can be asked for."""

    question: Question
    reading: Reading
    answer: str
    pairs: int = 1
    """How many pairs are wanted of it."""


class ReadQuestions(NamedTuple):
    """What an augmentation can ask about, and what other questions for the same things were answered."""

    candidates: list[ReadQuestion]
    also_answered: list[tuple[str, str]]
    """Subjects and answers."""
    together: dict[str, set[str]]
    """By answer those that were given to the same question, where wrong ones come from the same subject."""

    def answers(self) -> list[tuple[str, str]]:
        """All subjects and answers, in lower case."""
        return [(one.reading.subject, one.answer.lower()) for one in self.candidates] + self.also_answered

    def add_together(self, augmentation: Augmentation, question: Question) -> None:
        """Remember which answers people gave to one question: each may be right beside the others."""
        if not augmentation.rewrite.same_subject:
            return
        given = {one.lower() for one in question.answers or ()}
        for answer in given:
            self.together.setdefault(answer, set()).update(given)


def find_candidates(
    reading: Sequence[Augmentation], options: RadOptions, context: GenerateContext
) -> dict[str, ReadQuestions]:
    """By augmentation the questions that it can ask about; what is not one is counted with its reason."""
    found = {one.name: ReadQuestions([], [], {}) for one in reading}
    coverage: dict[str, Counter[str]] = {one.name: Counter() for one in reading}
    shapes = OwnShapes(reading)
    questions = 0
    for question in require_questions(context.source).questions():
        questions += 1
        problem = text_problem(question.text)
        if problem is not None:
            context.rejected[problem] += 1
            continue
        shapes.add(question)
        read = []
        for one in reading:
            how = one.rewrite.read(question.text)
            asked = one.rewrite.is_asked(question.text)
            coverage[one.name]["asked"] += asked
            if how is not None:
                coverage[one.name]["read"] += 1
                read.append((one, how))
                found[one.name].add_together(one, question)
                continue
            if asked:
                context.rejected[f"{one.name}: the question cannot be rewritten"] += 1
            given = (question.answer or "").lower()
            subject = one.rewrite.subject_answered(question.text) if one.rewrite.is_answer(given) else None
            if subject is not None:
                found[one.name].also_answered.append((subject, given))
                found[one.name].add_together(one, question)
        for (one, how), pairs in _shared_out(read, question, options, context.options.seed):
            answer, why = _trusted_answer(one, question, how, options)
            if answer is None:
                context.rejected[f"{one.name}: {why}"] += 1
            else:
                coverage[one.name]["trusted"] += 1
                found[one.name].candidates.append(ReadQuestion(question, how, answer, pairs))
    if context.manifest is not None:
        context.manifest.counts["questions"] = questions
        own = shapes.count({name: one.answers() for name, one in found.items()})
        context.manifest.counts["coverage"] = {
            name: {**dict(counts), "own_shape": own[name]} for name, counts in coverage.items()
        }
    return found


_Read = tuple[Augmentation, Reading]


def _shared_out(read: list[_Read], question: Question, options: RadOptions, seed: int) -> Iterator[tuple[_Read, int]]:
    """Which augmentations a question is for, and how often: each in turn, until it has as many pairs as are wanted."""
    if len(read) > 1:
        Random(f"{seed}|augmentation|{question.id}").shuffle(read)
    for place, one in enumerate(read):
        pairs = (options.per_question - place + len(read) - 1) // len(read)
        if pairs > 0:
            yield one, pairs


def _trusted_answer(
    one: Augmentation, question: Question, reading: Reading, options: RadOptions
) -> tuple[str | None, str]:
    """The answer of a question that can be asked for, or None and why there is none."""
    answer = plain_answer(question.answer or "")
    if not answer:
        return None, "the question has no answer"
    if not one.rewrite.is_answer(answer):
        return None, "the answer is of another sort"
    if question.answers is not None and options.labels == "strict":
        problem = votes_problem(
            answer,
            question.answers,
            lambda other: (one.rewrite.is_answer(other) and not holds_the_other(other, answer)) or says_nothing(other),
            lambda other: not holds_the_other(other, answer) or adds_another(other, answer),
        )
        if problem is not None:
            return None, problem
    if reading.write(answer) is None:
        return None, "the answer cannot be asked for in good English"
    return answer, ""
