"""Which of several kinds, values or activities is the right one?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import islice
from random import Random
from typing import NamedTuple

from falter.generation.askable import rules
from falter.generation.askable.naming import is_nameable
from falter.generation.english import Ontology
from falter.generation.english.open_slots import SlotValue
from falter.generation.scene import ObjectDescription, SceneObject
from falter.suites.carets.questions.attribute_verification import named_otherwise
from falter.suites.carets.questions.draws import sample
from falter.suites.carets.questions.protocol import NO_ATTRIBUTE, Cells, ChoiceCandidate, SceneInputs
from falter.suites.carets.questions.referring_expressions import plain

Excludes = Callable[[str, str], bool]

_KEPT = 12
_REFERENCES = 2
_OTHERS = 8
_TELLING = 4
_SINGLE_THINGS = rules.group("single-things")
_ACTIONS = ("action", "pose", "sport")
_TO_SOMETHING = rules.group("to-something")


def _exclusive(right: str, pool: Iterable[str], excludes: Excludes) -> tuple[str, ...]:
    """Others that exclude the right one and each other."""
    chosen: list[str] = []
    for other in pool:
        if other == right or not excludes(other, right):
            continue
        for one in chosen:
            if not excludes(other, one):
                break
        else:
            chosen.append(other)
            if len(chosen) == _OTHERS:
                break
    return tuple(chosen)


def _words_of(reference: ObjectDescription) -> tuple[str, ...]:
    """What a blind reader sees of the thing beside the choices."""
    words = (reference.kind, *reference.attributes)
    if reference.relation is None:
        return ("", *words)
    return ("", *words, reference.relation.name, f"to {reference.relation.to.kind}")


@lru_cache(maxsize=65536)
def _beside(words: tuple[str, ...], choice: str) -> tuple[str, ...]:
    """A choice beside each of the words, as features."""
    return tuple([f"{word}|{choice}" for word in words])


class _Question(NamedTuple):
    """A thing, what is right of it, and what else it might be or have."""

    slots: dict[str, SlotValue]
    right: str
    others: tuple[str, ...]
    group: str
    seen: dict[str, tuple[str, ...]]

    @classmethod
    def of(
        cls,
        reference: ObjectDescription,
        right: str,
        others: tuple[str, ...],
        group: str,
        usual: Callable[[str], tuple[str, ...]],
        **slots: SlotValue,
    ) -> _Question:
        words = _words_of(reference)
        seen = {choice: (*_beside(words, choice), *usual(choice) * _TELLING) for choice in (right, *others)}
        return cls({"x": reference, **slots}, right, others, group, seen)

    def with_choices(self, many: int) -> ChoiceCandidate:
        facets = {"choices": str(many), "class": self.group}
        balance_keys = (f"class {self.group}", f"answer {self.right}")
        return ChoiceCandidate(self.slots, self.right, self.others, many, self.seen, facets, balance_keys)


class _Choice(ABC):
    """Two or three choices by turns; the place of the right one goes round."""

    name = ""
    templates = ""
    forms: tuple[str, ...] = ("single", "related")
    balance_groups: tuple[tuple[str, ...], ...] = (("2",), ("3",))

    @abstractmethod
    def questions(self, thing: SceneObject, form: str, inputs: SceneInputs, rng: Random) -> Iterator[_Question]:
        """What may be asked about one thing."""

    def candidates(self, inputs: SceneInputs, form: str, rng: Random) -> Cells:
        objects = inputs.scene.objects
        asked = (
            one for thing in sample(objects, len(objects), rng) for one in self.questions(thing, form, inputs, rng)
        )
        kept = list(islice(asked, _KEPT))
        return {str(many): [one.with_choices(many) for one in kept if len(one.others) >= many - 1] for many in (2, 3)}


class ObjectChoice(_Choice):
    """A thing called by a wider kind with an attribute or a relation; the choices are kinds of that kind."""

    name = templates = "object_choice"

    def questions(self, thing: SceneObject, form: str, inputs: SceneInputs, rng: Random) -> Iterator[_Question]:
        habits, ontology = inputs.habits, inputs.grammar.ontology
        named = plain(thing, ontology)
        if named is None or named.number != "singular":
            inputs.causes["objects are several or cannot be named"] += 1
            return
        is_said_of = habits.wider_words.is_said_of
        wider = [above for above in _wider_for_one(named.kind, ontology) if is_said_of(named.kind, above)]
        named_once = with_others = False
        for above in wider:
            found = inputs.references(thing, above, form)
            if not found:
                continue
            named_once = True
            below = habits.absent.kinds_below(above, rng)
            for reference in sample(found, _REFERENCES, rng):
                relation = reference.relation
                near = None if relation is None else relation.to.kind
                # What is beside "the car" is no car, and fish do not run.
                able = (
                    kind
                    for kind in below
                    if inputs.surroundings.could_be(kind)
                    and habits.pairs.could_be_instead(kind, named.kind)
                    and (near is None or ontology.are_disjoint(kind, near))
                    and (relation is None or habits.relations.may_relate(kind, relation.name, relation.to.kind))
                    and all(habits.values.takes(kind, one) for one in reference.attributes)
                )
                others = _exclusive(named.kind, able, ontology.are_disjoint)
                if others:
                    with_others = True
                    yield _Question.of(reference, named.kind, others, above, inputs.usual_kind)
        if not wider:
            inputs.causes["objects have no wider kind to be called by"] += 1
        elif not named_once:
            inputs.causes[inputs.no_reference(thing, wider[0], form)] += 1
        elif not with_others:
            inputs.causes["objects have no other kinds beside theirs"] += 1


@lru_cache(maxsize=4096)
def _wider_for_one(kind: str, ontology: Ontology) -> tuple[str, ...]:
    """The wider kinds that a single thing is called by."""
    return tuple(
        above
        for above in ontology.askable_hypernyms(kind)
        if is_nameable(above, ontology) and (ontology.kinds[above].number == "count" or above in _SINGLE_THINGS)
    )


@lru_cache(maxsize=8)
def _families_but_actions(ontology: Ontology) -> tuple[str, ...]:
    return tuple(name for name, family in ontology.families.items() if family.askable and name not in _ACTIONS)


@lru_cache(maxsize=8)
def _families_of_actions(ontology: Ontology) -> tuple[str, ...]:
    return tuple(name for name in _ACTIONS if name in ontology.families)


@lru_cache(maxsize=16384)
def _of_one_value(
    attributes: tuple[str, ...], kind: str, families: tuple[str, ...], ontology: Ontology
) -> tuple[tuple[str, str], ...]:
    """The families of which a thing has one value that excludes the others, with this value."""
    own = {family for value in attributes for family in ontology.attributes.families_by_value.get(value, ())}
    found: list[tuple[str, str]] = []
    for family in families if own else ():
        record = ontology.families[family]
        had = [value for value in attributes if value in record.values] if family in own else []
        if len(had) == 1 and record.exclusive and ontology.family_applies_to(family, kind):
            found.append((family, had[0]))
    return tuple(found)


class AttributeChoice(_Choice):
    """A value of a family, against others of the family that exclude it."""

    name = templates = "attribute_choice"
    without = "objects have no attribute of a family with one value"

    def families(self, ontology: Ontology) -> tuple[str, ...]:
        """The families that are asked about."""
        return _families_but_actions(ontology)

    def questions(self, thing: SceneObject, form: str, inputs: SceneInputs, rng: Random) -> Iterator[_Question]:
        habits, ontology = inputs.habits, inputs.grammar.ontology
        named = plain(thing, ontology)
        if named is None:
            return
        kind = named.kind
        met: list[str] = []
        for family, had in _of_one_value(thing.attributes, kind, self.families(ontology), ontology):
            if not self._fits(had, family, ontology) or habits.looks.is_nearly_always(had, kind):
                continue
            # No more are looked at than it takes.
            usual = (
                value
                for value in habits.values.of_family(family, kind, rng)
                if self._fits(value, family, ontology) and inputs.surroundings.fits(value)
            )
            others = _exclusive(had, usual, ontology.attributes.exclude)
            if not others:
                met.append("objects have no other values beside theirs")
                continue
            found = inputs.references(thing, kind, form)
            fitting = [one for one in found if named_otherwise(one, family, ontology)]
            if not fitting:
                met.append("objects are named by the value itself" if found else inputs.no_reference(thing, kind, form))
            for reference in sample(fitting, _REFERENCES, rng):
                usual_value = partial(inputs.how_often_said, kind)
                yield _Question.of(reference, had, others, family, usual_value, f=family)
                met.append("")
        if "" not in met:
            inputs.causes[met[0] if met else (self.without if thing.attributes else NO_ATTRIBUTE)] += 1

    def _fits(self, value: str, family: str, ontology: Ontology) -> bool:
        return ontology.families[family].label is not None or ontology.attributes.is_predicative(value)


class ActionChoice(AttributeChoice):
    """What somebody is doing, against other things that they might."""

    name = templates = "action_choice"
    without = "objects do nothing that is annotated"

    def families(self, ontology: Ontology) -> tuple[str, ...]:
        return _families_of_actions(ontology)

    def _fits(self, value: str, family: str, ontology: Ontology) -> bool:  # noqa: ARG002
        return value.split(maxsplit=1)[0].endswith("ing") and value not in _TO_SOMETHING
