"""Which changes of a question turn its answer: another object, the opposite relation, another attribute."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import islice, zip_longest
from math import log
from typing import NamedTuple

from msgspec.structs import replace

from falter.authoring.perturbing import (
    Atom,
    Change,
    DescribedSlot,
    described_slots,
    other_polarities,
    with_description,
)
from falter.english import Parse
from falter.english.question_reader import QuestionReader, plain_question
from falter.scene import And, ObjectDescription, Or, Query
from falter.suites.contrast_sets.differences import differing_atoms
from falter.suites.contrast_sets.scene_things import Reference, SceneThings
from falter.suites.contrast_sets.speakable import RelatedKinds, is_worn, near_in_meaning, related_kinds, sensible

__all__ = ["OPPOSITES", "TurningChange", "polarity_changes", "turning_changes"]

OPPOSITES = {
    "to the left of": "to the right of",
    "to the right of": "to the left of",
    "in front of": "behind",
    "behind": "in front of",
    "above": "below",
    "below": "above",
}
"""Relations with their opposites."""
_PEOPLE = ("person", "man", "woman", "boy", "girl")


class TurningChange(NamedTuple):
    """A change with the new answer, and how plausible it is: of several, the higher ones are taken first."""

    change: Change
    answer: str
    rank: float


class _Proposal(NamedTuple):
    """A change that may turn the answer: it is made when its turn comes, the higher ranks first."""

    rank: float
    name: str
    make: Callable[[], Change | None]


def turning_changes(
    parse: Parse, gold: str, test: str, atoms: Sequence[Atom], things: SceneThings, most: int | None = None
) -> list[TurningChange]:
    """The changes of one atom after which the scene gives another answer, the most plausible ones first.

    ``most`` of each atom are looked for; None looks for all.
    """
    by_atom = [list(islice(_turning(atom, parse, gold, test, things), most)) for atom in atoms if atom in _PROPOSALS]
    # Atoms take turns, for their ranks are of different sorts.
    return [one for turn in zip_longest(*by_atom) for one in turn if one is not None]


def _turning(atom: Atom, parse: Parse, gold: str, test: str, things: SceneThings) -> Iterator[TurningChange]:
    proposals = sorted(_PROPOSALS[atom](parse, test, things), key=lambda one: (-one.rank, one.name))
    found: set[Query] = set()
    for proposal in proposals:
        change = proposal.make()
        if change is None or change.parse.meaning in found:
            continue
        answer = things.answer(change.parse.meaning)
        if answer is not None and answer != gold:
            found.add(change.parse.meaning)
            yield TurningChange(change, answer, proposal.rank)


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
            found.append(TurningChange(Change(atom, read, before, after, text=text), answer, 0.0))
    return found


def _objects(parse: Parse, test: str, things: SceneThings) -> Iterator[_Proposal]:
    places = list(described_slots(parse))
    for place in places:
        others = [one.description for one in places if one is not place]
        if place.description.definite:
            yield from _other_references(parse, test, place, others, things)
        else:
            yield from _other_kinds(parse, place, others, things)


def _other_references(
    parse: Parse, test: str, place: DescribedSlot, others: Sequence[ObjectDescription], things: SceneThings
) -> Iterator[_Proposal]:
    """Another thing of the image in the place of a definite one."""
    old, ontology = place.description, things.ontology
    asked = () if test in _REFERENCES else _families_asked_for(parse, things)
    for reference in _REFERENCES.get(test, _placed)(things):
        new = reference.description
        if _is_apart(new.kind, old, others, things) and not (asked and _tells_answer(asked, new, things)):
            rank = near_in_meaning(old.kind, new.kind, ontology) - ontology.is_backdrop(new.kind)
            yield _Proposal(rank, new.kind, partial(_with_reference, parse, place, new, things))


def _with_reference(parse: Parse, place: DescribedSlot, new: ObjectDescription, things: SceneThings) -> Change | None:
    old = place.description
    kept = replace(old, kind=new.kind, number=new.number)
    described = kept if kept != new and things.scene.resolve(kept) is not None else new
    if described.relation is not None and described.relation.to.kind == described.kind:
        described = new
    if place.depth > 0 and described is new and kept != new:
        return None
    changed = with_description(parse, place, described)
    return Change("object", changed, old, described, place.slot) if _makes_sense(changed, things) else None


def _families_asked_for(parse: Parse, things: SceneThings) -> frozenset[str]:
    """The families of the attributes that a question asks about."""
    by_value = things.ontology.attributes.families_by_value
    asked = (values for slot in ("v", "c") if isinstance(values := parse.slots.get(slot), tuple))
    return frozenset(family for values in asked for value in values for family in by_value.get(value, ()))


def _tells_answer(asked: Collection[str], new: ObjectDescription, things: SceneThings) -> bool:
    """Whether the words for a thing tell what is asked of it, or nothing of the sort can be asked of it."""
    by_value = things.ontology.attributes.families_by_value
    if not any(things.ontology.family_applies_to(family, new.kind) for family in asked):
        return True
    return any(family in asked for value in new.attributes for family in by_value.get(value, ()))


def _placed(things: SceneThings) -> tuple[Reference, ...]:
    return things.placed


_REFERENCES: dict[str, Callable[[SceneThings], tuple[Reference, ...]]] = {
    "color": lambda things: things.colored,
    "side": lambda things: things.visible,
}
"""What may be named instead of a thing; in other tests, what has a place of its own."""


def _other_kinds(
    parse: Parse, place: DescribedSlot, others: Sequence[ObjectDescription], things: SceneThings
) -> Iterator[_Proposal]:
    """Another kind in the place of an indefinite one: one that is there, or that could be and is not."""
    old, ontology, together_of = place.description, things.ontology, things.together
    joined = [one.number for one in others if isinstance(parse.meaning, And | Or)]
    number = _number(old, joined, things)
    beside = [one.kind for one in others if one.kind in ontology.kinds]
    is_placed = any(ontology.relations[one.relation].relation_class == "spatial" for one in _known(parse, things))
    for kind in things.askable:
        if not _is_apart(kind, old, others, things) or (is_placed and is_worn(kind, ontology)):
            continue
        if not _goes_with(things.in_number(kind, number).number, joined):
            continue
        together = sum([together_of(kind, one) for one in beside]) / len(beside) if beside else 0.0
        yield _Proposal(things.fit(kind) + together, kind, partial(_with_kind, parse, place, kind, number, things))


def _known(parse: Parse, things: SceneThings) -> list[RelatedKinds]:
    return [one for one in related_kinds(parse.meaning) if one.relation in things.ontology.relations]


def _with_kind(parse: Parse, place: DescribedSlot, kind: str, number: str, things: SceneThings) -> Change | None:
    old = place.description
    said = (*old.attributes, *(old.without or ()))
    if said and not all(things.ontology.is_natural(value, kind) for value in said):
        return None
    bare = things.in_number(kind, number)
    new = replace(old, kind=kind, number=bare.number)
    changed = with_description(parse, place, new)
    return Change("object", changed, old, new, place.slot) if _makes_sense(changed, things) else None


def _number(one: ObjectDescription, joined: Sequence[str], things: SceneThings) -> str:
    """The number in which another noun takes the place of one; pants are plural, but a single thing.

    ``joined`` are the numbers of the nouns that "or" or "and" joins it with: "any boxes or pants", "any boxes or hats".
    """
    record = things.ontology.kinds.get(one.kind)
    if record is None or record.number == "count":
        return one.number
    return next((number for number in joined if number != "mass"), "singular")


def _goes_with(number: str, joined: Sequence[str]) -> bool:
    """Whether a noun can be joined with others: not in "a cloud or pants", "boxes or a banana", "rice or knives"."""
    return all(one == number or {one, number} == {"mass", "singular"} for one in joined)


def _is_apart(kind: str, old: ObjectDescription, others: Sequence[ObjectDescription], things: SceneThings) -> bool:
    """Whether a kind is neither wider nor narrower than what it replaces, nor than another of the question."""
    disjoint, known = things.ontology.are_disjoint, things.ontology.kinds
    return all(one.kind not in known or disjoint(one.kind, kind) for one in (old, *others))


def _makes_sense(changed: Parse, things: SceneThings) -> bool:
    """Whether all that the question relates could be related so."""
    ontology = things.ontology
    for related in _known(changed, things):
        if not sensible(*related, ontology) or not _is_done(related, changed, things):
            return False
    for place in described_slots(changed):
        inner = place.description.relation
        if inner is None:
            continue
        pair = (inner.to.kind, place.description.kind) if inner.inverse else (place.description.kind, inner.to.kind)
        if inner.name in ontology.relations and not sensible(pair[0], inner.name, pair[1], ontology):
            return False
    return True


def _is_done(related: RelatedKinds, changed: Parse, things: SceneThings) -> bool:
    """Whether people do with such things what is asked: they wear hats, and no skateboards."""
    ontology, (subject, relation, target) = things.ontology, related
    if ontology.relations[relation].relation_class == "spatial" or things.answer(changed.meaning) == "yes":
        return True
    doers = [subject, *(_PEOPLE if ontology.is_a(subject, "person") else ())]
    return any(things.plausibility.times_related(one, relation, target) for one in doers if one in ontology.kinds)


def _relations(parse: Parse, test: str, things: SceneThings) -> Iterator[_Proposal]:  # noqa: ARG001
    relation = parse.slots.get("r")
    if isinstance(relation, str):
        opposite = OPPOSITES.get(relation)
        if opposite is not None:
            yield _made(Change("relation", parse.change(r=opposite), relation, opposite, "r"))
        return
    for place in described_slots(parse):
        related = place.description.relation
        opposite = None if related is None else OPPOSITES.get(related.name)
        if related is not None and opposite is not None:
            new = replace(place.description, relation=replace(related, name=opposite))
            changed = with_description(parse, place, new)
            yield _made(Change("relation", changed, related.name, opposite, place.slot))


def _made(change: Change, rank: float = 0.0) -> _Proposal:
    return _Proposal(rank, change.names[1], lambda: change)


def _attributes(parse: Parse, test: str, things: SceneThings) -> Iterator[_Proposal]:
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


_PROPOSALS: dict[Atom, Callable[[Parse, str, SceneThings], Iterator[_Proposal]]] = {
    "object": _objects,
    "attribute": _attributes,
    "relation": _relations,
}
"""How each atom is changed in its slot; a connective and a quantifier change with the words around them."""
