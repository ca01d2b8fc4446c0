"""The tests: what becomes of an original question, and what must hold between the two answers."""

from __future__ import annotations

from random import Random
from typing import Protocol

from falter.authoring.question_builder import Posed, Poser
from falter.english import Template
from falter.english.slots import SlotValue
from falter.images.obfuscation import OBFUSCATIONS
from falter.probes import Expects
from falter.registry import Registry
from falter.scene import Box, ObjectDescription, Scene

__all__ = ["TESTS", "Antonym", "Negation", "Ontology", "Order", "Rephrase", "Test", "ViewTest", "Visual", "fitting"]

VERIFICATIONS = ("object_verification", "conjunctive_verification", "disjunctive_verification")
CHOICES = ("object_choice", "attribute_choice", "action_choice")


class Test(Protocol):
    """One capability: a small change of a question, and whether the answer must stay or turn."""

    name: str
    expects: Expects
    types: tuple[str, ...]

    def vary(self, original: Posed, scene: Scene, poser: Poser, rng: Random) -> Posed | None:
        """The changed question, or None where it cannot be made."""
        ...


class ViewTest(Test, Protocol):
    """A test that changes the picture instead: one variant for each view of what the question is about."""

    views: tuple[str, ...]

    def foreground(self, original: Posed, scene: Scene, rng: Random) -> list[Box]:
        """The boxes that stay to be seen."""
        ...


def fitting(template: Template, slots: dict[str, SlotValue], poser: Poser) -> bool:
    """Whether a template can say these slots in good English."""
    choices, family = slots.get("c"), slots.get("f")
    if not isinstance(choices, tuple) or not isinstance(family, str):
        return True
    ontology = poser.grammar.ontology
    if template.names_family:
        return ontology.families[family].label is not None
    return all(ontology.attributes.is_predicative(choice) for choice in choices)


class Rephrase:
    """The same question in other words; the answer must stay."""

    name = "rephrase"
    expects: Expects = "same"
    types: tuple[str, ...] = (*VERIFICATIONS, *CHOICES)

    def vary(self, original: Posed, scene: Scene, poser: Poser, rng: Random) -> Posed | None:
        template = original.template
        others = [
            other
            for other in poser.grammar.templates_for(template.type, template.polarity, template.form)
            if other.id != template.id and fitting(other, original.slots, poser)
        ]
        return poser.pose(rng.choice(others), original.slots, scene) if others else None


class Ontology:
    """The thing by a wider or narrower kind, of which one is there too, or none either; the answer must stay."""

    name = "ontology"
    expects: Expects = "same"
    types: tuple[str, ...] = ("ontology_verification",)

    def vary(self, original: Posed, scene: Scene, poser: Poser, rng: Random) -> Posed | None:  # noqa: ARG002
        slots = {**original.slots, "x": original.slots["other"], "other": original.slots["x"]}
        return poser.pose(original.template, slots, scene, wanted=original.answer)


class Order:
    """The two things, or the choices, in another order; the answer must stay."""

    name = "order"
    expects: Expects = "same"
    types: tuple[str, ...] = ("conjunctive_verification", "disjunctive_verification", *CHOICES)

    def vary(self, original: Posed, scene: Scene, poser: Poser, rng: Random) -> Posed | None:
        slots = dict(original.slots)
        choices = slots.get("c")
        if isinstance(choices, tuple):
            others = list(choices)
            while tuple(others) == choices:
                rng.shuffle(others)
            slots["c"] = tuple(others)
        else:
            slots["x"], slots["y"] = slots["y"], slots["x"]
        return poser.pose(original.template, slots, scene)


class Negation:
    """The question with its clause negated; the answer must turn."""

    name = "negation"
    expects: Expects = "different"
    types: tuple[str, ...] = VERIFICATIONS

    def vary(self, original: Posed, scene: Scene, poser: Poser, rng: Random) -> Posed | None:  # noqa: ARG002
        twin = poser.grammar.negated_template(original.template)
        return None if twin is None else poser.pose(twin, original.slots, scene)


class Antonym:
    """The attribute replaced by its opposite; the answer must turn."""

    name = "antonym"
    expects: Expects = "different"
    types: tuple[str, ...] = ("antonym_verification",)

    def vary(self, original: Posed, scene: Scene, poser: Poser, rng: Random) -> Posed | None:
        value, thing = original.slots["p"], original.slots["x"]
        assert isinstance(value, str)
        assert isinstance(thing, ObjectDescription)
        ontology = poser.grammar.ontology
        opposites = [
            other
            for other in ontology.attributes.antonyms(value)
            if ontology.applies_to(other, thing.kind) and ontology.attributes.is_predicative(other)
        ]
        rng.shuffle(opposites)
        wanted = "no" if original.answer == "yes" else "yes"
        for other in opposites:
            varied = poser.pose(original.template, {**original.slots, "p": other}, scene, wanted=wanted)
            if varied is not None:
                return varied
        return None


class Visual:
    """The same question with everything else in the picture blurred, masked or cut off; the answer must stay."""

    name = "visual"
    expects: Expects = "same"
    types: tuple[str, ...] = (*VERIFICATIONS, "attribute_verification", *CHOICES)
    views: tuple[str, ...] = OBFUSCATIONS

    def vary(self, original: Posed, scene: Scene, poser: Poser, rng: Random) -> Posed | None:  # noqa: ARG002
        return original

    def foreground(self, original: Posed, scene: Scene, rng: Random) -> list[Box]:
        """The boxes of what is asked about; for what is not there, a box drawn among those annotated."""
        boxes: list[Box] = []
        for name in sorted(original.slots):
            value = original.slots[name]
            if isinstance(value, ObjectDescription):
                boxes += _boxes(value, scene) or [rng.choice(scene.objects).box]
        return boxes


def _boxes(selection: ObjectDescription, scene: Scene) -> list[Box]:
    found = [thing.box for thing, fits in scene.objects_for(selection) if fits]
    if not found:
        # Nothing fits: what comes near stays to be seen, "a red cup" being denied of the blue one.
        found = [thing.box for thing, fits in scene.objects_of_kind(selection.kind) if fits]
    if selection.relation is not None and found:
        found += [thing.box for thing, fits in scene.objects_for(selection.relation.to) if fits]
    return found


TESTS: Registry[type[Test]] = Registry(
    "test",
    "falter.tests",
    {
        "rephrase": "falter.suites.carets.perturbations:Rephrase",
        "ontology": "falter.suites.carets.perturbations:Ontology",
        "order": "falter.suites.carets.perturbations:Order",
        "visual": "falter.suites.carets.perturbations:Visual",
        "negation": "falter.suites.carets.perturbations:Negation",
        "antonym": "falter.suites.carets.perturbations:Antonym",
    },
)
"""Every test that ``falter generate carets --test NAME`` can make; packages from outside add theirs here."""
