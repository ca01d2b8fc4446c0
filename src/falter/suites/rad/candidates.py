"""Questions of a source that an augmentation can ask about, and how much of the source they are.

Also how many of its own yes/no questions already look like augmented ones (the paper wants them to be few), and how
many pairs of a test are wanted: a number, as many as the paper has of such a source, or all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple

from falter.data.items import YES_NO
from falter.evaluation.reporting.published import published_for
from falter.generation.authoring.generator import GenerateContext
from falter.generation.english.rewrites import Reading, WrittenShape
from falter.generation.sources.protocol import Question, require_questions, says_nothing, text_problem, votes_problem
from falter.suites.rad.answers import adds_another, holds_the_other, plain_answer
from falter.suites.rad.augmentations import Augmentation
from falter.suites.rad.options import RadOptions


class OwnShapes:
    """Collects yes/no questions that an augmentation might have written."""

    def __init__(self, augmentations: Sequence[Augmentation]) -> None:
        self._looked_for = [one for one in augmentations if not one.offers_choice]
        self._found: dict[str, list[list[WrittenShape]]] = {one.name: [] for one in augmentations}

    def add(self, question: Question) -> None:
        """Look at a question."""
        if (question.answer or "").lower() not in YES_NO:
            return
        for one in self._looked_for:
            shapes = one.rewrite.written_shapes(question.text)
            if shapes:
                self._found[one.name].append(shapes)

    def count(self, asked: Mapping[str, Iterable[tuple[str, str]]]) -> dict[str, int]:
        """By augmentation how many there are; ``asked`` has the subjects and answers of what it reads.

        Where answers are any words, a question counts if its answer was given to one that the augmentation reads.
        """
        found = {}
        for name, questions in self._found.items():
            pairs = list(asked.get(name, ()))
            subjects, answers = {subject for subject, _ in pairs}, {answer.lower() for _, answer in pairs}
            found[name] = sum(any(shape.fits(subjects, answers) for shape in shapes) for shapes in questions)
        return found


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


def wanted_pairs(size: int | Literal["paper"] | None, source: str, test: str) -> int | None:
    """Pairs of a test; None for as many as the source allows, which is so where the paper has none (Table 5).

    >>> [wanted_pairs(size, "visdial", "color") for size in ("paper", 7, None)]
    [516, 7, None]
    """
    if size != "paper":
        return size
    found = published_for("rad")
    tables = () if found is None else found.extra["coverage"]
    pairs: int | None = next((one.figures.get(test) for one in tables if one.figures["source"] == source), None)
    return pairs
