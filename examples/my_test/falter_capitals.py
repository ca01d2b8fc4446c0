"""A test of our own: the same question in capital letters. Shouting changes nothing, so the answer must stay."""

from __future__ import annotations

from random import Random

import msgspec

from falter.extend import CARETS_TESTS, Expects, GroundedQuestion, QuestionBuilder, Scene


class Capitals:
    """The same question in capital letters; the answer must stay."""

    name = "capitals"
    expects: Expects = "same"
    types = ("object_verification",)

    def perturb(
        self, original: GroundedQuestion, scene: Scene, builder: QuestionBuilder, rng: Random
    ) -> GroundedQuestion | None:
        return msgspec.structs.replace(original, text=original.text.upper())


# Installed as a package, the test is found by its entry point; given with --plugin-dir, it is added here.
if Capitals.name not in CARETS_TESTS:
    CARETS_TESTS.add(Capitals.name, Capitals)
