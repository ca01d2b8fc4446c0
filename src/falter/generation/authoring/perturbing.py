"""Read a question, change one atom of it, write it again, answer it again.

A question that a template reads has slots; a slot holds descriptions of objects, a relation, attributes. An *atom* is
one of these. :class:`Change` is a question with one atom replaced, and :class:`QuestionRewriter` writes it in the words
of the original, with the changed words in their place, and reads it back: what cannot be read as what it should mean
is no question.

:func:`slot_answers` gives the answers for all that may take the place of one noun, without a query for each. What does
not change is worked out once: which things the other noun means, and which of them stand in the relation. The answers
are those of the query that the changed question means; a test compares them, and an audit builds the queries. Where a
question has a form that is not among these, or a scene has things that stand for others, there is no such function, and
queries are evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from msgspec.structs import replace

from falter.generation.askable.scene_things import SceneThings
from falter.generation.english import Parse
from falter.generation.english.lexicon import ATTRIBUTE_FORMS
from falter.generation.english.open_slots import SlotValue
from falter.generation.english.question_reader import QuestionReader, plain_question
from falter.generation.english.sentence_editing import SentenceEditor, slot_spans
from falter.generation.scene import (
    AttributeOf,
    Exists,
    ObjectDescription,
    Or,
    Related,
    RelationHolds,
    SceneObject,
    SideOf,
)
from falter.generation.scene.ontology_protocol import TruthValue

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


Answer = Callable[[ObjectDescription], str | None]
_WORDS = {True: "yes", False: "no", None: None}


class SlotAnswers(NamedTuple):
    """The answer for a description in a slot, and what the question relates then; no kind stands for the new one."""

    answer: Answer
    subject: str | None = None
    relation: str | None = None
    target: str | None = None
    always: str | None = None
    """The answer, where it is the same whatever the new noun is."""


def is_plain(one: ObjectDescription) -> bool:
    """Whether a description names a kind and says nothing else of it."""
    return not one.attributes and one.relation is None and not one.without and not one.side


def slot_answers(parse: Parse, place: DescribedSlot, things: SceneThings) -> SlotAnswers | None:
    """The answers for descriptions in one place; None where queries have to be evaluated."""
    old = place.description
    match parse.meaning:
        case SideOf(of=asked, axis="horizontal"):
            return _of_value(asked, old, things.side_of, things.side_of_thing, things)
        case AttributeOf(of=asked, families=("color",)):
            return _of_value(asked, old, things.color_of, things.color_of_thing, things)
        # What is said before the first noun holds of the second too, which is then another description.
        case Or(of=(Exists(of=first), Exists(of=second))) if old is first or old == second:
            return _of_either(old, second if old is first else first, things)
        case RelationHolds(of=first, relation=name, to=second):
            if old is first:
                return SlotAnswers(_holding(name, second, things, is_subject=True), None, name, second.kind)
            if old is second:
                return SlotAnswers(_holding(name, first, things, is_subject=False), first.kind, name, None)
        case Exists(of=asked) if asked.relation is not None and not asked.definite:
            return _of_related(asked, asked.relation, old, things)
    return None


def _of_value(
    asked: ObjectDescription,
    old: ObjectDescription,
    of_described: Answer,
    of_thing: Callable[[SceneObject], str | None],
    things: SceneThings,
) -> SlotAnswers | None:
    """The answers of "which side" and "what color" for another X, or for another Y in "the X Rel the Y"."""
    if old is asked:
        return SlotAnswers(of_described)
    related, scene = asked.relation, things.scene
    if related is None or related.to is not old or asked.number == "plural" or scene.has_stand_ins:
        return None
    may_be = scene.objects_for(replace(asked, relation=None))
    relation, inverse = related.name, bool(related.inverse)
    is_settled = scene.resolve(asked) is not None

    def answer(new: ObjectDescription) -> str | None:
        targets = scene.resolve(new)
        if targets is None or not is_settled:
            return None
        stand = [
            (thing, _both(sure, scene.stands(thing, relation, targets, inverse=inverse))) for thing, sure in may_be
        ]
        found = [thing for thing, verdict in stand if verdict]
        if len(found) != 1 or any(verdict is None for _, verdict in stand) or scene.is_group(found[0]):
            return None
        return of_thing(found[0])

    kinds = (None, related.name, asked.kind) if inverse else (asked.kind, related.name, None)
    return SlotAnswers(answer, *kinds)


def _of_either(old: ObjectDescription, other: ObjectDescription, things: SceneThings) -> SlotAnswers | None:
    """The answers of "X or Y": what is there besides settles them, or leaves them to the new one."""
    if old.definite or old.relation is not None or old.side or other.relation is not None:
        return None
    beside, scene = things.exists(other), things.scene
    if beside:
        return SlotAnswers(lambda new: "yes", always="yes")  # noqa: ARG005
    # Where the other is not settled, only what is there settles the question.
    words = {True: "yes", False: "no" if beside is False else None, None: None}
    if is_plain(old):
        exists = things.kind_exists
        return SlotAnswers(lambda new: words[exists(new)])

    def answer(new: ObjectDescription) -> str | None:
        if scene.has_stand_ins or scene.may_be_there(new.kind):
            return words[things.exists(replace(old, kind=new.kind, number=new.number))]
        return words[None if scene.may_be_unannotated(new.kind) else False]

    return SlotAnswers(answer)


def _holding(relation: str, fixed: ObjectDescription, things: SceneThings, *, is_subject: bool) -> Answer:
    """The answers of "Is the X Rel the Y?" for another X, or for another Y."""
    scene = things.scene
    others = scene.resolve(fixed)

    def answer(new: ObjectDescription) -> str | None:
        found = scene.resolve(new)
        if found is None or others is None:
            return None
        firsts, seconds = (found, others) if is_subject else (others, found)
        if len(firsts) == 1 and len(seconds) == 1:
            return _WORDS[scene.holds(firsts[0], relation, seconds[0])]
        verdicts = {scene.holds(first, relation, second) for first in firsts for second in seconds}
        return _WORDS[verdicts.pop()] if len(verdicts) == 1 else None

    return answer


def _of_related(
    asked: ObjectDescription, related: Related, old: ObjectDescription, things: SceneThings
) -> SlotAnswers | None:
    """The answers of "Is there an X Rel the Y?" and "Is the Y Rel an X?" for another X, or for another Y."""
    alone = replace(asked, relation=None)
    if not related.to.definite or things.scene.has_stand_ins:
        return None
    if old is related.to:
        answer, kind, other = _near_another(asked, alone, related, things), asked.kind, None
    elif is_plain(alone) and (old is asked or old == alone):
        answer, kind, other = _another_near(related, things), None, related.to.kind
    else:
        return None
    return SlotAnswers(answer, *((other, related.name, kind) if related.inverse else (kind, related.name, other)))


def _near_another(asked: ObjectDescription, alone: ObjectDescription, related: Related, things: SceneThings) -> Answer:
    scene, relation, inverse = things.scene, related.name, bool(related.inverse)
    may_be = scene.objects_for(alone)

    def answer(new: ObjectDescription) -> str | None:
        targets = scene.resolve(new)
        if targets is None:
            return None
        stand = [
            (thing, _both(sure, scene.stands(thing, relation, targets, inverse=inverse))) for thing, sure in may_be
        ]
        return _WORDS[scene.settle_existence(asked, stand)]

    return answer


def _another_near(related: Related, things: SceneThings) -> Answer:
    scene, relation, inverse = things.scene, related.name, bool(related.inverse)
    targets = scene.resolve(related.to)

    def answer(new: ObjectDescription) -> str | None:
        if targets is None:
            return None
        may_be = scene.objects_of_kind(new.kind)
        if not may_be:
            return None if scene.may_be_unannotated(new.kind) else "no"
        stand = [
            (thing, _both(sure, scene.stands(thing, relation, targets, inverse=inverse))) for thing, sure in may_be
        ]
        return _WORDS[scene.settle_existence(new, stand)]

    return answer


def _both(first: TruthValue, second: TruthValue) -> TruthValue:
    if first is False or second is False:
        return False
    return None if first is None or second is None else True
