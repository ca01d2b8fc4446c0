"""What a question type is to the maker."""

from __future__ import annotations

from random import Random
from typing import NamedTuple, Protocol

from falter.english import English
from falter.scene import Scene
from falter.suites.carets.candidates import Cells
from falter.suites.carets.habits import Habits

__all__ = ["Material", "QuestionType"]


class Material(NamedTuple):
    """What candidates are made from: one scene, the English, and what is usual in the source."""

    scene: Scene
    english: English
    habits: Habits


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
