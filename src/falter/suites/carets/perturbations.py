"""The tests: what becomes of an original question, what must hold between the two answers, and how a pair is made.

A pair is made from a candidate: the original by a template whose turn it is, and its change.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import NamedTuple, Protocol, runtime_checkable

from falter.core.registry import Registry
from falter.data.items import Expects
from falter.generation.authoring.question_builder import GroundedQuestion, QuestionBuilder
from falter.generation.english import Template
from falter.generation.english.open_slots import SlotValue
from falter.generation.scene import Box, ObjectDescription, Scene
from falter.suites.carets.obfuscation import OBFUSCATIONS
from falter.suites.carets.questions import QuestionType
from falter.suites.carets.questions.protocol import Candidate
from falter.suites.carets.quotas import FamilyShares, TemplateRotation
from falter.suites.carets.template_distance import differ_in_opinion_alone, template_distance
from falter.suites.carets.visual_test import choose_foreground, reason_to_leave_out

VERIFICATIONS = ("object_verification", "conjunctive_verification", "disjunctive_verification")
CHOICES = ("object_choice", "attribute_choice", "action_choice")


class CaretsTest(Protocol):
    """One capability: a small change of a question, and whether the answer must stay or turn."""

    name: str
    expects: Expects
    types: tuple[str, ...]

    def perturb(
        self, original: GroundedQuestion, scene: Scene, builder: QuestionBuilder, rng: Random
    ) -> GroundedQuestion | None:
        """The changed question, or None where it cannot be made."""
        ...


@runtime_checkable
class ObfuscationTest(Protocol):
    """A test that changes the image instead: one variant for each obfuscation of all but what the question is about."""

    obfuscations: tuple[str, ...]

    def foreground(self, original: GroundedQuestion, scene: Scene, rng: Random) -> list[Box]:
        """The boxes that stay visible."""
        ...


@runtime_checkable
class HasFacets(Protocol):
    """A test that says more about a pair than its question type does."""

    def facets(self, original: GroundedQuestion, variant: GroundedQuestion, builder: QuestionBuilder) -> dict[str, str]:
        """Facets of both items."""
        ...


MIN_DISTANCE = 0.5
"""The least share of words, slots included, that a rephrasing changes: see ``template_distance``."""


@runtime_checkable
class HasShares(Protocol):
    """A test in which no family of attributes is asked about too often; the facet ``class`` names the family."""

    shares: FamilyShares


def template_fits(template: Template, slots: Mapping[str, SlotValue], builder: QuestionBuilder) -> bool:
    """Whether a template can say these slots in good English, and the thing by its other name where there is one."""
    if not template.fits(slots) or ("other" in slots and not template.fits({**slots, "x": slots["other"]})):
        return False
    choices = slots.get("c")
    if not isinstance(choices, tuple) or "f" not in slots or template.names_family or template.names_materials:
        return True
    return all(builder.grammar.ontology.attributes.is_predicative(choice) for choice in choices)


class RephraseTest:
    """The same question in other words; the answer must stay."""

    name = "rephrase"
    expects: Expects = "same"
    types: tuple[str, ...] = (*VERIFICATIONS, *CHOICES)

    def __init__(self) -> None:
        self._rotation = TemplateRotation()
        self._others: dict[str, list[Template]] = {}

    def perturb(
        self, original: GroundedQuestion, scene: Scene, builder: QuestionBuilder, rng: Random
    ) -> GroundedQuestion | None:
        template = original.template
        others = self._others.get(template.id)
        if others is None:
            others = self._others[template.id] = [
                other
                for other in builder.grammar.templates_for(template.type, template.polarity, template.form)
                if template_distance(template, other) >= MIN_DISTANCE and not differ_in_opinion_alone(template, other)
            ]
        for other in self._rotation.in_turn(others, rng):
            if template_fits(other, original.slots, builder):
                varied = builder.build(other, original.slots, scene)
                if varied is not None:
                    self._rotation.add(other)
                return varied
        builder.rejected["no other template says it in words that differ enough"] += 1
        return None


class OntologyTest:
    """The thing by a wider or narrower kind, of which one is there too, or none either; the answer must stay."""

    name = "ontology"
    expects: Expects = "same"
    types: tuple[str, ...] = ("ontology_verification",)

    def perturb(
        self,
        original: GroundedQuestion,
        scene: Scene,
        builder: QuestionBuilder,
        rng: Random,  # noqa: ARG002
    ) -> GroundedQuestion | None:
        slots = {**original.slots, "x": original.slots["other"], "other": original.slots["x"]}
        return builder.build(original.template, slots, scene, wanted=original.answer)

    def facets(self, original: GroundedQuestion, variant: GroundedQuestion, builder: QuestionBuilder) -> dict[str, str]:
        """Whether the variant asks for a wider kind or for a narrower one."""
        before, after = original.slots.get("x"), variant.slots.get("x")
        if not isinstance(before, ObjectDescription) or not isinstance(after, ObjectDescription):
            return {}
        return {"direction": "hypernym" if builder.grammar.ontology.is_a(before.kind, after.kind) else "hyponym"}


class PaperOntologyTest(OntologyTest):
    """The same with a wider kind after yes and a narrower one after no, as in the paper (``--direction paper``)."""

    types: tuple[str, ...] = ("paper_ontology_verification",)


class OrderTest:
    """The two things, or the choices, in another order; the answer must stay."""

    name = "order"
    expects: Expects = "same"
    types: tuple[str, ...] = ("conjunctive_verification", "disjunctive_verification", *CHOICES)

    def perturb(
        self, original: GroundedQuestion, scene: Scene, builder: QuestionBuilder, rng: Random
    ) -> GroundedQuestion | None:
        slots = dict(original.slots)
        choices = slots.get("c")
        if isinstance(choices, tuple):
            others = list(choices)
            while tuple(others) == choices:
                rng.shuffle(others)
            slots["c"] = tuple(others)
        else:
            slots["x"], slots["y"] = slots["y"], slots["x"]
        return builder.build(original.template, slots, scene)


class NegationTest:
    """The question with its clause negated; the answer must turn."""

    name = "negation"
    expects: Expects = "different"
    types: tuple[str, ...] = VERIFICATIONS

    def perturb(
        self,
        original: GroundedQuestion,
        scene: Scene,
        builder: QuestionBuilder,
        rng: Random,  # noqa: ARG002
    ) -> GroundedQuestion | None:
        twin = builder.grammar.negated_template(original.template)
        return None if twin is None else builder.build(twin, original.slots, scene)


class AntonymTest:
    """The attribute replaced by its opposite; the answer must turn."""

    name = "antonym"
    expects: Expects = "different"
    types: tuple[str, ...] = ("antonym_verification",)

    def __init__(self) -> None:
        self.shares = FamilyShares()

    def perturb(
        self, original: GroundedQuestion, scene: Scene, builder: QuestionBuilder, rng: Random
    ) -> GroundedQuestion | None:
        value, thing = original.slots["p"], original.slots["x"]
        assert isinstance(value, str)
        assert isinstance(thing, ObjectDescription)
        ontology = builder.grammar.ontology
        opposites = [
            other
            for other in ontology.attributes.antonyms(value)
            if ontology.applies_to(other, thing.kind) and ontology.attributes.is_predicative(other)
        ]
        rng.shuffle(opposites)
        wanted = "no" if original.answer == "yes" else "yes"
        for other in opposites:
            varied = builder.build(original.template, {**original.slots, "p": other}, scene, wanted=wanted)
            if varied is not None:
                return varied
        return None


class VisualTest:
    """The same question with everything else in the image blurred, masked or cut off; the answer must stay."""

    name = "visual"
    expects: Expects = "same"
    types: tuple[str, ...] = (*VERIFICATIONS, "attribute_verification", *CHOICES)
    obfuscations: tuple[str, ...] = OBFUSCATIONS

    def perturb(
        self,
        original: GroundedQuestion,
        scene: Scene,  # noqa: ARG002
        builder: QuestionBuilder,  # noqa: ARG002
        rng: Random,  # noqa: ARG002
    ) -> GroundedQuestion | None:
        return original

    def foreground(self, original: GroundedQuestion, scene: Scene, rng: Random) -> list[Box]:
        """The boxes of what is asked about; their number does not tell the answer."""
        values = (original.slots[name] for name in sorted(original.slots))
        return choose_foreground([one for one in values if isinstance(one, ObjectDescription)], scene, rng)


CARETS_TESTS: Registry[type[CaretsTest]] = Registry(
    "test",
    "falter.carets_tests",
    {
        "rephrase": "falter.suites.carets.perturbations:RephraseTest",
        "ontology": "falter.suites.carets.perturbations:OntologyTest",
        "order": "falter.suites.carets.perturbations:OrderTest",
        "visual": "falter.suites.carets.perturbations:VisualTest",
        "negation": "falter.suites.carets.perturbations:NegationTest",
        "antonym": "falter.suites.carets.perturbations:AntonymTest",
    },
)
"""Every test that ``falter generate carets --test NAME`` can make; packages from outside add theirs here."""


class Pair(NamedTuple):
    """An original question and its change, with what is known of the arguments."""

    original: GroundedQuestion
    variant: GroundedQuestion
    facets: dict[str, str]
    boxes: list[Box]
    """What stays visible in the images of a test that obfuscates them."""


class PairBuilder:
    """Builds the pairs of one sort of question for one test; its templates take turns."""

    def __init__(self, test: CaretsTest, question: QuestionType, form: str, builder: QuestionBuilder) -> None:
        self._test = test
        # Asking whether it is of a protocol takes long.
        self._obfuscation = test if isinstance(test, ObfuscationTest) else None
        self._poser = builder
        self._templates = builder.grammar.templates_for(question.templates, "plain", form)
        self._rotation = TemplateRotation()

    def build(self, candidate: Candidate, slots: Mapping[str, SlotValue], scene: Scene, rng: Random) -> Pair | None:
        """The pair with these slots, or None where no template says them or either question is refused."""
        in_turn = self._rotation.in_turn(self._templates, rng)
        template = next((one for one in in_turn if template_fits(one, slots, self._poser)), None)
        if template is None:
            return None
        # Reading a text back costs more than all else, so the original's waits until there is a variant.
        original = self._poser.answer_from_scene(template, slots, scene, wanted=candidate.answer)
        variant = None if original is None else self._test.perturb(original, scene, self._poser, rng)
        if original is None or variant is None or not self._as_expected(original, variant):
            return None
        boxes = self._foreground(original, scene, rng)
        if boxes is None or not self._poser.round_trips(original):
            return None
        return Pair(original, variant, dict(candidate.facets), boxes)

    def count_use(self, template: Template) -> None:
        """Count a template whose pair was taken."""
        self._rotation.add(template)

    def _as_expected(self, original: GroundedQuestion, variant: GroundedQuestion) -> bool:
        if variant is not original and not template_fits(variant.template, variant.slots, self._poser):
            return False
        if self._test.expects == "same":
            return original.answer == variant.answer
        return self._test.expects != "different" or original.answer != variant.answer

    def _foreground(self, original: GroundedQuestion, scene: Scene, rng: Random) -> list[Box] | None:
        """The boxes that stay visible; None where the images would be no test."""
        if self._obfuscation is None:
            return []
        boxes = self._obfuscation.foreground(original, scene, rng)
        reason = reason_to_leave_out(boxes, scene.graph)
        if reason is None:
            return boxes
        self._poser.rejected[f"{self._test.name}: {reason}"] += 1
        return None
