"""Every item of a suite with the class of its reply, as arrays of small integers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.measures.cells import Bools, class_code
from falter.measures.interning import NONE, Codes, code_rows
from falter.measures.loading import Bytes, Interned, Lists
from falter.measures.vqa_accuracy import Rule, credit

__all__ = ["Graded", "grade"]

_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Graded:
    """What became of each item, in the order of the suite."""

    interned: Interned
    kind: Bytes
    """The class as its number."""
    yes: Bools
    first: Bools
    credit: npt.NDArray[np.uint16]
    credits: npt.NDArray[np.float64]
    """The values that ``credit`` numbers."""
    yes_no: Bools
    asked_people: Bools

    def __len__(self) -> int:
        return len(self.kind)


def grade(interned: Interned, rule: Rule = "vqa-v2") -> Graded:
    """Say of every item what became of it."""
    answer = interned.answer
    said = answer != NONE
    right = (answer == interned.gold) & said
    credits_ = np.array([0.0, 1.0])
    credit_code = right.astype(np.uint16)
    asked_people = interned.people.lengths > 1
    rows = np.flatnonzero(asked_people)
    if len(rows):
        agreeing = _how_many_agree(interned.people, answer)
        own, found = code_rows([agreeing[rows], interned.people.lengths[rows]])
        credit_code[rows] = own + 2
        credits_ = np.append(credits_, credit(found[:, 0], found[:, 1], rule))
        right = said & (credits_ > _HALF)[credit_code]

    listed, first, yes_no = _among_choices(interned)
    kind = np.where(listed, np.uint8(class_code("wrong")), np.uint8(class_code("other")))
    kind[right] = class_code("right")
    kind[~said] = class_code("unparsed")
    gone = interned.status > 0
    kind[gone] = interned.status[gone]
    return Graded(
        interned=interned,
        kind=kind,
        yes=yes_no & (answer == interned.yes),
        first=first,
        credit=credit_code,
        credits=credits_,
        yes_no=yes_no,
        asked_people=asked_people,
    )


class _Alike(NamedTuple):
    """Items whose lists are equally long: their rows, and the words of their lists by place."""

    rows: npt.NDArray[np.int64] | slice
    places: list[Codes]


def _by_length(lists: Lists) -> Iterator[_Alike]:
    """Items that have a list at all, those with lists of the same length together."""
    occurring = np.flatnonzero(np.bincount(lists.lengths, minlength=1))
    if len(occurring) == 1 and occurring[0]:
        length = int(occurring[0])
        yield _Alike(slice(None), [lists.words[place::length] for place in range(length)])
        return
    ends = np.cumsum(lists.lengths, dtype=np.int64)
    for length in map(int, occurring[occurring > 0]):
        rows = np.flatnonzero(lists.lengths == length)
        begins = ends[rows] - length
        yield _Alike(rows, [lists.words[begins + place] for place in range(length)])


def _how_many_agree(people: Lists, answer: Codes) -> Bytes:
    """How many of an item's people gave the model's answer."""
    agreeing = np.zeros(len(answer), dtype=np.uint8)
    for rows, places in _by_length(people):
        own = answer[rows]
        total = np.zeros(len(own), dtype=np.uint8)
        for words in places:
            total += (words == own) & (own != NONE)
        agreeing[rows] = total
    return agreeing


def _among_choices(interned: Interned) -> tuple[Bools, Bools, Bools]:
    """Of each item: the answer is a choice (or there are none), it is the first of them, they are yes and no."""
    size = len(interned)
    listed = np.ones(size, dtype=bool)
    first = np.zeros(size, dtype=bool)
    yes_no = np.zeros(size, dtype=bool)
    yes, no = interned.yes, interned.no
    for rows, places in _by_length(interned.choices):
        own = interned.answer[rows]
        hits = places[0] == own
        first[rows] = hits
        for words in places[1:]:
            hits = hits | (words == own)
        listed[rows] = hits
        if len(places) == 2:
            one, two = places
            yes_no[rows] = ((one == yes) & (two == no)) | ((one == no) & (two == yes))
    return listed, first & (interned.answer != NONE), yes_no
