"""Is there such a thing? Also with kinds above and below, for the ontology test."""

from __future__ import annotations

from random import Random

from falter.english import Ontology
from falter.scene import Number, Selection
from falter.suites.balance import features_of, for_answer
from falter.suites.carets.arguments import absent_kinds, false_things, true_things
from falter.suites.carets.candidates import Candidate, Cells
from falter.suites.carets.types.protocol import Material

__all__ = ["ObjectVerification", "OntologyVerification", "asked_above", "spoken_number"]

_KEPT = 20


def _existence(selections: list[Selection], answer: str) -> list[Candidate]:
    return [
        Candidate(
            {"x": one},
            answer,
            for_answer(features_of(one), answer),
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
        scene, english, habits = material
        return {
            "yes": _existence(true_things(scene, form, english.ontology, rng), "yes"),
            "no": _existence(false_things(scene, form, english.ontology, habits, rng), "no"),
        }


class OntologyVerification(ObjectVerification):
    """A thing that is there and belongs to a wider kind, or a wider kind of which nothing is there."""

    name = "ontology_verification"

    def candidates(self, material: Material, form: str, rng: Random) -> Cells:
        scene, english, habits = material
        ontology = english.ontology
        there = [one for one in true_things(scene, form, ontology, rng) if asked_above(one.kind, ontology)]
        wider: list[Selection] = []
        for one in false_things(scene, form, ontology, habits, rng):
            above = asked_above(one.kind, ontology)
            if habits.has_below(one.kind):
                above = (one.kind, *above)
            for kind in above:
                values = tuple(value for value in one.attributes if ontology.suits(value, kind))
                if len(values) == len(one.attributes):
                    wider.append(Selection(kind, values, one.relation, spoken_number(kind, one.number, ontology)))
        for kind in absent_kinds(scene, ontology, habits, rng) if form == "single" else ():
            wider += [
                Selection(above, number=spoken_number(above, "singular", ontology))
                for above in asked_above(kind, ontology)
            ]
        wider = list(dict.fromkeys(wider))
        rng.shuffle(wider)
        return {"yes": _existence(there, "yes"), "no": _existence(wider, "no")}


def spoken_number(kind: str, number: Number, ontology: Ontology) -> Number:
    """The number that a kind takes where another kind stood in this number."""
    own = ontology.kinds[kind].number
    if own != "count":
        return own
    return "singular" if number == "mass" else number


def asked_above(kind: str, ontology: Ontology) -> tuple[str, ...]:
    """The wider kinds of a kind that people ask by, in a steady order."""
    return tuple(sorted(other for other in ontology.ancestors(kind) if other != kind and ontology.kinds[other].asked))
