"""Is there such a thing? Also with kinds above and below, for the ontology test."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from falter.authoring.balance import for_answer
from falter.english import Ontology
from falter.scene import Number, ObjectDescription
from falter.suites.carets.questions.candidates import Candidate, Cells
from falter.suites.carets.questions.protocol import SceneInputs
from falter.suites.carets.questions.referring_expressions import sounds_natural

__all__ = ["ObjectVerification", "OntologyVerification", "PaperOntologyVerification", "spoken_number"]

_KEPT = 12
_WIDER = 2


def _existence(selections: list[ObjectDescription], answer: str, inputs: SceneInputs) -> list[Candidate]:
    return [
        Candidate(
            {"x": one},
            answer,
            for_answer(answer, inputs.blind_features(one)),
            {"number": one.number, "attributes": str(len(one.attributes))},
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
            cells[answer] = _existence(rng.sample(things, min(_KEPT, len(things))), answer, inputs)
        return cells


class OntologyVerification(ObjectVerification):
    """The same thing by a narrower and a wider kind: something of the narrower is there, or nothing of the wider.

    Either of the two may be asked first. Were it the narrower for yes and the wider for no, its word would give the
    answer away. The other one is in the slot ``other``.
    """

    name = "ontology_verification"

    def candidates(self, inputs: SceneInputs, form: str, rng: Random) -> Cells:
        return {answer: self._either_first(inputs, form, answer, rng) for answer in ("yes", "no")}

    def _either_first(self, inputs: SceneInputs, form: str, answer: str, rng: Random) -> list[Candidate]:
        things = inputs.things(form, answer)
        found: list[Candidate] = []
        for one in rng.sample(things, len(things)):
            for wider in _wider(one, inputs.grammar.ontology, rng):
                if not sounds_natural(wider, inputs.grammar.ontology) or not inputs.settled(wider, answer):
                    continue
                first, other = (one, wider) if self._narrower_first(answer, len(found)) else (wider, one)
                words = self._leaking(first, other)
                features = for_answer(answer, inputs.blind_features(first), inputs.blind_features(other), words)
                facets = {"number": first.number, "attributes": str(len(first.attributes))}
                found.append(Candidate({"x": first, "other": other}, answer, features, facets, leaking_features=words))
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


def _wider(one: ObjectDescription, ontology: Ontology, rng: Random) -> Iterator[ObjectDescription]:
    """The same by some wider kinds."""
    above = ontology.askable_hypernyms(one.kind)
    for kind in rng.sample(above, min(_WIDER, len(above))):
        if all(ontology.is_natural(value, kind) for value in one.attributes):
            yield ObjectDescription(kind, one.attributes, one.relation, spoken_number(kind, one.number, ontology))


def spoken_number(kind: str, number: Number, ontology: Ontology) -> Number:
    """The number that a kind takes where another kind stood in this number."""
    own = ontology.kinds[kind].number
    if own != "count":
        return own
    return "singular" if number == "mass" else number
