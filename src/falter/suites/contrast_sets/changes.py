"""Which changes of a question turn its answer: another object, the opposite relation, another attribute.

Of a question that no template reads, but whose program says what it asks, only a noun is replaced, or left by right:
words that stand once in the text, and that the program names. What the text says besides is not understood, so nothing
else of it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from math import log
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from falter.generation.askable import rules
from falter.generation.askable.likeness import near_in_meaning
from falter.generation.askable.scene_things import SceneThings
from falter.generation.authoring.perturbing import Atom, Change, described_slots, other_polarities, with_description
from falter.generation.english import Parse
from falter.generation.english.question_reader import QuestionReader, plain_question
from falter.generation.english.sentence_editing import SentenceEditor
from falter.generation.scene import Exists, ObjectDescription, Query, Related, RelationHolds
from falter.generation.scene.query import descriptions_of
from falter.suites.contrast_sets.object_changes import (
    IN_ORDER,
    UNKNOWN,
    Proposal,
    TurningChange,
    itself,
    makes_sense,
    object_proposals,
)
from falter.suites.contrast_sets.question_tests import differing_atoms

OPPOSITES = {one: other for pair in rules.groups("opposites").values() for one, other in (pair, pair[::-1])}
"""Relations with their opposites."""


def turning_changes(
    parse: Parse, gold: str, test: str, atoms: Sequence[Atom], things: SceneThings, most: int | None = None
) -> list[TurningChange]:
    """The changes of one atom after which the scene gives another answer, the most plausible ones first.

    ``most`` of each atom are looked for; None looks for all.
    """
    by_atom = [_turning(atom, parse, gold, test, things, most) for atom in atoms if atom in _PROPOSALS]
    if len(by_atom) == 1:
        return by_atom[0]
    # Atoms take turns, for their ranks are of different sorts.
    return [one for turn in zip_longest(*by_atom) for one in turn if one is not None]


def _turning(
    atom: Atom, parse: Parse, gold: str, test: str, things: SceneThings, most: int | None
) -> list[TurningChange]:
    meanings: set[Query] = set()
    found: list[TurningChange] = []
    proposals = list(_PROPOSALS[atom](parse, gold, test, things))
    if len(proposals) > 1:
        proposals.sort(key=IN_ORDER)
    for rank, _, make, new, answer in proposals:
        if len(found) == most:
            break
        if answer != UNKNOWN:
            found.append(TurningChange(make, new, answer, -rank))
            continue
        change = make(new)
        if change is None:
            continue
        meaning = change.parse.meaning
        evaluated = things.answer(meaning)
        if evaluated is None or evaluated == gold or meaning in meanings:
            continue
        if atom != "object" or makes_sense(change.parse, things):
            meanings.add(meaning)
            found.append(TurningChange(itself, change, evaluated, -rank))
    return found


def polarity_changes(
    question: str, parse: Parse, gold: str, atoms: Sequence[Atom], things: SceneThings, reader: QuestionReader
) -> list[TurningChange]:
    """The changes of a connective or a quantifier after which the scene gives another answer."""
    found: list[TurningChange] = []
    for atom, before, after, text in other_polarities(plain_question(question)):
        read = reader.read(text) if atom in atoms else None
        if read is None or differing_atoms(parse.meaning, read.meaning) != (atom,):
            continue
        answer = things.answer(read.meaning)
        if answer is not None and answer != gold:
            found.append(TurningChange(itself, Change(atom, read, before, after, text=text), answer, 0.0))
    return found


def _relations(parse: Parse, gold: str, test: str, things: SceneThings) -> Iterator[Proposal]:  # noqa: ARG001
    relation = parse.slots.get("r")
    if isinstance(relation, str):
        opposite = OPPOSITES.get(relation)
        if opposite is not None:
            answer = _answer_of_opposite(parse.meaning, relation, opposite, things)
            if answer is not None and answer != gold:
                yield -0.0, opposite, partial(_with_relation, parse, relation), opposite, answer
        return
    for place in described_slots(parse):
        related = place.description.relation
        opposite = None if related is None else OPPOSITES.get(related.name)
        if related is not None and opposite is not None:
            new = replace(place.description, relation=replace(related, name=opposite))
            changed = with_description(parse, place, new)
            yield _made(Change("relation", changed, related.name, opposite, place.slot))


def _with_relation(parse: Parse, relation: str, opposite: str) -> Change:
    return Change("relation", parse.change(r=opposite), relation, opposite, "r")


def _answer_of_opposite(meaning: Query, relation: str, opposite: str, things: SceneThings) -> str | None:
    """The answer with the opposite relation; the question itself is built when it is wanted."""
    match meaning:
        case RelationHolds(of=one, relation=name, to=other) if name == relation:
            changed: Query = RelationHolds(one, opposite, other)
        case Exists(of=asked) if asked.relation is not None and asked.relation.name == relation:
            changed = Exists(replace(asked, relation=replace(asked.relation, name=opposite)))
        case _:
            return UNKNOWN
    return changed.answer(things.scene)


def _made(change: Change, rank: float = 0.0) -> Proposal:
    return -rank, change.names[1], itself, change, UNKNOWN


def _attributes(parse: Parse, gold: str, test: str, things: SceneThings) -> Iterator[Proposal]:  # noqa: ARG001
    """Another value of the same family, said of a thing that is asked about or that is described by it."""
    values = parse.slots.get("v")
    described = parse.slots.get("x")
    if isinstance(values, tuple) and isinstance(described, ObjectDescription):
        for place, value in enumerate(values):
            for other, rank in _other_values(value, described.kind, things):
                changed = (*values[:place], other, *values[place + 1 :])
                yield _made(Change("attribute", parse.change(v=changed), value, other, "v"), rank)
    for slot in described_slots(parse):
        one = slot.description
        if test == "color" or one.kind not in things.ontology.kinds:
            continue
        for place, value in enumerate(one.attributes):
            for other, rank in _other_values(value, one.kind, things):
                if things.ontology.is_natural(other, one.kind):
                    changed = (*one.attributes[:place], other, *one.attributes[place + 1 :])
                    new = replace(one, attributes=changed)
                    yield _made(Change("attribute", with_description(parse, slot, new), one, new, slot.slot), rank)


def _other_values(value: str, kind: str, things: SceneThings) -> Iterator[tuple[str, float]]:
    """Values that a kind is said to have instead of one, with how often it is said."""
    ontology, plausibility = things.ontology, things.plausibility
    if kind not in ontology.kinds:
        return
    here = {one for thing in things.scene.objects for one in thing.attributes}
    for family in ontology.attributes.families_by_value.get(value, ()):
        for other in ontology.families[family].values:
            if other == value or not ontology.exclude_attributes(value, other) or not ontology.applies_to(other, kind):
                continue
            said = plausibility.times_said(kind, other)
            if said or other in here:
                yield other, log(1 + said) + 2 * (other in here)


_PROPOSALS: dict[Atom, Callable[[Parse, str, str, SceneThings], Iterable[Proposal]]] = {
    "object": object_proposals,
    "attribute": _attributes,
    "relation": _relations,
}
"""How each atom is changed in its slot; a connective and a quantifier change with the words around them."""


_OTHER_SIDE = {"left": "right", "right": "left"}
T = TypeVar("T")


class ProgramChange(NamedTuple):
    """A changed text, what it asks, and the scene's answer."""

    text: str
    query: Query
    answer: str
    atom: Atom
    before: str
    after: str


def program_changes(
    text: str, query: Query, gold: str, atoms: tuple[Atom, ...], things: SceneThings, editor: SentenceEditor
) -> Iterator[ProgramChange]:
    """The changes of one atom after which the scene gives another answer, the nearest in meaning first."""
    proposed = [*(_other_nouns(text, query, things, editor) if "object" in atoms else ())]
    proposed += [*(_other_sides(text, query, editor) if "relation" in atoms else ())]
    for changed, other, atom, before, after in proposed:
        answer = things.answer(other)
        if answer is not None and answer != gold and differing_atoms(query, other) == (atom,):
            yield ProgramChange(changed, other, answer, atom, before, after)


ProposedText = tuple[str, Query, Atom, str, str]


def _other_nouns(text: str, query: Query, things: SceneThings, editor: SentenceEditor) -> Iterator[ProposedText]:
    ontology = things.ontology
    described = [one for one in dict.fromkeys(descriptions_of(query)) if one.kind in ontology.kinds]
    for old in described:
        said = _as_said(text, old, editor)
        if said is None:
            continue
        others = [one.kind for one in described]
        there = [one.description for one in things.visible] if old.definite else things.present
        kinds = {one.kind for one in there}.union(() if old.definite else things.absent)
        apart = [kind for kind in kinds if all(ontology.are_disjoint(kind, other) for other in others)]
        for kind in sorted(apart, key=lambda kind: (-near_in_meaning(old.kind, kind, ontology), kind)):
            number = things.in_number(kind, said.number).number
            changed = editor.replace_noun(text, said, replace(said, kind=kind, number=number))
            if changed is not None:
                new = replace(old, kind=kind, number=number)
                yield changed, _with_replaced(query, old, new), "object", old.kind, kind


def _as_said(text: str, old: ObjectDescription, editor: SentenceEditor) -> ObjectDescription | None:
    """The description in the number in which the text has its noun; None where it stands there never or twice."""
    found = [one for number in ("singular", "plural", "mass") if editor.names(text, one := replace(old, number=number))]
    if old in found:
        return old
    return found[0] if len(found) == 1 else None


def _other_sides(text: str, query: Query, editor: SentenceEditor) -> Iterator[ProposedText]:
    names = {name for name in _relations_of(query) for side in _OTHER_SIDE if name == f"to the {side} of"}
    if len(names) != 1:
        return
    (name,) = names
    side = "left" if "left" in name else "right"
    opposite = name.replace(side, _OTHER_SIDE[side])
    changed = editor.replace_words(text, side, _OTHER_SIDE[side])
    if changed is not None and _OTHER_SIDE[side] not in text.lower().split():
        yield changed, _with_replaced(query, name, opposite), "relation", name, opposite


def _relations_of(part: object) -> Iterator[str]:
    if isinstance(part, Related):
        yield part.name
    if isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            value = getattr(part, name)
            if name == "relation" and isinstance(value, str):
                yield value
            else:
                yield from _relations_of(value)
    elif isinstance(part, tuple):
        for one in part:
            yield from _relations_of(one)


def _with_replaced(part: T, old: object, new: object) -> T:
    """A query with one part replaced wherever it stands."""
    if part == old and type(part) is type(old):
        return new  # type: ignore[return-value]
    if isinstance(part, msgspec.Struct):
        fields = {name: _with_replaced(getattr(part, name), old, new) for name in part.__struct_fields__}
        return replace(part, **fields)
    if isinstance(part, tuple):
        return tuple(_with_replaced(one, old, new) for one in part)  # type: ignore[return-value]
    return part
