"""What a question type is to the generator: what it gets of a scene, and the candidates that it gives.

A candidate is the arguments of a question before it is built.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from math import log2
from random import Random
from typing import Protocol

import msgspec

from falter.generation.askable.naming import tells_of_a_moment
from falter.generation.askable.source_habits import SourceHabits
from falter.generation.authoring.question_builder import LEVEL, SCALE, AnswerBalancer, Weighted, features_of
from falter.generation.english import Grammar
from falter.generation.english.open_slots import SlotValue
from falter.generation.scene import ObjectDescription, Scene, SceneObject
from falter.suites.carets.questions.arguments import absent_objects, present_objects
from falter.suites.carets.questions.landmarks import could_be_beside
from falter.suites.carets.questions.referring_expressions import references, sounds_natural
from falter.suites.carets.questions.surroundings import Surroundings


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """Slots that may make a question with the wanted answer; the scene has the last word.

    In a question with choices the right one stands first in the slot ``c`` until it is arranged. ``sorts`` are what
    there should be as much of as of others, such as the class of the choices. ``held`` are features that would tell the
    answer on their own, such as a value that no source has: a question is passed over once they lean to its answer.
    """

    slots: Mapping[str, SlotValue]
    answer: str
    features: Weighted
    facets: Mapping[str, str]
    balance_keys: tuple[str, ...] = ()
    leaking_features: tuple[str, ...] = ()

    def resolve(self, balance: AnswerBalancer) -> Candidate:  # noqa: ARG002 - an open choice needs it
        """The candidate itself, which leaves nothing open."""
        return self


class ChoiceCandidate(msgspec.Struct, frozen=True, gc=False):
    """A question with choices of which the wrong ones are picked when it is asked, from others that exclude each other.

    ``seen`` are for each choice the features by which a blind reader could know it: the choice beside each word of the
    description.
    """

    slots: Mapping[str, SlotValue]
    right: str
    others: tuple[str, ...]
    many: int
    seen: Mapping[str, tuple[str, ...]]
    facets: Mapping[str, str]
    balance_keys: tuple[str, ...]

    def resolve(self, balance: AnswerBalancer) -> Candidate:
        """With the wrong choices that have been right furthest beyond their share, given the same words.

        A right choice lifts its features, a wrong one lowers them, so that none is right more often than its share.
        """
        seen = self.seen
        biases = balance.biases([seen[other] for other in self.others])
        owed = sorted(range(len(biases)), key=[-bias for bias in biases].__getitem__)
        wrong = tuple([self.others[place] for place in owed[: self.many - 1]])
        features = ((len(wrong), seen[self.right]), *[(-1, seen[other]) for other in wrong])
        return Candidate(
            {**self.slots, "c": (self.right, *wrong)}, self.right, features, self.facets, self.balance_keys
        )


Cells = dict[str, list[Candidate] | list[ChoiceCandidate]]
"""Candidates by cell: what is to be balanced, such as yes and no, or which of two things is there."""


def place_gold(candidate: Candidate, turn: int) -> dict[str, SlotValue]:
    """The slots with the right choice in the place whose turn it is."""
    slots = dict(candidate.slots)
    choices = slots.get("c")
    if isinstance(choices, tuple):
        place = turn % len(choices)
        right, *wrong = choices
        slots["c"] = (*wrong[:place], right, *wrong[place:])
    return slots


NO_ATTRIBUTE = "objects have no attribute"
NOT_UNIQUE = "objects are not named uniquely"
NEEDS_NO_RELATION = "objects are named without a relation"
"""Causes that several question types meet."""

_THINGS, _MORE_THINGS, _LOOKED_AT = 16, 40, 64
_TELLING, _TELLING_OF_TWO = 1, 6
_COMMON_STEPS, _USUAL_COMMON, _FIT_STEPS, _TOGETHER_STEPS, _USUAL_TOGETHER = 0.8, 8.0, 5.0, 1.5, 0.5
"""Steps for a doubling of how common a kind is, from the usual on, and for a lift of one beside what is here."""

_LEVELS: dict[str, tuple[tuple[str, ...], ...]] = {}
"""The names of what :meth:`SceneInputs.levels` has, by the sort of question."""


class SceneInputs:
    """What candidates are made from: one scene, the English, and what is usual in the source."""

    def __init__(self, scene: Scene, grammar: Grammar, habits: SourceHabits, seed: int = 0) -> None:
        self.scene = scene
        self.grammar = grammar
        self.habits = habits
        self._seed = seed
        self.plausibility = habits.plausibility_in(scene.graph)
        """By counts in which this image has no part."""
        self.surroundings = Surroundings(scene, grammar.ontology, habits)
        self._usual_values: dict[tuple[str, str], tuple[str, ...]] = {}
        self._usual: dict[str, tuple[str, ...]] = {}
        self._things: dict[tuple[str, str], list[ObjectDescription]] = {}
        self._things_by_kind: dict[tuple[str, str], dict[str, list[ObjectDescription]]] = {}
        self._references: dict[tuple[str, str, str], list[ObjectDescription]] = {}
        self._plausible: dict[str, float] = {}
        self._common: dict[str, float] = {}
        self._asked_kinds: dict[str, bool] = {}
        self.causes: Counter[str] = Counter()
        """Why objects or images gave no candidate, counted as the question types meet it."""
        self._blind_features: dict[ObjectDescription, tuple[str, ...]] = {}
        self._blind_pairs: dict[tuple[str, str], tuple[str, ...]] = {}
        self._lifts: dict[str, tuple[dict[str, float], float]] = {}
        self._known_levels: dict[tuple[tuple[str, ...], str | None], tuple[float, float, float]] = {}

    def things(self, form: str, answer: str) -> list[ObjectDescription]:
        """Descriptions of what surely is there (yes), or might well be and surely is not (no), in a drawn order.

        They are worked out once for all types of questions, and no more of them than these need.
        """
        return self.more_things(form, answer)[:_THINGS]

    def more_things(self, form: str, answer: str) -> list[ObjectDescription]:
        """More of the same, for questions that can use few of them."""
        key = (form, answer)
        known = self._things.get(key)
        if known is None:
            rng = Random(f"{self._seed}|things|{self.scene.graph.image_id}|{form}|{answer}")
            ontology = self.grammar.ontology
            described = (
                present_objects(self.scene, form, ontology, rng)
                if answer == "yes"
                else absent_objects(self.scene, form, ontology, self.habits, self.surroundings, rng)
            )
            # No more are looked at than it takes.
            asked = (
                one
                for one in described
                if sounds_natural(one, ontology)
                and self._is_asked_for(one)
                and (answer == "yes" or one.relation is None or could_be_beside(one.relation, self.scene, ontology))
            )
            sure = (one for one in islice(asked, _LOOKED_AT) if self.settled(one, answer))
            known = self._things[key] = list(islice(sure, _MORE_THINGS))
        return known

    def things_by_kind(self, form: str, answer: str) -> dict[str, list[ObjectDescription]]:
        """By kind what may be named beside another thing: the same, by the kind alone too, and nothing of a moment."""
        key = (form, answer)
        known = self._things_by_kind.get(key)
        if known is None:
            found = self.more_things(form, answer)
            plain = (ObjectDescription(one.kind, number=one.number) for one in found if one.attributes)
            known = self._things_by_kind[key] = {}
            for one in dict.fromkeys([*found, *(one for one in plain if self.settled(one, answer))]):
                if not any(tells_of_a_moment(value, self.grammar.ontology) for value in one.attributes):
                    known.setdefault(one.kind, []).append(one)
        return known

    def _is_asked_for(self, described: ObjectDescription) -> bool:
        kind = described.kind
        asked = self._asked_kinds.get(kind)
        if asked is None:
            surroundings = self.surroundings
            asked = self._asked_kinds[kind] = not surroundings.is_part_of_another(kind) and (
                kind not in surroundings.kinds or surroundings.is_at_home(kind)
            )
        if not (asked and described.attributes):
            return asked
        return all(self.habits.looks.is_asked_for(value, kind) for value in described.attributes)

    def settled(self, described: ObjectDescription, answer: str) -> bool:
        """Whether the scene surely has such a thing (yes) or surely has none (no)."""
        exists = self.scene.exists(described)
        return exists is not None and exists == (answer == "yes")

    def blind_features(self, described: ObjectDescription) -> tuple[str, ...]:
        """What tells a reader without eyes something: the words, and how plausible what they say is here."""
        known = self._blind_features.get(described)
        if known is None:
            known = self._blind_features[described] = self._find_blind_features(described)
        return known

    def _find_blind_features(self, described: ObjectDescription) -> tuple[str, ...]:
        told = [*features_of(described), *self.usual_kind(described.kind) * _TELLING]
        for value in described.attributes:
            told += self.usual_value(described.kind, value)
        if described.relation is not None:
            name, target = described.relation.name, described.relation.to.kind
            told.append(
                f"{SCALE}related:{round(log2(1 + self.plausibility.times_related(described.kind, name, target)))}"
            )
        return tuple(told)

    def usual_kind(self, kind: str) -> tuple[str, ...]:
        """How common a kind is, and how plausible beside what is here, in coarse steps, as features."""
        known = self._usual.get(kind)
        if known is None:
            known = self._usual[kind] = (
                f"{SCALE}common:{round(self._doublings(kind))}",
                f"{SCALE}plausible:{round(2 * self._plausible_here(kind))}",
            )
        return known

    def how_often_said(self, kind: str, value: str) -> tuple[str, ...]:
        """How often a value is said of a kind, in doublings, as a feature."""
        return (f"{SCALE}often:{round(log2(1 + self.plausibility.times_said(kind, value)))}",)

    def usual_value(self, kind: str, value: str) -> tuple[str, ...]:
        """How often a value is said of a kind, and how plausible it is beside what is here, as features."""
        key = (kind, value)
        known = self._usual_values.get(key)
        if known is None:
            fit = f"{SCALE}fit:{round(2 * self.plausibility.of_value(value, self.surroundings.kinds))}"
            known = self._usual_values[key] = (*self.how_often_said(kind, value), fit)
        return known

    def blind_pair_features(self, first: ObjectDescription, second: ObjectDescription) -> tuple[str, ...]:
        """How well two kinds go together, whether people choose between them, and how plausible they are here.

        The first tells a reader without eyes whether both are there, and so does the second: two things that are not
        there are mostly alike. The last counts as much as all words of a thing: of two things that go together either
        both fit the image or neither does.
        """
        key = (first.kind, second.kind)
        known = self._blind_pairs.get(key)
        if known is None:
            together = self.plausibility.of_two(*key)
            both = self._plausible_here(first.kind) + self._plausible_here(second.kind)
            alike = self.habits.pairs.are_alternatives(*key)
            known = self._blind_pairs[key] = (
                *(f"{SCALE}together:{round(2 * together)}",) * _TELLING * 2,
                *(f"{SCALE}alike:{int(alike)}",) * _TELLING_OF_TWO,
                *(f"{SCALE}two:{round(both)}",) * _TELLING_OF_TWO,
            )
        return known

    def _plausible_here(self, kind: str) -> float:
        """How plausible a kind is beside what is here."""
        known = self._plausible.get(kind)
        if known is None:
            known = self._plausible[kind] = self.plausibility.of_kind(kind, self.surroundings.kinds)
        return known

    def levels(self, question: str, answer: str, kinds: tuple[str, ...], target: str | None = None) -> Weighted:
        """How common kinds are, how plausible beside what else is here, and two of them together.

        These are weights that are even over the answers: features in steps say where on a scale a question stands,
        these how far off. What the question names does not count as being there, as whoever guesses knows it from the
        question. ``target`` is what a thing is related to.
        """
        common, fit, together = self._levels_of(kinds, target)
        names = _LEVELS.get(question)
        if names is None:
            names = _LEVELS[question] = tuple((f"{SCALE}{LEVEL}{one} {question}",) for one in ("common", "fit", "both"))
        if answer == "yes":
            return (common, names[0]), (fit, names[1]), (together, names[2])
        return (-common, names[0]), (-fit, names[1]), (-together, names[2])

    def _levels_of(self, kinds: tuple[str, ...], target: str | None) -> tuple[float, float, float]:
        known = self._known_levels.get((kinds, target))
        if known is None:
            both = kinds if target is None else (*kinds, target)
            common = sum(map(self._doublings, kinds)) / len(kinds) - _USUAL_COMMON
            fit = sum([self._fit_beside(kind, kinds) for kind in kinds]) / len(kinds)
            together = self.habits.pairs.lift(*both) - _USUAL_TOGETHER if len(both) == 2 else 0.0
            known = self._known_levels[kinds, target] = (
                round(_COMMON_STEPS * common, 2),
                round(_FIT_STEPS * fit, 2),
                round(_TOGETHER_STEPS * together, 2),
            )
        return known

    def _doublings(self, kind: str) -> float:
        """How common a kind is, in doublings."""
        known = self._common.get(kind)
        if known is None:
            known = self._common[kind] = log2(1 + self.plausibility.frequency(kind))
        return known

    def _fit_beside(self, kind: str, named: tuple[str, ...]) -> float:
        """The mean lift of a kind with the kinds here that are not named."""
        known = self._lifts.get(kind)
        if known is None:
            meeting = self.grammar.ontology.kinds_meeting(kind)
            apart = [other for other in self._kinds_in_order if other not in meeting]
            found = self.habits.pairs.lifts(kind, apart)
            known = self._lifts[kind] = found, sum(found.values())
        lifts, total = known
        left_out = [lifts[one] for one in named if one in lifts]
        return (total - sum(left_out)) / max(len(lifts) - len(left_out), 1)

    @cached_property
    def _kinds_in_order(self) -> list[str]:
        return sorted(self.surroundings.kinds)

    def no_reference(self, thing: SceneObject, kind: str, form: str) -> str:
        """Why nothing picks a thing out in this form."""
        return NEEDS_NO_RELATION if form == "related" and self.references(thing, kind, "single") else NOT_UNIQUE

    def references(self, thing: SceneObject, kind: str, form: str) -> list[ObjectDescription]:
        """Definite descriptions by a kind that pick out this thing alone, worked out once for all types."""
        key = (thing.id, kind, form)
        known = self._references.get(key)
        if known is None:
            named = self.grammar.ontology.kind_for_name(thing.name)
            at_home = named is not None and self.surroundings.is_at_home(named)
            found = references(thing, kind, form, self.scene, self.grammar.ontology) if at_home else ()
            known = self._references[key] = list(found)
        return known


class QuestionType(Protocol):
    """A sort of question: which templates it uses, which forms it has, and how its answers are balanced.

    ``turns`` are the groups of cells that are filled together from one picture; all groups get the same share.
    """

    name: str
    templates: str
    forms: tuple[str, ...]
    balance_groups: tuple[tuple[str, ...], ...]

    def candidates(self, inputs: SceneInputs, form: str, rng: Random) -> Cells:
        """What may be asked of a scene, by cell."""
        ...
