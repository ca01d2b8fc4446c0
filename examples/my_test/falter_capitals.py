"""A test of our own: the same question in capital letters. Shouting changes nothing, so the answer must stay."""

from __future__ import annotations

from random import Random

import msgspec

from falter.authoring.question_builder import Posed, Poser
from falter.probes import Expects
from falter.scene import Scene
from falter.suites.carets.perturbations import TESTS


class Capitals:
    """The same question in capital letters; the answer must stay."""

    name = "capitals"
    expects: Expects = "same"
    types = ("object_verification",)

    def vary(self, original: Posed, scene: Scene, poser: Poser, rng: Random) -> Posed | None:
        return msgspec.structs.replace(original, text=original.text.upper())


# Installed as a package, the test is found by its entry point; given with --extend, it is added here.
if Capitals.name not in TESTS:
    TESTS.add(Capitals.name, Capitals)
