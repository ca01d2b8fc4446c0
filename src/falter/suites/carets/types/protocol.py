"""What a question type is to the maker."""

from __future__ import annotations

from random import Random
from typing import Protocol

from falter.english import English
from falter.scene import Scene, SceneObject, Selection
from falter.suites.carets.arguments import false_things, true_things
from falter.suites.carets.candidates import Cells
from falter.suites.carets.habits import Habits
from falter.suites.carets.references import references

__all__ = ["Material", "QuestionType"]


class Material:
    """What candidates are made from: one scene, the English, and what is usual in the source."""

    def __init__(self, scene: Scene, english: English, habits: Habits, seed: int = 0) -> None:
        self.scene = scene
        self.english = english
        self.habits = habits
        self._seed = seed
        self._things: dict[tuple[str, str], list[Selection]] = {}
        self._references: dict[tuple[str, str, str, bool], list[Selection]] = {}

    def things(self, form: str, answer: str) -> list[Selection]:
        """Descriptions of what is there (yes) or might well be and is not (no), worked out once for all types."""
        key = (form, answer)
        if key not in self._things:
            rng = Random(f"{self._seed}|things|{self.scene.graph.image_id}|{form}|{answer}")
            ontology = self.english.ontology
            self._things[key] = (
                true_things(self.scene, form, ontology, rng)
                if answer == "yes"
                else false_things(self.scene, form, ontology, self.habits, rng)
            )
        return list(self._things[key])

    def references(self, thing: SceneObject, kind: str, form: str, *, bare: bool = True) -> list[Selection]:
        """Definite descriptions by a kind that pick out this thing alone, worked out once for all types."""
        key = (thing.id, kind, form, bare)
        known = self._references.get(key)
        if known is None:
            found = references(thing, kind, form, self.scene, self.english.ontology, bare=bare)
            known = self._references[key] = list(found)
        return known


class QuestionType(Protocol):
    """A sort of question: which templates it uses, which forms it has, and how its answers are balanced.

    ``turns`` are the groups of cells that are filled together from one picture; all groups get the same share.
    """

    name: str
    templates: str
    forms: tuple[str, ...]
    turns: tuple[tuple[str, ...], ...]

    def candidates(self, material: Material, form: str, rng: Random) -> Cells:
        """What may be asked of a scene, by cell."""
        ...
