"""Read a question, change one atom of it, write it again, answer it again.

A question that a template reads has slots; a slot holds descriptions of objects, a relation, attributes. An *atom* is
one of these. :class:`Change` is a question with one atom replaced, and :class:`QuestionRewriter` writes it in the words
of the original, with the changed words in their place, and reads it back: what cannot be read as what it should mean
is no question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec.structs import replace

from falter.english import Parse
from falter.english.open_phrases.lexicon import ATTRIBUTE_FORMS
from falter.english.question_reader import QuestionReader, plain_question
from falter.english.rewriting import SentenceEditor
from falter.english.slot_spans import slot_spans
from falter.english.slots import SlotValue
from falter.scene import ObjectDescription

__all__ = [
    "ATOMS",
    "Atom",
    "Change",
    "DescribedSlot",
    "QuestionRewriter",
    "described_slots",
    "other_polarities",
    "with_description",
]

Atom = Literal["object", "attribute", "relation", "quantifier", "connective"]
ATOMS: tuple[Atom, ...] = ("object", "attribute", "relation", "quantifier", "connective")

_POLARITIES: tuple[tuple[re.Pattern[str], str, Atom, str, str], ...] = (
    (
        re.compile(r"^Are there both (an? [^,]*) and (an? [^,]*)$"),
        r"Is there either \1 or \2",
        "connective",
        "and",
        "or",
    ),
    (
        re.compile(r"^(Are there|Do you see) both ([^,]*) and ([^,]*)$"),
        r"\1 either \2 or \3",
        "connective",
        "and",
        "or",
    ),
    (
        re.compile(r"^Is there either (an? [^,]*) or (an? [^,]*)$"),
        r"Are there both \1 and \2",
        "connective",
        "or",
        "and",
    ),
    (
        re.compile(r"^(Are there|Do you see) either ([^,]*) or ([^,]*)$"),
        r"\1 both \2 and \3",
        "connective",
        "or",
        "and",
    ),
    (re.compile(r"^(Is|Are) there (?:an?|any|some) (?!.* (?:or|and) )"), r"\1 there no ", "quantifier", "some", "no"),
    (re.compile(r"\bhave the same (\w+)\?$"), r"have different \1s?", "quantifier", "same", "different"),
    (re.compile(r"\bhave different (\w+)s\?$"), r"have the same \1?", "quantifier", "different", "same"),
)


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
    text: str = ""
    """The question, where other words than those of the atom change with it: "both ... and" and "either ... or"."""

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


def other_polarities(question: str) -> Iterator[tuple[Atom, str, str, str]]:
    """What a question becomes with another connective or quantifier: the atom, the words before and after, the text.

    >>> [text for *_, text in other_polarities("Are there both a dog and a cat?")]
    ['Is there either a dog or a cat?']
    >>> [text for *_, text in other_polarities("Is there a dog?")]
    ['Is there no dog?']
    """
    found: set[str] = set()
    for pattern, replacement, atom, before, after in _POLARITIES:
        text, number = pattern.subn(replacement, question)
        if number == 1 and after not in found:
            found.add(after)
            yield atom, before, after, text


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

    def _with_attribute(self, question: str, before: tuple[str, ...], after: tuple[str, ...]) -> str | None:
        """The question with the one attribute changed that differs."""
        changed = [(one, other) for one, other in zip(before, after, strict=False) if one != other]
        if len(before) != len(after) or len(changed) != 1:
            return None
        ((old, new),) = changed
        found = (self._editor.replace_words(question, words, new) for words in _attribute_words(old))
        return next((text for text in found if text is not None), None)

    def _texts(self, question: str, parse: Parse, change: Change) -> Iterator[str]:
        old, new = change.old, change.new
        if change.text:
            yield change.text
            return
        if isinstance(old, str) or isinstance(new, str):
            for before, after in _wordings(str(old), str(new)):
                text = self._editor.replace_words(question, before, after)
                if text is not None:
                    yield text
                    return
            return
        if old.kind == new.kind and replace(old, attributes=new.attributes) == new:
            text = self._with_attribute(question, old.attributes, new.attributes)
            if text is not None:
                yield text
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


def _attribute_words(value: str) -> tuple[str, ...]:
    return (value, *(form for form, meant in ATTRIBUTE_FORMS.items() if meant == value))


def _same_but_noun(old: ObjectDescription, new: ObjectDescription) -> bool:
    return replace(old, kind=new.kind, number=new.number) == new


_SIDES = {"to the left of": "left", "to the right of": "right"}


def _wordings(old: str, new: str) -> Iterator[tuple[str, str]]:
    """How an attribute or a relation may be said, with how another one is then said."""
    if old in _SIDES and new in _SIDES:
        yield _SIDES[old], _SIDES[new]
        return
    yield old, new
    yield from ((words, new) for words in _attribute_words(old) if words != old)
