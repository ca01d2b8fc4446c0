"""Makes a pair of questions from a candidate: the original by a template whose turn it is, and its change."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import NamedTuple

from falter.authoring.question_builder import GroundedQuestion, QuestionBuilder
from falter.english import Template
from falter.english.slots import SlotValue
from falter.scene import Box, Scene
from falter.suites.carets.obfuscated_images import reason_to_leave_out
from falter.suites.carets.perturbations import CaretsTest, ObfuscationTest, template_fits
from falter.suites.carets.questions import QuestionType
from falter.suites.carets.questions.candidates import Candidate
from falter.suites.carets.template_rotation import TemplateRotation

__all__ = ["Pair", "PairBuilder"]


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
