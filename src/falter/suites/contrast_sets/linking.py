"""Finds the original of a changed question: by id, else by the image and one changed atom, else by one changed span."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from falter.english import Parse
from falter.english.question_reader import QuestionReader
from falter.suites.contrast_sets.differences import differing_atoms
from falter.suites.contrast_sets.released_questions import GivenQuestion

__all__ = ["Link", "Originals"]

_WORD = re.compile(r"[\w'-]+")
_SAME = {
    "are": "is", "were": "was", "an": "a", "any": "a", "some": "a", "do": "does", "have": "has", "those": "that",
    "these": "this",
}  # fmt: skip
"""Words that follow number and sound: a change repairs them."""
_LONGEST_SPAN = 8
_NO_ATOM = ("words", "several")
_ID_END = re.compile(r"[^0-9A-Za-z]")

How = Literal["id", "atom", "words"]


class Link(NamedTuple):
    """The original of a question, how it was found, and what differs: an atom, ``words`` or ``several``."""

    original: GivenQuestion
    how: How
    atom: str


class Originals:
    """The questions that others may have been made from."""

    def __init__(self, questions: Iterable[GivenQuestion], reader: QuestionReader) -> None:
        self._reader = reader
        self._by_id: dict[str, GivenQuestion] = {}
        self._by_image: dict[str, list[GivenQuestion]] = {}
        for question in questions:
            self._by_id.setdefault(question.id, question)
            self._by_image.setdefault(question.image_id, []).append(question)

    def read(self, question: GivenQuestion) -> Parse | None:
        """What a question means."""
        return self._reader.read(question.text)

    def find(self, question: GivenQuestion) -> Link | str:
        """The link of a question, or why there is none."""
        named = self._named(question)
        if isinstance(named, str):
            return named
        if named is not None:
            return self._checked(question, Link(named, "id", self._change(named, question)))
        others = [one for one in self._by_image.get(question.image_id, ()) if one.text != question.text]
        if not others:
            return "there is no original on its image"
        alike = [one for one in others if _are_alike(one.text, question.text)]
        changes = {one.id: self._change(one, question) for one in alike}
        atoms = [one for one in alike if changes[one.id] not in _NO_ATOM]
        if atoms:
            return self._nearest(question, atoms, "atom", changes)
        spans = [one for one in alike if changes[one.id] == "words"]
        if spans:
            return self._nearest(question, spans, "words", changes)
        return "more than one thing differs from every original on its image"

    def _named(self, question: GivenQuestion) -> GivenQuestion | str | None:
        """The question that the record names as its original, or whose id its own id begins with."""
        if question.original_id is not None:
            named = self._by_id.get(question.original_id)
            return "the original that it names is not among the originals" if named is None else named
        ids = [question.id, *(question.id[: end.start()] for end in reversed(list(_ID_END.finditer(question.id))))]
        # The same id in two data sets names two questions.
        found = [one for own in ids if (one := self._by_id.get(own)) is not None and one.image_id == question.image_id]
        # A file may hold the originals and what was made from them.
        return next((one for one in found if _words(one.text) != _words(question.text)), next(iter(found), None))

    def _checked(self, question: GivenQuestion, link: Link) -> Link | str:
        original = link.original
        if original.image_id != question.image_id:
            return "its original is about another image"
        if _words(original.text) == _words(question.text):
            return "it is its original, word for word"
        if original.answer == question.answer:
            return "it has the answer of its original"
        return link

    def _nearest(
        self, question: GivenQuestion, found: Sequence[GivenQuestion], how: How, changes: dict[str, str]
    ) -> Link | str:
        turned = [one for one in found if one.answer != question.answer]
        if not turned:
            return "it has the answer of its original"
        # What of an original is gone says nothing: "the bat the batter is holding" may become "the helmet".
        sizes = [_distance(one.text, question.text)[0] for one in turned]
        nearest = [one for one, size in zip(turned, sizes, strict=True) if size == min(sizes)]
        if len(nearest) > 1:
            return "several originals are as near to it"
        return Link(nearest[0], how, changes[nearest[0].id])

    def _change(self, original: GivenQuestion, question: GivenQuestion) -> str:
        first, second = self.read(original), self.read(question)
        if first is not None and second is not None:
            atoms = differing_atoms(first.meaning, second.meaning)
            if len(atoms) == 1:
                return atoms[0]
        if first is None or second is None:
            alike = _are_alike(original.text, question.text) and _is_short(original.text, question.text)
            return "words" if alike else "several"
        return "several"


def _words(text: str) -> list[str]:
    return [_SAME.get(word, word) for word in _WORD.findall(text.lower())]


def _ends(first: list[str], second: list[str]) -> tuple[int, int]:
    """How many words two texts begin and end with in common."""
    shorter = min(len(first), len(second))
    start = next((place for place in range(shorter) if first[place] != second[place]), shorter)
    end = next((place for place in range(shorter - start) if first[-1 - place] != second[-1 - place]), shorter - start)
    return start, end


def _distance(original: str, question: str) -> tuple[int, int]:
    """How many words of the question are new, and how many of the original are gone."""
    first, second = _words(original), _words(question)
    same = sum(_ends(first, second))
    return len(second) - same, len(first) - same


def _are_alike(one: str, other: str) -> bool:
    """Whether two texts differ in one span, and the shorter one has at least half of its words in both."""
    first, second = _words(one), _words(other)
    return 2 * sum(_ends(first, second)) >= min(len(first), len(second))


def _is_short(one: str, other: str) -> bool:
    return max(_distance(one, other)) <= _LONGEST_SPAN
