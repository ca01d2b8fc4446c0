"""What became of every item: the number of one of a few states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.measures.cells import Bools, Side, class_code
from falter.measures.interning import NONE, Codes, code_rows
from falter.measures.loading import Bytes, Interned, Lists
from falter.measures.vqa_accuracy import Rule, credit

__all__ = ["Graded", "grade"]

_HALF = 0.5
_LARGEST_TABLE = 1 << 20


@dataclass(frozen=True, slots=True)
class Graded:
    """The state of each item, in the order of the suite, and the states there are."""

    interned: Interned
    state: npt.NDArray[np.integer]
    states: Side

    def __len__(self) -> int:
        return len(self.state)

    @property
    def kind(self) -> Bytes:
        """The class of each item's reply as its number."""
        return np.asarray(self.states.kind.astype(np.uint8)[self.state])


def grade(interned: Interned, rule: Rule = "vqa-v2") -> Graded:
    """Say of every item what became of it.

    Where there are few different questions and replies, every combination is judged once, and items look theirs up.
    """
    questions, replies = len(interned.questions), len(interned.replies)
    if 0 < questions * replies <= min(_LARGEST_TABLE, max(len(interned), 1024)):
        combination = np.arange(questions * replies)
        judged, states = _states(interned, combination // replies, combination % replies, rule)
        narrow = judged.astype(np.min_scalar_type(len(states.kind)))
        place = interned.question * np.int32(replies)
        place += interned.reply
        return Graded(interned, narrow[place], states)
    return Graded(interned, *_states(interned, interned.question, interned.reply, rule))


class _Judged(NamedTuple):
    right: Bools
    credit: Codes
    credits: npt.NDArray[np.float64]


def _states(
    interned: Interned, question: npt.NDArray[np.integer], reply: npt.NDArray[np.integer], rule: Rule
) -> tuple[Codes, Side]:
    """Judge replies to questions: the state of each, and the states."""
    answer, status = interned.replies.answer[reply], interned.replies.status[reply]
    choices, people = interned.questions.choices.take(question), interned.questions.people.take(question)
    judged = _judge(interned.questions.gold[question], people, answer, rule)
    listed, first, yes_no = _among_choices(choices, answer, interned.yes, interned.no)

    kind = np.where(listed, np.uint8(class_code("wrong")), np.uint8(class_code("other")))
    kind[judged.right] = class_code("right")
    kind[answer == NONE] = class_code("unparsed")
    kind[status > 0] = status[status > 0]
    flags = (
        (yes_no & (answer == interned.yes)).astype(np.uint8)
        + np.uint8(2) * first
        + np.uint8(4) * yes_no
        + np.uint8(8) * (people.lengths > 1)
        + np.uint8(16) * (yes_no & (answer == interned.no))
    )
    state, rows = code_rows([kind, flags, judged.credit, choices.lengths])
    flag = rows[:, 1]
    return state, Side(
        kind=rows[:, 0],
        yes=(flag & 1).astype(bool),
        no=(flag & 16).astype(bool),
        first=(flag & 2).astype(bool),
        credit=judged.credits[rows[:, 2]],
        choices=rows[:, 3],
        yes_no=(flag & 4).astype(bool),
        asked_people=(flag & 8).astype(bool),
    )


def _judge(gold: Codes, people: Lists, answer: Codes, rule: Rule) -> _Judged:
    """Whether each answer is right, and its accuracy as the number of one of a few values."""
    said = answer != NONE
    right = (answer == gold) & said
    values = np.array([0.0, 1.0])
    code = right.astype(np.int32)
    rows = np.flatnonzero(people.lengths > 1)
    if len(rows):
        agreeing = _how_many_agree(people, answer)
        own, found = code_rows([agreeing[rows], people.lengths[rows]])
        code[rows] = own + 2
        values = np.append(values, credit(found[:, 0], found[:, 1], rule))
        right = said & (values > _HALF)[code]
    return _Judged(right, code, values)


def _how_many_agree(people: Lists, answer: Codes) -> Bytes:
    """How many of an item's people gave the model's answer."""
    agreeing = np.zeros(len(answer), dtype=np.uint8)
    for rows, places in people.by_length():
        own = answer[rows]
        total = np.zeros(len(own), dtype=np.uint8)
        for words in places:
            total += (words == own) & (own != NONE)
        agreeing[rows] = total
    return agreeing


def _among_choices(choices: Lists, answer: Codes, yes: int, no: int) -> tuple[Bools, Bools, Bools]:
    """Of each item: the answer is a choice (or there are none), it is the first of them, they are yes and no."""
    size = len(answer)
    listed = np.ones(size, dtype=bool)
    first = np.zeros(size, dtype=bool)
    yes_no = np.zeros(size, dtype=bool)
    for rows, places in choices.by_length():
        own = answer[rows]
        hits = places[0] == own
        first[rows] = hits
        for words in places[1:]:
            hits = hits | (words == own)
        listed[rows] = hits
        if len(places) == 2:
            one, two = places
            yes_no[rows] = ((one == yes) & (two == no)) | ((one == no) & (two == yes))
    return listed, first & (answer != NONE), yes_no
