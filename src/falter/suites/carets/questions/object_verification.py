"""Is there such a thing, or are there two at once: both, or at least one of them?

Also with kinds above and below, for the ontology test.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random

from falter.data.items import YES_NO
from falter.generation.askable.placement import sort_of_place
from falter.generation.askable.source_habits import SourceHabits
from falter.generation.authoring.question_builder import Weighted, for_answer, words_around_kind, words_that_tell
from falter.generation.english import Ontology
from falter.generation.scene import Number, ObjectDescription
from falter.suites.carets.questions.draws import choose, sample, shuffle
from falter.suites.carets.questions.protocol import Candidate, Cells, SceneInputs
from falter.suites.carets.questions.referring_expressions import sounds_natural

_MOST_THINGS = 12
_WIDER = 2


def _levels(one: ObjectDescription, answer: str, inputs: SceneInputs, sort: str = "") -> Weighted:
    """How usual something is here, and beside what it is related to."""
    form = "single" if one.relation is None else "related"
    target = None if one.relation is None else one.relation.to.kind
    return inputs.levels(sort + form, answer, (one.kind,), target)


def _existence(selections: list[ObjectDescription], answer: str, inputs: SceneInputs) -> list[Candidate]:
    return [
        Candidate(
            {"x": one},
            answer,
            (
                *for_answer(answer, inputs.blind_features(one)),
                *_levels(one, answer, inputs),
            ),
            {"number": one.number, "attributes": str(len(one.attributes))},
            leaking_features=words_that_tell(one),
        )
        for one in selections
    ]


class ObjectVerification:
    """A thing that is there, or one that might well be and is not."""

    name = "object_verification"
    templates = "object_verification"
    forms: tuple[str, ...] = ("single", "related")
    balance_groups: tuple[tuple[str, ...], ...] = (YES_NO,)

    def candidates(self, inputs: SceneInputs, form: str, rng: Random) -> Cells:
        cells: Cells = {}
        for answer in YES_NO:
            things = inputs.things(form, answer)
            cells[answer] = _existence(sample(things, _MOST_THINGS, rng), answer, inputs)
        return cells


class OntologyVerification(ObjectVerification):
    """The same thing by a narrower and a wider kind: something of the narrower is there, or nothing of the wider.

    Either of the two may be asked first. Were it the narrower for yes and the wider for no, its word would give the
    answer away. The other one is in the slot ``other``.
    """

    name = "ontology_verification"

    def candidates(self, inputs: SceneInputs, form: str, rng: Random) -> Cells:
        cells: Cells = {answer: self._either_first(inputs, form, answer, rng) for answer in YES_NO}
        if not cells["no"] and inputs.more_things(form, "no"):
            # Who annotates 80 categories may have left out another vehicle.
            inputs.causes["images have nothing absent of which the wider kind surely is absent too"] += 1
        return cells

    def _either_first(self, inputs: SceneInputs, form: str, answer: str, rng: Random) -> list[Candidate]:
        things = inputs.more_things(form, answer)
        if form == "single" and answer == "no":
            people = (ObjectDescription(kind) for kind in inputs.surroundings.absent_people)
            things = list(dict.fromkeys([*things, *(one for one in people if inputs.settled(one, answer))]))
        found: list[Candidate] = []
        for one in sample(things, len(things), rng):
            for narrower, wider in _narrower_and_wider(one, answer, inputs, rng):
                if not sounds_natural(wider, inputs.grammar.ontology) or not inputs.settled(wider, answer):
                    continue
                first, other = (narrower, wider) if self._narrower_first(answer, len(found)) else (wider, narrower)
                words = self._leaking(first, other)
                features = (
                    *for_answer(answer, inputs.blind_features(first), inputs.blind_features(other), words),
                    *_levels(first, answer, inputs, "first "),
                    *_levels(other, answer, inputs, "other "),
                )
                facets = {"number": first.number, "attributes": str(len(first.attributes))}
                slots = {"x": first, "other": other}
                telling = (*words, *words_around_kind(first))
                found.append(Candidate(slots, answer, features, facets, leaking_features=telling))
                if len(found) == _MOST_THINGS:
                    return found
        return found

    def _narrower_first(self, answer: str, index: int) -> bool:  # noqa: ARG002
        return index % 2 == 1

    def _leaking(self, first: ObjectDescription, other: ObjectDescription) -> tuple[str, ...]:
        """The words that must not tell the answer: where few wider kinds can be denied, they would be no for sure."""
        return (f"kind:{first.kind}", f"kind:{other.kind}")


class PaperOntologyVerification(OntologyVerification):
    """The narrower kind is asked about first where the answer is yes, the wider one where it is no."""

    name = "paper_ontology_verification"

    def _narrower_first(self, answer: str, index: int) -> bool:  # noqa: ARG002
        return answer == "yes"

    def _leaking(self, first: ObjectDescription, other: ObjectDescription) -> tuple[str, ...]:  # noqa: ARG002
        return ()


def _narrower_and_wider(
    one: ObjectDescription, answer: str, inputs: SceneInputs, rng: Random
) -> Iterator[tuple[ObjectDescription, ObjectDescription]]:
    """A description by a kind and by some wider ones that people say; of what is absent by narrower ones too."""
    ontology, habits = inputs.grammar.ontology, inputs.habits
    words = habits.wider_words
    above = [kind for kind in ontology.askable_hypernyms(one.kind) if words.is_said_of(one.kind, kind)]
    for kind in sample(above, _WIDER, rng):
        # A white flower is hardly called a white plant.
        # Nor is a green apple called green fruit.
        if one.attributes and ontology.kinds[kind].number == "mass" != one.number:
            continue
        if all(ontology.is_natural(value, kind) and habits.values.takes(kind, value) for value in one.attributes):
            yield one, _list_by_kind(one, kind, ontology)
    if answer == "no" and not one.attributes and words.is_said(one.kind):
        below = [
            kind
            for kind in habits.absent.kinds_below(one.kind, rng)
            if words.is_said_of(kind, one.kind)
            and inputs.surroundings.could_be(kind)
            and (one.relation is None or not ontology.kinds[kind].role)
        ]
        for kind in below[:_WIDER]:
            yield _list_by_kind(one, kind, ontology), one


def _list_by_kind(one: ObjectDescription, kind: str, ontology: Ontology) -> ObjectDescription:
    return ObjectDescription(kind, one.attributes, one.relation, spoken_number(kind, one.number, ontology))


def spoken_number(kind: str, number: Number, ontology: Ontology) -> Number:
    """The number that a kind takes where another kind stood in this number."""
    own = ontology.kinds[kind].number
    if own != "count":
        return own
    return "singular" if number == "mass" else number


_TURNS, _MOST_COUPLES = 4, 16
"""How often two things of the same kinds are drawn, and how many are kept in all."""
_PERSON = "person"

_Couple = tuple[ObjectDescription, ObjectDescription]
_ByKind = Mapping[str, Sequence[ObjectDescription]]


class _PairVerification(ABC):
    """Two descriptions, each there or not; the cells say which, in the order of the question."""

    name = ""
    templates = ""
    forms: tuple[str, ...] = ("single",)
    balance_groups: tuple[tuple[str, ...], ...] = ()
    logic = ""

    @abstractmethod
    def answer(self, cell: str) -> str:
        """The answer where the two are there or not, as the cell says."""

    @abstractmethod
    def are_named(self, first: str, second: str, habits: SourceHabits) -> bool:
        """Whether people would name two kinds in such a question."""

    def candidates(self, inputs: SceneInputs, form: str, rng: Random) -> Cells:
        couples = self.couples(inputs, form, rng)
        return {cell: [self._candidate(cell, *one, inputs) for one in found] for cell, found in couples.items()}

    def _candidate(
        self, cell: str, first: ObjectDescription, second: ObjectDescription, inputs: SceneInputs
    ) -> Candidate:
        answer = self.answer(cell)
        words = for_answer(
            answer,
            inputs.blind_features(first),
            inputs.blind_features(second),
            inputs.blind_pair_features(first, second),
        )
        return Candidate(
            {"x": first, "y": second},
            answer,
            (*words, *inputs.levels(self.name, answer, (first.kind, second.kind))),
            {"truth": cell, "logic": self.logic},
            leaking_features=(*words_that_tell(first), *words_that_tell(second)),
        )

    def couples(self, inputs: SceneInputs, form: str, rng: Random) -> dict[str, list[_Couple]]:
        """By cell the two things that may be asked for at once."""
        pool = {"T": inputs.things_by_kind(form, "yes"), "F": inputs.things_by_kind(form, "no")}
        cells = dict.fromkeys(cell for group in self.balance_groups for cell in group)
        return {cell: self._couples(pool[cell[0]], pool[cell[1]], inputs, rng) for cell in cells}

    def _couples(self, by_kind: _ByKind, others: _ByKind, inputs: SceneInputs, rng: Random) -> list[_Couple]:
        """Two things each, of as many kinds as there are: few kinds go together, so these are looked for first."""
        go_together, partners = inputs.surroundings.go_together, inputs.habits.pairs.partners_for(self.name)
        kinds: list[tuple[str, str]] = []
        for one in by_kind:
            known = partners.setdefault(one, {})
            for other in others:
                if other not in known:
                    known[other] = self._may_couple(one, other, inputs)
                if known[other] and go_together(one, other):
                    kinds.append((one, other))
        found: dict[_Couple, None] = {}
        shuffle(kinds, rng)
        for turn in range(_TURNS):
            for one, other in kinds:
                couple = choose(by_kind[one], rng), choose(others[other], rng)
                if couple not in found and self._fit(*couple, inputs):
                    found[couple] = None
                    if len(found) == _MOST_COUPLES:
                        return list(found)
            if turn and not found:
                break
        return list(found)

    def _may_couple(self, first: str, second: str, inputs: SceneInputs) -> bool:
        """Whether two kinds may be asked for at once where both may be.

        "A dog and an animal" would ask about the same thing twice.
        """
        ontology = inputs.grammar.ontology
        return (
            self.are_named(first, second, inputs.habits)
            and ontology.are_disjoint(first, second)
            and not _belong_to_each_other(first, second, ontology)
        )

    def _fit(self, first: ObjectDescription, second: ObjectDescription, inputs: SceneInputs) -> bool:
        return _agree(first, second, inputs.grammar.ontology) and _are_described_alike(first, second, inputs)


def _agree(first: ObjectDescription, second: ObjectDescription, ontology: Ontology) -> bool:
    """Whether neither is one thing while the other is not: "any people or a chair", "coffee and a table"."""
    numbers = {first.number, second.number}
    counted = {one.number for one in (first, second) if ontology.kinds[one.kind].number == "count"}
    return len(counted) < 2 and numbers != {"singular", "mass"}


def _are_described_alike(first: ObjectDescription, second: ObjectDescription, inputs: SceneInputs) -> bool:
    """Whether people would describe two things like this in one question: by their names, or as of one color.

    "A full bowl and a knife" and "a red truck and a blue bus" say more than anybody asks at once.
    """
    if not (first.attributes or second.attributes):
        return True
    return first.attributes == second.attributes and inputs.surroundings.are_alternatives(first.kind, second.kind)


@lru_cache(maxsize=16384)
def _belong_to_each_other(first: str, second: str, ontology: Ontology) -> bool:
    """Whether one is a part of the other: a roof and a building."""
    return second in ontology.possible_parts(first) or first in ontology.possible_parts(second)


def _sort_of(kind: str, ontology: Ontology) -> str:
    """Where such things as two of one sort are found; people by themselves."""
    return _PERSON if ontology.is_a(kind, _PERSON) else sort_of_place(kind, ontology)


class ConjunctiveVerification(_PairVerification):
    """Both are there: half of the questions; the rest is shared by the three ways to miss one."""

    name = templates = "conjunctive_verification"
    logic = "conjunction"
    balance_groups = (("TT", "TF"), ("TT", "FT"), ("TT", "FF"))

    def answer(self, cell: str) -> str:
        return "yes" if cell == "TT" else "no"

    def are_named(self, first: str, second: str, habits: SourceHabits) -> bool:
        return habits.pairs.are_of_one_sort(first, second)


class DisjunctiveVerification(_PairVerification):
    """Neither is there: half of the questions; in the rest it is the first or the second.

    Where both are there, nobody asks for one or the other; and nobody chooses between things of two sorts.
    """

    name = templates = "disjunctive_verification"
    logic = "disjunction"
    balance_groups = (("TF", "FF"), ("FT", "FF"))

    def answer(self, cell: str) -> str:
        return "no" if cell == "FF" else "yes"

    def couples(self, inputs: SceneInputs, form: str, rng: Random) -> dict[str, list[_Couple]]:
        """Of sorts that an image has for yes and for no: cows for the one and men for the other would tell."""
        cells = super().couples(inputs, form, rng)
        ontology = inputs.grammar.ontology
        sorts = {cell: {_sort_of(first.kind, ontology) for first, _ in found} for cell, found in cells.items()}
        either = (sorts["TF"] | sorts["FT"]) & sorts["FF"]
        return {
            cell: [one for one in found if _sort_of(one[0].kind, ontology) in either] for cell, found in cells.items()
        }

    def are_named(self, first: str, second: str, habits: SourceHabits) -> bool:
        return habits.pairs.are_alternatives(first, second)
