"""Two things at once: both, or at least one of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random

from falter.authoring.balance import for_answer, words_that_tell
from falter.english import Ontology
from falter.scene import ObjectDescription
from falter.suites.carets.questions.candidates import Candidate, Cells
from falter.suites.carets.questions.cooccurrence import CooccurrenceCounts
from falter.suites.carets.questions.draws import choose, shuffle
from falter.suites.carets.questions.placement import sort_of_place
from falter.suites.carets.questions.protocol import SceneInputs

__all__ = ["ConjunctiveVerification", "DisjunctiveVerification"]

_TURNS, _KEPT = 4, 16
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
    def are_named(self, first: str, second: str, cooccurrence: CooccurrenceCounts) -> bool:
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
        go_together, partners = inputs.surroundings.go_together, inputs.cooccurrence.partners_for(self.name)
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
                    if len(found) == _KEPT:
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
            self.are_named(first, second, inputs.cooccurrence)
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

    def are_named(self, first: str, second: str, cooccurrence: CooccurrenceCounts) -> bool:
        return cooccurrence.are_of_one_sort(first, second)


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

    def are_named(self, first: str, second: str, cooccurrence: CooccurrenceCounts) -> bool:
        return cooccurrence.are_alternatives(first, second)
