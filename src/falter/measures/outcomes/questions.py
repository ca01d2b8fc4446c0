"""The questions of items as far as judging goes: gold answers, choices and human answers as numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from falter.answers import normalize, read_gold
from falter.errors import InputError
from falter.measures.outcomes.coding import NONE, Bools, Codes, Lists, Vocabulary, code_rows
from falter.tables import format_count

__all__ = ["Questions", "read_questions", "refuse_unlabelled"]


@dataclass(frozen=True, slots=True)
class Questions:
    """Different questions as far as judging an answer goes."""

    gold: Codes
    gold_read: Codes
    """What the gold answer is read as when it is given as a reply: an open one may lead up to its answer."""
    choices: Lists
    humans: Lists
    humans_read: Lists

    def __len__(self) -> int:
        return len(self.gold)

    def take(self, rows: npt.NDArray[np.integer]) -> Questions:
        humans = self.humans.take(rows)
        read = humans if self.humans_read is self.humans else self.humans_read.take(rows)
        return Questions(self.gold[rows], self.gold_read[rows], self.choices.take(rows), humans, read)


def read_questions(items: pa.Table, words: Vocabulary) -> tuple[Codes, Questions]:
    """By item the number of its question, and the questions; a question with human answers is a number of its own."""
    choices = Lists.from_column(items["choices"], words)
    if len(alike := choices.repeating()):
        # Of "-5" and "5", or "C" and "C++", only one is right.
        words.keep_apart(_alike_words(items["choices"].take(pa.array(alike)).to_pylist()))
        choices = Lists.from_column(items["choices"], words)
    gold = words.encode(items["gold"])
    humans = Lists.from_column(items["answers"], words)
    is_open = (choices.lengths == 0) & (gold != NONE)
    gold_read, humans_read = gold, humans
    if is_open.any() or len(humans.words):
        gold_read = np.where(is_open, words.encode(items["gold"], read_gold), gold)
        humans_read = Lists.from_column(items["answers"], words, read_gold)
        if np.array_equal(humans_read.words, humans.words):
            humans_read = humans
    alone = np.flatnonzero(humans.lengths)
    own = np.zeros(len(gold), dtype=np.int32)
    own[alone] = np.arange(1, len(alone) + 1)
    code, _ = code_rows([gold + 1, gold_read + 1, choices.code(), own])
    example = np.zeros(int(code.max()) + 1 if len(code) else 0, dtype=np.int64)
    example[code] = np.arange(len(code))
    return code, Questions(gold, gold_read, choices, humans, humans_read).take(example)


def _alike_words(lists: list[list[str]]) -> set[str]:
    """The choices that have the normal form of another choice of their list."""
    found: set[str] = set()
    for choices in map(set, lists):
        forms = Counter(map(normalize, choices))
        found.update(choice for choice in choices if forms[normalize(choice)] > 1)
    return found


def refuse_unlabelled(question: Codes, questions: Questions, matching: Bools | None, where: str) -> None:
    unlabelled = (questions.gold == NONE) & (questions.humans.lengths < 2)
    if not unlabelled.any():
        return
    of_item = unlabelled[question] if matching is None else unlabelled[question] & ~matching
    number = int(of_item.sum())
    if number:
        raise InputError(
            where, f"has {format_count(number, 'questions')} without a right answer", hint="score a suite with labels"
        )
