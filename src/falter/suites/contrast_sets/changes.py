"""Which changes of a question turn its answer: another object, the opposite relation, another attribute."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice, zip_longest
from math import log
from operator import itemgetter
from typing import Any, NamedTuple

from msgspec.structs import replace

from falter.authoring.perturbing import (
    Atom,
    Change,
    DescribedSlot,
    described_slots,
    other_polarities,
    with_description,
)
from falter.authoring.scene_things import Reference, SceneThings
from falter.authoring.speakable import RelatedKinds, is_worn, near_in_meaning, related_kinds, sensible
from falter.english import Parse
from falter.english.question_reader import QuestionReader, plain_question
from falter.scene import And, Exists, ObjectDescription, Or, Query
from falter.suites.contrast_sets.differences import differing_atoms

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


_ORDER = itemgetter(0, 1)


class TurningChange(NamedTuple):
    """A change with the new answer, and how plausible it is: of several, the higher ones are taken first."""

    change: Change
    answer: str
    rank: float


_Proposal = tuple[float, str, Callable[[Any], Change | None], Any]
"""A change that may turn the answer: its rank with the sign turned, its name, how it is made, and of what.

It is made when its turn comes, the higher ranks first.
"""


def turning_changes(
    parse: Parse, gold: str, test: str, atoms: Sequence[Atom], things: SceneThings, most: int | None = None
) -> list[TurningChange]:
    """The changes of one atom after which the scene gives another answer, the most plausible ones first.

    ``most`` of each atom are looked for; None looks for all.
    """
    by_atom = [list(islice(_turning(atom, parse, gold, test, things), most)) for atom in atoms if atom in _PROPOSALS]
    if len(by_atom) == 1:
        return by_atom[0]
    # Atoms take turns, for their ranks are of different sorts.
    return [one for turn in zip_longest(*by_atom) for one in turn if one is not None]


def _turning(atom: Atom, parse: Parse, gold: str, test: str, things: SceneThings) -> Iterator[TurningChange]:
    found: set[Query] = set()
    for rank, _, make, new in sorted(_PROPOSALS[atom](parse, gold, test, things), key=_ORDER):
        change = make(new)
        if change is None:
            continue
        meaning = change.parse.meaning
        answer = things.answer(meaning)
        if answer is None or answer == gold or meaning in found:
            continue
        if atom != "object" or _makes_sense(change.parse, things):
            found.add(meaning)
            yield TurningChange(change, answer, -rank)


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


def _objects(parse: Parse, gold: str, test: str, things: SceneThings) -> list[_Proposal]:
    places = list(described_slots(parse))
    found: list[_Proposal] = []
    for place in places:
        others = [one.description for one in places if one is not place]
        if place.description.definite:
            _add_references(found, parse, test, place, others, things)
        else:
            _add_kinds(found, parse, gold, place, others, things)
    return found


def _add_references(
    found: list[_Proposal],
    parse: Parse,
    test: str,
    place: DescribedSlot,
    others: Sequence[ObjectDescription],
    things: SceneThings,
) -> None:
    """Propose another thing of the image in the place of a definite one."""
    old, ontology = place.description, things.ontology
    asked = () if test in _REFERENCES else _families_asked_for(parse, things)
    meeting = _meeting(old, others, things)
    make = partial(_with_reference, parse, place, things)
    for reference in _REFERENCES.get(test, _placed)(things):
        new = reference.description
        kind = new.kind
        if kind not in meeting and not (asked and _tells_answer(asked, new, things)):
            rank = near_in_meaning(old.kind, kind, ontology) - ontology.is_backdrop(kind)
            found.append((-rank, kind, make, new))


def _with_reference(parse: Parse, place: DescribedSlot, things: SceneThings, new: ObjectDescription) -> Change | None:
    old = place.description
    kept = replace(old, kind=new.kind, number=new.number)
    described = kept if kept != new and things.scene.resolve(kept) is not None else new
    if described.relation is not None and described.relation.to.kind == described.kind:
        described = new
    if place.depth > 0 and described is new and kept != new:
        return None
    return Change("object", with_description(parse, place, described), old, described, place.slot)


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


def _add_kinds(
    found: list[_Proposal],
    parse: Parse,
    gold: str,
    place: DescribedSlot,
    others: Sequence[ObjectDescription],
    things: SceneThings,
) -> None:
    """Propose another kind in the place of an indefinite one: one that is there, or that could be and is not."""
    old, ontology = place.description, things.ontology
    joined = [one.number for one in others if isinstance(parse.meaning, And | Or)]
    number = _number(old, joined, things)
    is_placed = any(ontology.relations[one.relation].relation_class == "spatial" for one in _known(parse, things))
    kinds = things.kinds_in(number)
    if joined:
        kinds = [one for one in kinds if _goes_with(one.number, joined)]
    meeting = _meeting(old, others, things)
    beside = [things.together_with(one.kind) for one in others if one.kind in ontology.kinds]
    make = partial(_with_kind, parse, place, things)
    for new in _that_may_turn(kinds, parse.meaning, gold, place, things):
        kind = new.kind
        if kind in meeting or (is_placed and is_worn(kind, ontology)):
            continue
        together = sum([one[kind] for one in beside]) / len(beside) if beside else 0.0
        found.append((-(things.fit(kind) + together), kind, make, new))


def _that_may_turn(
    kinds: Sequence[ObjectDescription], meaning: Query, gold: str, place: DescribedSlot, things: SceneThings
) -> Sequence[ObjectDescription]:
    """The kinds without those that certainly leave the answer as it is, before any question is made of them."""
    old = place.description
    match meaning:
        case Exists(of=asked) if asked.kind == old.kind and place.depth == 0 and gold == "no":
            return [one for one in kinds if one.kind not in things.absent_kinds]
        case Or(of=(Exists(of=first), Exists(of=second))) if (first.kind == old.kind) != (second.kind == old.kind):
            if gold == "no":
                return [one for one in kinds if one.kind not in things.absent_kinds]
            if things.exists(second if first.kind == old.kind else first):
                return ()
    return kinds


def _known(parse: Parse, things: SceneThings) -> list[RelatedKinds]:
    return [one for one in related_kinds(parse.meaning) if one.relation in things.ontology.relations]


def _with_kind(parse: Parse, place: DescribedSlot, things: SceneThings, bare: ObjectDescription) -> Change | None:
    old = place.description
    said = (*old.attributes, *(old.without or ()))
    if said and not all(things.ontology.is_natural(value, bare.kind) for value in said):
        return None
    new = replace(old, kind=bare.kind, number=bare.number)
    return Change("object", with_description(parse, place, new), old, new, place.slot)


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


def _meeting(old: ObjectDescription, others: Sequence[ObjectDescription], things: SceneThings) -> frozenset[str]:
    """The kinds that are wider or narrower than what is replaced, or than another of the question, or may be it."""
    ontology = things.ontology
    met = [ontology.kinds_meeting(one.kind) for one in (old, *others) if one.kind in ontology.kinds]
    return met[0].union(*met[1:]) if met else frozenset()


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


def _relations(parse: Parse, gold: str, test: str, things: SceneThings) -> Iterator[_Proposal]:  # noqa: ARG001
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
    return -rank, change.names[1], _itself, change


def _itself(change: Change) -> Change:
    return change


def _attributes(parse: Parse, gold: str, test: str, things: SceneThings) -> Iterator[_Proposal]:  # noqa: ARG001
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


_PROPOSALS: dict[Atom, Callable[[Parse, str, str, SceneThings], Iterable[_Proposal]]] = {
    "object": _objects,
    "attribute": _attributes,
    "relation": _relations,
}
"""How each atom is changed in its slot; a connective and a quantifier change with the words around them."""
