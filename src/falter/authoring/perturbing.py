"""Read a question, change one atom of it, write it again, answer it again.

A question that a template reads has slots; a slot holds descriptions of objects, a relation, attributes. An *atom* is
one of these. :class:`Change` is a question with one atom replaced, and :class:`QuestionRewriter` writes it in the words
of the original, with the changed words in their place, and reads it back: what cannot be read as what it should mean
is no question.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec.structs import replace

from falter.english import Parse
from falter.english.question_reader import QuestionReader, plain_question
from falter.english.rewriting import SentenceEditor
from falter.english.slot_spans import slot_spans
from falter.english.slots import SlotValue
from falter.scene import ObjectDescription

__all__ = ["ATOMS", "Atom", "Change", "DescribedSlot", "QuestionRewriter", "described_slots", "with_description"]

Atom = Literal["object", "attribute", "relation", "quantifier", "connective"]
ATOMS: tuple[Atom, ...] = ("object", "attribute", "relation", "quantifier", "connective")


class DescribedSlot(NamedTuple):
    """A description in a slot: the slot's own (depth 0), what that is related to (depth 1), and so on."""

    slot: str
    depth: int
    description: ObjectDescription


class Change(NamedTuple):
    """A question with one atom replaced: which one, its words before and after, and what the question means now."""

    atom: Atom
    parse: Parse
    old: ObjectDescription | str
    new: ObjectDescription | str
    slot: str = ""

    @property
    def names(self) -> tuple[str, str]:
        """What was replaced, and by what."""
        return _name(self.old, self.new), _name(self.new, self.old)


def _name(one: ObjectDescription | str, other: ObjectDescription | str) -> str:
    if isinstance(one, str) or isinstance(other, str):
        return str(one)
    if one.kind != other.kind:
        return one.kind
    return " ".join(one.attributes) if one.attributes != other.attributes else one.describe()


def described_slots(parse: Parse) -> Iterator[DescribedSlot]:
    """Every description in the slots of a question, each followed by what it is related to."""
    for slot in parse.template.slots:
        value, depth = parse.slots.get(slot), 0
        while isinstance(value, ObjectDescription):
            yield DescribedSlot(slot, depth, value)
            value, depth = (None if value.relation is None else value.relation.to), depth + 1


def with_description(parse: Parse, place: DescribedSlot, new: ObjectDescription) -> Parse:
    """The question with another description in the place of one."""
    return parse.change(**{place.slot: _put(parse.slots[place.slot], place.depth, new)})


def _put(value: SlotValue, depth: int, new: ObjectDescription) -> ObjectDescription:
    if depth == 0:
        return new
    assert isinstance(value, ObjectDescription)
    assert value.relation is not None
    return replace(value, relation=replace(value.relation, to=_put(value.relation.to, depth - 1, new)))


class QuestionRewriter:
    """Writes changed questions in the words of the original ones."""

    def __init__(self, reader: QuestionReader) -> None:
        self.reader = reader
        self._editor = SentenceEditor(reader.grammar.ontology)

    def write(self, question: str, parse: Parse, change: Change) -> str | None:
        """The text of a changed question; None where no text is read as what it should mean."""
        for text in self._texts(plain_question(question), parse, change):
            read = self.reader.read(text)
            if read is not None and read.meaning == change.parse.meaning:
                return text
        return None

    def _texts(self, question: str, parse: Parse, change: Change) -> Iterator[str]:
        old, new = change.old, change.new
        if isinstance(old, str) or isinstance(new, str):
            for before, after in _wordings(str(old), str(new)):
                text = self._editor.replace_words(question, before, after)
                if text is not None:
                    yield text
                    return
            return
        if _same_but_noun(old, new):
            text = self._editor.replace_noun(question, old, new)
            if text is not None:
                yield text
        if change.slot and new.relation is None and parse.slots.get(change.slot) == old:
            spans = slot_spans(parse, question)
            if spans is not None:
                text = self._editor.replace_phrase(question, spans[change.slot], old, new)
                if text is not None:
                    yield text


def _same_but_noun(old: ObjectDescription, new: ObjectDescription) -> bool:
    return replace(old, kind=new.kind, number=new.number) == new


_SIDES = {"to the left of": "left", "to the right of": "right"}


def _wordings(old: str, new: str) -> Iterator[tuple[str, str]]:
    """How an attribute or a relation may be said, with how another one is then said."""
    if old in _SIDES and new in _SIDES:
        yield _SIDES[old], _SIDES[new]
        return
    yield old, new
