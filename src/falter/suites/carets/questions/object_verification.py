"""Is there such a thing? Also with kinds above and below, for the ontology test."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from falter.authoring.balance import Weighted, for_answer, words_around_kind, words_that_tell
from falter.english import Ontology
from falter.scene import Number, ObjectDescription
from falter.suites.carets.questions.candidates import Candidate, Cells
from falter.suites.carets.questions.draws import sample
from falter.suites.carets.questions.protocol import SceneInputs
from falter.suites.carets.questions.referring_expressions import sounds_natural

__all__ = ["ObjectVerification", "OntologyVerification", "PaperOntologyVerification", "spoken_number"]

_KEPT = 12
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
    balance_groups: tuple[tuple[str, ...], ...] = (("yes", "no"),)

    def candidates(self, inputs: SceneInputs, form: str, rng: Random) -> Cells:
        cells: Cells = {}
        for answer in ("yes", "no"):
            things = inputs.things(form, answer)
            cells[answer] = _existence(sample(things, _KEPT, rng), answer, inputs)
        return cells


class OntologyVerification(ObjectVerification):
    """The same thing by a narrower and a wider kind: something of the narrower is there, or nothing of the wider.

    Either of the two may be asked first. Were it the narrower for yes and the wider for no, its word would give the
    answer away. The other one is in the slot ``other``.
    """

    name = "ontology_verification"

    def candidates(self, inputs: SceneInputs, form: str, rng: Random) -> Cells:
        cells: Cells = {answer: self._either_first(inputs, form, answer, rng) for answer in ("yes", "no")}
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
                if len(found) == _KEPT:
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
    ontology, cooccurrence = inputs.grammar.ontology, inputs.cooccurrence
    words = cooccurrence.wider_words
    above = [kind for kind in ontology.askable_hypernyms(one.kind) if words.is_said_of(one.kind, kind)]
    for kind in sample(above, _WIDER, rng):
        # A white flower is hardly called a white plant.
        # Nor is a green apple called green fruit.
        if one.attributes and ontology.kinds[kind].number == "mass" != one.number:
            continue
        if all(ontology.is_natural(value, kind) and cooccurrence.values.takes(kind, value) for value in one.attributes):
            yield one, _by_kind(one, kind, ontology)
    if answer == "no" and not one.attributes and words.is_said(one.kind):
        below = [
            kind
            for kind in cooccurrence.kinds_below(one.kind, rng)
            if words.is_said_of(kind, one.kind)
            and inputs.surroundings.could_be(kind)
            and (one.relation is None or not ontology.kinds[kind].role)
        ]
        for kind in below[:_WIDER]:
            yield _by_kind(one, kind, ontology), one


def _by_kind(one: ObjectDescription, kind: str, ontology: Ontology) -> ObjectDescription:
    return ObjectDescription(kind, one.attributes, one.relation, spoken_number(kind, one.number, ontology))


def spoken_number(kind: str, number: Number, ontology: Ontology) -> Number:
    """The number that a kind takes where another kind stood in this number."""
    own = ontology.kinds[kind].number
    if own != "count":
        return own
    return "singular" if number == "mass" else number
