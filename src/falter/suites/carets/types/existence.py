"""Is there such a thing? Also with kinds above and below, for the ontology test."""

from __future__ import annotations

from random import Random

from falter.english import Ontology
from falter.scene import Number, Selection
from falter.suites.balance import features_of, for_answer
from falter.suites.carets.candidates import Candidate, Cells
from falter.suites.carets.types.protocol import Material

__all__ = ["ObjectVerification", "OntologyVerification", "spoken_number"]

_KEPT = 20


def _existence(selections: list[Selection], answer: str) -> list[Candidate]:
    return [
        Candidate(
            {"x": one},
            answer,
            for_answer(answer, features_of(one)),
            {"number": one.number, "attributes": str(len(one.attributes))},
        )
        for one in selections[:_KEPT]
    ]


class ObjectVerification:
    """A thing that is there, or one that might well be and is not."""

    name = "object_verification"
    templates = "object_verification"
    forms: tuple[str, ...] = ("single", "related")
    turns: tuple[tuple[str, ...], ...] = (("yes", "no"),)

    def candidates(self, material: Material, form: str, rng: Random) -> Cells:
        cells: Cells = {}
        for answer in ("yes", "no"):
            things = material.things(form, answer)
            rng.shuffle(things)
            cells[answer] = _existence(things, answer)
        return cells


class OntologyVerification(ObjectVerification):
    """The same thing by a narrower and a wider kind: something of the narrower is there, or nothing of the wider.

    Either of the two may be asked first. Were it the narrower for yes and the wider for no, its word would give the
    answer away. The other one is in the slot ``other``.
    """

    name = "ontology_verification"

    def candidates(self, material: Material, form: str, rng: Random) -> Cells:
        scene, ontology = material.scene, material.english.ontology
        there = _lifted(material.things(form, "yes"), ontology)
        missing = [
            pair
            for pair in _lifted(material.things(form, "no"), ontology)
            if not scene.may_hide(pair[1].kind) and not any(fits is not False for _, fits in scene.fitting(pair[1]))
        ]
        return {"yes": _either_first(there, "yes", rng), "no": _either_first(missing, "no", rng)}


def _lifted(things: list[Selection], ontology: Ontology) -> list[tuple[Selection, Selection]]:
    """Descriptions, each with the same by every wider kind."""
    return [
        (one, Selection(kind, one.attributes, one.relation, spoken_number(kind, one.number, ontology)))
        for one in things
        for kind in ontology.asked_above(one.kind)
        if all(ontology.speakable(value, kind) for value in one.attributes)
    ]


def _either_first(pairs: list[tuple[Selection, Selection]], answer: str, rng: Random) -> list[Candidate]:
    rng.shuffle(pairs)
    found = []
    for number, (narrower, wider) in enumerate(pairs[:_KEPT]):
        first, other = (narrower, wider) if number % 2 else (wider, narrower)
        features = for_answer(answer, features_of(first), features_of(other))
        facets = {"number": first.number, "attributes": str(len(first.attributes))}
        found.append(Candidate({"x": first, "other": other}, answer, features, facets))
    return found


def spoken_number(kind: str, number: Number, ontology: Ontology) -> Number:
    """The number that a kind takes where another kind stood in this number."""
    own = ontology.kinds[kind].number
    if own != "count":
        return own
    return "singular" if number == "mass" else number
