"""The tests: what becomes of an original question, and what must hold between the two answers."""

from __future__ import annotations

from random import Random
from typing import Protocol

from falter.probes import Expects
from falter.registry import Registry
from falter.scene import Scene
from falter.suites.posing import Posed, Poser

__all__ = ["TESTS", "Negation", "Rephrase", "Test"]


class Test(Protocol):
    """One capability: a small change of a question, and whether the answer must stay or turn."""

    name: str
    expects: Expects
    types: tuple[str, ...]

    def vary(self, original: Posed, scene: Scene, poser: Poser, rng: Random) -> Posed | None:
        """The changed question, or None where it cannot be made."""
        ...


class Rephrase:
    """The same question in other words; the answer must stay."""

    name = "rephrase"
    expects: Expects = "same"
    types = ("object_verification",)

    def vary(self, original: Posed, scene: Scene, poser: Poser, rng: Random) -> Posed | None:
        template = original.template
        others = [
            other
            for other in poser.english.templates_of(template.type, template.polarity, template.form)
            if other.id != template.id
        ]
        return poser.pose(rng.choice(others), original.slots, scene) if others else None


class Negation:
    """The question with its clause negated; the answer must turn."""

    name = "negation"
    expects: Expects = "different"
    types = ("object_verification",)

    def vary(self, original: Posed, scene: Scene, poser: Poser, rng: Random) -> Posed | None:  # noqa: ARG002
        twin = poser.english.negation_of(original.template)
        return None if twin is None else poser.pose(twin, original.slots, scene)


TESTS: Registry[type[Test]] = Registry(
    "test",
    "falter.tests",
    {"rephrase": "falter.suites.carets.tests:Rephrase", "negation": "falter.suites.carets.tests:Negation"},
)
"""Every test that ``falter generate carets --test NAME`` can make; packages from outside add theirs here."""
