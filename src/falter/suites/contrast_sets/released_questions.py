"""Questions of a contrast set that was made elsewhere, in LXMERT's, MAC's or GQA's own format, and their originals.

The original of a changed question is found by id, else by the image and one changed atom, else by one changed span.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from falter.core.errors import InputError
from falter.core.files import JsonDecoder, read_bytes
from falter.generation.english import Parse
from falter.generation.english.question_reader import QuestionReader
from falter.generation.sources.protocol import text_problem
from falter.suites.contrast_sets.question_tests import differing_atoms

_IDS = ("question_id", "questionId", "qid", "id")
_IMAGES = ("img_id", "imageId", "image_id")
_TEXTS = ("sent", "question")
_ORIGINALS = ("original_question_id", "originalQuestionId", "original_id", "originalId", "original_qid")

_Content = list[msgspec.Raw] | dict[str, msgspec.Raw]
_file: JsonDecoder[_Content] = JsonDecoder(_Content, "a JSON list or object of questions")  # type: ignore[arg-type]
_list = JsonDecoder(list[msgspec.Raw], "a JSON list of questions")
_record = JsonDecoder(dict[str, Any], "a question")
FORMATS = "give a file in the format of LXMERT, MAC or GQA"


class GivenQuestion(NamedTuple):
    """A question with its answer; ``original_id`` where the record names the question that it was made from."""

    id: str
    image_id: str
    text: str
    answer: str
    original_id: str | None = None


def read_questions(path: Path, problems: Counter[str]) -> list[GivenQuestion]:
    """The questions of a file; a record that cannot be used is counted by its reason."""
    found: dict[tuple[str, str, str], GivenQuestion] = {}
    for key, raw in _records(path):
        question = _question(key, raw)
        if isinstance(question, str):
            problems[question] += 1
        elif found.setdefault((question.id, question.image_id, question.text), question) is not question:
            problems["the same question comes twice"] += 1
    return list(found.values())


def _records(path: Path) -> Iterator[tuple[str | None, msgspec.Raw]]:
    content = _file.decode(read_bytes(path), path, hint=FORMATS)
    if isinstance(content, list):
        yield from ((None, raw) for raw in content)
        return
    listed = content.get("questions")
    if listed is None:
        yield from content.items()
        return
    yield from ((None, raw) for raw in _list.decode(listed, path, hint=FORMATS))


def _question(key: str | None, raw: msgspec.Raw) -> GivenQuestion | str:
    """The question of a record, or why it has none."""
    try:
        record = _record.decode(raw, "")
    except InputError:
        return "the record is not an object"
    own = key if key is not None else _text(record, _IDS)
    image, text = _text(record, _IMAGES), _text(record, _TEXTS)
    if not text:
        return "the question has no text"
    if (problem := text_problem(text)) is not None:
        return problem
    if not own:
        return "the question has no id"
    if not image:
        return "the question names no image"
    answer = _answer(record)
    return answer if isinstance(answer, _Refused) else GivenQuestion(own, image, text, answer, _original(record))


def _text(record: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    value = next((record[name] for name in names if name in record), None)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return " ".join(str(value).split()) or None


def _original(record: Mapping[str, Any]) -> str | None:
    return _text(record, _ORIGINALS)


class _Refused(str):
    """Why a record has no single answer."""

    __slots__ = ()


def _answer(record: Mapping[str, Any]) -> str | _Refused:
    """The answer, or the one that scores most."""
    scored = record.get("label", record.get("answer"))
    if isinstance(scored, dict):
        scores = {name: score for name, score in scored.items() if isinstance(score, int | float)}
        best = [name for name, score in scores.items() if score == max(scores.values())]
        if len(best) > 1:
            return _Refused("several answers of the question score the same")
        scored = best[0] if best else None
    if not isinstance(scored, str) or not scored.strip():
        return _Refused("the question has no answer")
    return scored.strip().lower()


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
