"""Which nouns may take the place of one in a question, those first that people would ask about.

A proposal may turn the answer; a turning change does. A changed question is built when somebody wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from msgspec.structs import replace

from falter.generation.askable.doings import RelatedKinds, related_kinds, sensible
from falter.generation.askable.likeness import nearness_to
from falter.generation.askable.naming import is_worn
from falter.generation.askable.scene_things import Reference, SceneThings
from falter.generation.authoring.perturbing import (
    Change,
    DescribedSlot,
    SlotAnswers,
    described_slots,
    is_plain,
    slot_answers,
    with_description,
)
from falter.generation.english import Parse
from falter.generation.scene import And, AttributeOf, Exists, ObjectDescription, Or, Query, SideOf
from falter.generation.scene.ontology_protocol import TruthValue

UNKNOWN = ""
"""The answer of a proposal whose query has to be evaluated."""

Proposal = tuple[float, str, Callable[[Any], Change | None], Any, str]
"""A change that may turn the answer: its rank with the sign turned, its name, how it is made, of what, and the answer.

Its turn comes by rank, the higher ones first.
"""

IN_ORDER = itemgetter(0, 1)


class TurningChange:
    """A change with the new answer, and how plausible it is: of several, the higher ones are taken first."""

    __slots__ = ("_change", "_make", "_new", "answer", "rank")

    def __init__(self, make: Callable[[Any], Change | None], new: Any, answer: str, rank: float) -> None:
        self.answer = answer
        self.rank = rank
        self._make = make
        self._new = new
        self._change: Change | None = None

    @property
    def change(self) -> Change:
        """The changed question."""
        if self._change is None:
            self._change = self._make(self._new)
            assert self._change is not None  # what cannot be made turns no answer
        return self._change


def itself(change: Change) -> Change:
    """A change that is made already."""
    return change


_PEOPLE = ("person", "man", "woman", "boy", "girl")


def object_proposals(parse: Parse, gold: str, test: str, things: SceneThings) -> list[Proposal]:
    """Every noun of a question replaced by others of the image, or by kinds that are there or could be."""
    places = list(described_slots(parse))
    found: list[Proposal] = []
    for place in places:
        others = [one.description for one in places if one is not place]
        if place.description.definite:
            _add_references(found, parse, gold, test, place, others, things)
        else:
            _add_kinds(found, parse, gold, place, others, things)
    return found


def _add_references(
    found: list[Proposal],
    parse: Parse,
    gold: str,
    test: str,
    place: DescribedSlot,
    others: Sequence[ObjectDescription],
    things: SceneThings,
) -> None:
    """Propose another thing of the image in the place of a definite one."""
    old = place.description
    meeting = _meeting(old, others, things)
    make = partial(_with_reference, parse, place, things)
    nearness = nearness_to(old.kind, things.ontology)
    known = _all_answers(parse.meaning, old, things)
    if known is not None:
        # The first kinds are those that what is replaced may be; there are more where the question names more.
        first, *more = meeting or ((),)
        is_bare = is_plain(old)
        found += [
            (-nearness[kind], kind, make, new, answer)
            for kind, new, answer in known
            if answer != gold
            and kind not in first
            and not (more and _is_among(kind, more))
            and (is_bare or _is_named_alone(new))
        ]
        if not is_bare:
            # The words that are kept may pick out another thing.
            found += [
                (-nearness[new.kind], new.kind, make, new, UNKNOWN)
                for _, new in _REFERENCES[test](things)
                if not _is_named_alone(new) and not _is_among(new.kind, meeting)
            ]
        return
    answers = _answers(parse, place, others, things)
    if answers is None:
        asked = () if test in _REFERENCES else _families_asked_for(parse, things)
        for reference in _REFERENCES.get(test, _placed)(things):
            new = reference.description
            if not _is_among(new.kind, meeting) and not (asked and _tells_answer(asked, new, things)):
                found.append((-nearness[new.kind], new.kind, make, new, UNKNOWN))
        return
    is_bare = is_plain(old) and place.depth == 0
    for reference in _REFERENCES.get(test, _placed)(things):
        new = reference.description
        kind = new.kind
        if _is_among(kind, meeting):
            continue
        picks = is_bare or _picks_the_same(reference, place, things)
        if picks is None:
            found.append((-nearness[kind], kind, make, new, UNKNOWN))
        elif picks:
            answer = answers.answer(new)
            if answer is not None and answer != gold and _relates_well(answers, kind, answer, things):
                found.append((-nearness[kind], kind, make, new, answer))


def _all_answers(
    meaning: Query, old: ObjectDescription, things: SceneThings
) -> Sequence[tuple[str, ObjectDescription, str]] | None:
    """Everything that has a side, or a color, with the answer, where a thing without relations is asked for it."""
    match meaning:
        case SideOf(of=asked, axis="horizontal") if asked is old and _says_what_it_is(old, things):
            return things.sides
        case AttributeOf(of=asked, families=("color",)) if asked is old and _says_what_it_is(old, things):
            return things.colors
    return None


def _says_what_it_is(old: ObjectDescription, things: SceneThings) -> bool:
    """Whether the words for a thing say no more than its kind and attributes, and nothing stands for another."""
    return is_plain(old) or (old.relation is None and not things.scene.has_stand_ins)


def _is_named_alone(new: ObjectDescription) -> bool:
    """Whether a thing is picked out by the name of its kind, whatever else is said of it."""
    return not new.attributes and new.number != "plural"


def _picks_the_same(reference: Reference, place: DescribedSlot, things: SceneThings) -> TruthValue:
    """Whether the words of a question, with a new noun in them, pick out the thing that the new words alone do.

    None where that has to be looked up; false where no such words are a question.
    """
    old, new, is_inner = place.description, reference.description, place.depth > 0
    if is_plain(old):
        return not (is_inner and new.attributes)
    if new.attributes or new.number == "plural" or things.scene.has_stand_ins or (is_inner and old.relation):
        return None
    if is_inner:
        return things.scene.fits_besides(reference.thing, old) is True
    # What is said besides is kept where it is true of the new thing, else left out.
    return True if old.relation is None or not things.scene.fits_besides(reference.thing, old) else None


def _answers(
    parse: Parse, place: DescribedSlot, others: Sequence[ObjectDescription], things: SceneThings
) -> SlotAnswers | None:
    """The answers for what may take a place, where all that the question relates besides could be related so."""
    answers = slot_answers(parse, place, things)
    if answers is None:
        return None
    for one in others:
        inner = one.relation
        if inner is not None and inner.to is not place.description and inner.name in things.ontology.relations:
            pair = (inner.to.kind, one.kind) if inner.inverse else (one.kind, inner.to.kind)
            if not sensible(pair[0], inner.name, pair[1], things.ontology):
                return None
    return answers


def _relates_well(answers: SlotAnswers, kind: str, answer: str, things: SceneThings) -> bool:
    """Whether what the question relates, with a new kind in it, could be related so."""
    if answers.relation is None or answers.relation not in things.ontology.relations:
        return True
    related = RelatedKinds(answers.subject or kind, answers.relation, answers.target or kind)
    return sensible(*related, things.ontology) and _is_done(related, things, is_so=answer == "yes")


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
    found: list[Proposal],
    parse: Parse,
    gold: str,
    place: DescribedSlot,
    others: Sequence[ObjectDescription],
    things: SceneThings,
) -> None:
    """Propose another kind in the place of an indefinite one: one that is there, or that could be and is not."""
    old, ontology = place.description, things.ontology
    answers = _answers(parse, place, others, things)
    if answers is not None and answers.always == gold:
        return
    joined = [one.number for one in others] if isinstance(parse.meaning, And | Or) else []
    number = _number(old, joined, things)
    is_placed = any(ontology.relations[one.relation].relation_class == "spatial" for one in _known(parse, things))
    kinds = _that_may_turn(number, parse.meaning, gold, place, things)
    if joined:
        fitting = {one for one in ("singular", "plural", "mass") if _goes_with(one, joined)}
        kinds = [one for one in kinds if one.number in fitting]
    meeting = _meeting(old, others, things)
    beside = [things.together_with(one.kind) for one in others if one.kind in ontology.kinds]
    make = partial(_with_kind, parse, place)
    said = (*old.attributes, *(old.without or ()))
    for new in kinds:
        kind = new.kind
        if _is_among(kind, meeting) or (is_placed and is_worn(kind, ontology)):
            continue
        if said and not all(ontology.is_natural(value, kind) for value in said):
            continue
        answer = UNKNOWN
        if answers is not None:
            answered = answers.answer(new)
            if answered is None or answered == gold or not _relates_well(answers, kind, answered, things):
                continue
            answer = answered
        together = sum([one[kind] for one in beside]) / len(beside) if beside else 0.0
        found.append((-(things.fit(kind) + together), kind, make, new, answer))


def _that_may_turn(
    number: str, meaning: Query, gold: str, place: DescribedSlot, things: SceneThings
) -> Sequence[ObjectDescription]:
    """The kinds without those that certainly leave the answer as it is, before any question is made of them."""
    old = place.description
    match meaning:
        case Exists(of=asked) if asked.kind == old.kind and place.depth == 0 and gold == "no":
            return things.present_in(number)
        case Or(of=(Exists(of=first), Exists(of=second))) if (first.kind == old.kind) != (second.kind == old.kind):
            if gold == "no":
                return things.present_in(number)
            if things.exists(second if first.kind == old.kind else first):
                return ()
    return things.kinds_in(number)


def _known(parse: Parse, things: SceneThings) -> list[RelatedKinds]:
    return [one for one in related_kinds(parse.meaning) if one.relation in things.ontology.relations]


def _with_kind(parse: Parse, place: DescribedSlot, bare: ObjectDescription) -> Change:
    old = place.description
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


def _meeting(
    old: ObjectDescription, others: Sequence[ObjectDescription], things: SceneThings
) -> Sequence[Collection[str]]:
    """The kinds that are wider or narrower than what is replaced, or than another of the question, or may be it."""
    ontology = things.ontology
    return [ontology.kinds_meeting(one.kind) for one in (old, *others) if one.kind in ontology.kinds]


def _is_among(kind: str, sets: Sequence[Collection[str]]) -> bool:
    for one in sets:  # noqa: SIM110 - a loop, for it is run for every kind that is looked at
        if kind in one:
            return True
    return False


def makes_sense(changed: Parse, things: SceneThings) -> bool:
    """Whether all that the question relates could be related so."""
    ontology = things.ontology
    for related in _known(changed, things):
        is_so = things.answer(changed.meaning) == "yes"
        if not sensible(*related, ontology) or not _is_done(related, things, is_so=is_so):
            return False
    for place in described_slots(changed):
        inner = place.description.relation
        if inner is None:
            continue
        pair = (inner.to.kind, place.description.kind) if inner.inverse else (place.description.kind, inner.to.kind)
        if inner.name in ontology.relations and not sensible(pair[0], inner.name, pair[1], ontology):
            return False
    return True


def _is_done(related: RelatedKinds, things: SceneThings, *, is_so: bool) -> bool:
    """Whether people do with such things what is asked: they wear hats, and no skateboards."""
    ontology, (subject, relation, target) = things.ontology, related
    if ontology.relations[relation].relation_class == "spatial" or is_so:
        return True
    doers = [subject, *(_PEOPLE if ontology.is_a(subject, "person") else ())]
    return any(things.plausibility.times_related(one, relation, target) for one in doers if one in ontology.kinds)
