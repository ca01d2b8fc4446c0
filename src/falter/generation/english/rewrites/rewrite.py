"""Rewrites: a question is read, one slot is changed, and another question is written with an answer in it.

A rewrite is a record of a YAML file: the forms of question that it reads (:class:`WordPattern`), the sort of answers
that it asks for, and the question that each form becomes. What is written is read back by the same record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.core.errors import InputError
from falter.core.files import read_yaml
from falter.generation.english.rewrites.conditions import ANSWER_SORTS, CONDITIONS, AskedAnswer
from falter.generation.english.rewrites.word_patterns import WordPattern, tidy_question
from falter.generation.english.rewrites.written_text import WrittenText
from falter.generation.english.slots import TemplateError
from falter.generation.english.words import join_list


class _Writes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str
    when: str = ""


class _Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reads: str
    writes: str | list[_Writes]
    subject: str = ""
    choices: str | list[_Writes] = ""


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    about: str
    answer: str
    forms: list[_Form]
    asked: list[str]
    not_asked: list[str] = []
    unless: list[str] = []
    choices: str | list[_Writes] = "{answer}"
    same_subject: bool = False
    also_answered: list[str] = []
    said: dict[str, str] = {}
    overlapping: list[list[str]] = []
    exclusive: list[list[str]] = []
    never_wrong: list[str] = []
    keep_case: bool = False


class _CompiledForm(NamedTuple):
    reads: WordPattern
    writes: tuple[tuple[str, WrittenText], ...]
    subject: str
    """The slot of what is asked about; empty where there is none."""
    choices: tuple[tuple[str, WrittenText], ...]
    """How an answer is said among others."""


class Reading(NamedTuple):
    """A question that a rewrite has read: its form and the words in its slots."""

    rewrite: Rewrite
    form: _CompiledForm
    question: str
    slots: Mapping[str, str]

    @property
    def subject(self) -> str:
        """What is asked about, in lower case; empty where the form names nothing."""
        return self.slots.get(self.form.subject, "").lower()

    def change(self, slot: str, words: str) -> Reading:
        """The same question with other words in one slot."""
        return self._replace(slots={**self.slots, slot: words})

    def write(self, answer: str, before_number: str = "") -> str | None:
        """The question about an answer; None where it cannot be asked for in good English."""
        asked = self._asked(answer)
        if asked is None:
            return None
        text = _text_for(asked, self.form.writes)
        return None if text is None else text.render(self.slots, asked.answer, before_number)

    def write_choice(self, answers: tuple[str, ...]) -> str | None:
        """The question with answers to choose from: "What color is the car, red or blue?"."""
        said = [self.say(answer) for answer in answers]
        known = [one for one in said if one is not None]
        if len(known) != len(answers) or len(set(known)) != len(known):
            return None
        return f"{self.question.rstrip('?.! ')}, {join_list(known)}?"

    def say(self, answer: str) -> str | None:
        """An answer as it is said among others to choose from; None where it cannot be."""
        asked = self._asked(answer)
        text = None if asked is None else _text_for(asked, self.form.choices)
        return None if asked is None or text is None else text.phrase({}, asked.answer)

    def _asked(self, answer: str) -> AskedAnswer | None:
        rewrite = self.rewrite
        words = answer if rewrite.keep_case else rewrite.said_as(answer)
        asked = AskedAnswer(words, self.subject)
        if not rewrite.is_answer(answer) or any(CONDITIONS[one](asked) for one in rewrite.unless):
            return None
        return asked

    def read_back(self, text: str, before_number: str = "") -> tuple[str, ...]:
        """The answers that a written question may ask about; none where it was not written from this one."""
        found = (
            answer
            for _, written in self.form.writes
            for words in written.answers(text, self.slots)
            for answer in (words, *self.rewrite.answers_said_as(words))
        )
        return tuple(dict.fromkeys(answer for answer in found if self.write(answer, before_number) == text))


class Rewrite:
    """Reads questions of some forms, and writes questions about one of their answers."""

    def __init__(self, record: _Record) -> None:
        self.name, self.about, self.unless, self.keep_case = record.name, record.about, record.unless, record.keep_case
        self.overlapping = tuple(frozenset(group) for group in record.overlapping)
        """Answers of which several may be right at once."""
        self.never_wrong = frozenset(record.never_wrong)
        """Answers that may be right beside almost any other."""
        self.exclusive = tuple(frozenset(group) for group in record.exclusive)
        """Answers of which one alone can be right; where there are any, no others are asked for as wrong ones."""
        written = [one.when for form in record.forms for one in (*_writes(form.writes), *_writes(form.choices))]
        for condition in (*record.unless, *written, *(one.when for one in _writes(record.choices))):
            if condition and condition not in CONDITIONS:
                raise TemplateError(f"there is no condition {condition!r}: there are {', '.join(sorted(CONDITIONS))}")
        if record.answer not in ANSWER_SORTS:
            raise TemplateError(f"there is no sort of answers {record.answer!r}")
        self._is_of_sort = ANSWER_SORTS[record.answer]
        self.is_closed = record.answer != "phrase"
        """Whether the answers are of one sort, rather than any words."""
        self.said = record.said
        """How answers are said, by answer; where there are any, no others are asked for."""
        self.same_subject = record.same_subject
        """Whether wrong answers must have been given to questions about the same subject."""
        self._also_answered = [WordPattern(text) for text in record.also_answered]
        self._asked = [WordPattern(text) for text in record.asked]
        self._not_asked = [WordPattern(text) for text in record.not_asked]
        self.forms = [self._compile(form, record.choices) for form in record.forms]

    def _compile(self, form: _Form, choices: str | list[_Writes]) -> _CompiledForm:
        reads = WordPattern(form.reads)
        writes = tuple((one.when, WrittenText(one.text, reads.types)) for one in _writes(form.writes))
        subject = form.subject or next((name for name in ("s", "n") if name in reads.types), "")
        for _, text in writes:
            unknown = text.slots - set(reads.types)
            if unknown:
                raise TemplateError(f"{text.text!r} has the slot {min(unknown)!r}, which {form.reads!r} has not")
        said = tuple((one.when, WrittenText(one.text)) for one in _writes(form.choices or choices))
        return _CompiledForm(reads, writes, subject, said)

    def is_answer(self, answer: str) -> bool:
        """Whether an answer is of the sort that the rewrite asks for."""
        known = not self.said or answer.lower() in self.said or answer.lower() in self.said.values()
        return known and self._is_of_sort(answer)

    def said_as(self, answer: str) -> str:
        """An answer in the words that a question says it in: "in the air" for "air"."""
        return self.said.get(answer.lower(), answer.lower())

    def excludes(self, answer: str, other: str) -> bool:
        """Whether the record does not say that a second answer may be right beside the first."""
        if other.lower() in self.never_wrong:
            return False
        if not self.exclusive:
            return True
        first, second = self.said_as(answer), self.said_as(other)
        return first != second and any(first in group and second in group for group in self.exclusive)

    def answers_said_as(self, words: str) -> list[str]:
        """The answers that are said in these words, where they have words of their own."""
        return [answer for answer, said in self.said.items() if said == words]

    @cached_property
    def _beginnings(self) -> tuple[str, ...]:
        return tuple({pattern.reads.beginning for pattern in self.forms})

    @cached_property
    def _by_first_word(self) -> dict[str, list[tuple[str, str, WrittenText]]]:
        found: dict[str, list[tuple[str, str, WrittenText]]] = {}
        for form in self.forms:
            for when, written in form.writes:
                for word in written.first_words:
                    found.setdefault(word, []).append((when, form.subject, written))
        return found

    def read(self, question: str) -> Reading | None:
        """The question, read by the first form that fits; None where none does."""
        line, lowered = _in_one_line(question)
        if not lowered.startswith(self._beginnings):
            return None
        for form in self.forms:
            if lowered.startswith(form.reads.beginning):
                slots = form.reads.read(line)
                if slots is not None:
                    return Reading(self, form, line, slots)
        return None

    def subject_answered(self, question: str) -> str | None:
        """The subject of a question that is not rewritten, whose answers are of use as wrong ones; None for others."""
        line, lowered = _in_one_line(question)
        for pattern in self._also_answered:
            slots = pattern.read(line) if lowered.startswith(pattern.beginning) else None
            if slots is not None:
                return slots["s"].lower()
        return None

    def is_asked(self, question: str) -> bool:
        """Whether a question is of the sort that the rewrite is meant for, read or not."""
        line, lowered = _in_one_line(question)
        asked, not_asked = (
            any(lowered.startswith(one.beginning) and one.read(line) is not None for one in patterns)
            for patterns in (self._asked, self._not_asked)
        )
        return asked and not not_asked

    def written_shapes(self, question: str) -> list[WrittenShape]:
        """What a question asks about, where it looks as if the rewrite had written it."""
        line, lowered = _in_one_line(question)
        found = (
            WrittenShape(self, when, slots.get(subject, "").lower(), answer)
            for when, subject, written in self._by_first_word.get(lowered.partition(" ")[0], ())
            for slots, answer in written.readings(line)
            if self.is_answer(answer) or self.answers_said_as(answer)
        )
        return list(dict.fromkeys(found))


class WrittenShape(NamedTuple):
    """A question that has the shape of a rewrite, whoever wrote it."""

    rewrite: Rewrite
    when: str
    """The condition under which the rewrite writes so."""
    subject: str
    answer: str

    def fits(self, subjects: Set[str], answers: Set[str]) -> bool:
        """Whether the rewrite could have written it of these subjects, with an answer that is one of its sort."""
        if not self.rewrite.is_closed and self.answer not in answers and not self.rewrite.answers_said_as(self.answer):
            return False
        if not self.when:
            return self.rewrite.is_closed or not self.subject or self.subject in subjects
        condition = CONDITIONS[self.when]
        return any(condition(AskedAnswer(self.answer, one)) for one in ([self.subject] if self.subject else subjects))


@lru_cache(maxsize=8)
def _in_one_line(question: str) -> tuple[str, str]:
    """A question in one line, and the same in lower case; several rewrites look at one question."""
    line = tidy_question(question)
    return line, line.lower()


def _writes(given: str | list[_Writes]) -> list[_Writes]:
    return [_Writes(given)] if isinstance(given, str) else given


def _text_for(asked: AskedAnswer, texts: Iterable[tuple[str, WrittenText]]) -> WrittenText | None:
    """The first text whose condition holds of an answer."""
    return next((text for when, text in texts if not when or CONDITIONS[when](asked)), None)


def load_rewrites(folder: Path) -> dict[str, Rewrite]:
    """The rewrites in the YAML files of a folder, by name."""
    found: dict[str, Rewrite] = {}
    for path in sorted(folder.glob("*.yaml")):
        record = read_yaml(path, _Record, what="a rewrite")
        try:
            found[record.name] = Rewrite(record)
        except TemplateError as error:
            raise InputError(path, str(error), record=record.name, hint="see the other rewrites") from error
    return found
