"""How many of a source's own yes/no questions already look like augmented ones: the paper wants them to be few."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from falter.english.rewrites import WrittenShape
from falter.sources.protocol import Question
from falter.suites.rad.augmentations import Augmentation

__all__ = ["OwnShapes"]


class OwnShapes:
    """Collects yes/no questions that an augmentation might have written."""

    def __init__(self, augmentations: Sequence[Augmentation]) -> None:
        self._looked_for = [one for one in augmentations if not one.offers_choice]
        self._found: dict[str, list[list[WrittenShape]]] = {one.name: [] for one in augmentations}

    def add(self, question: Question) -> None:
        """Look at a question."""
        if (question.answer or "").lower() not in ("yes", "no"):
            return
        for one in self._looked_for:
            shapes = one.rewrite.written_shapes(question.text)
            if shapes:
                self._found[one.name].append(shapes)

    def count(self, asked: Mapping[str, Iterable[tuple[str, str]]]) -> dict[str, int]:
        """By augmentation how many there are; ``asked`` has the subjects and answers of what it reads.

        Where answers are any words, a question counts if its answer was given to one that the augmentation reads.
        """
        found = {}
        for name, questions in self._found.items():
            pairs = list(asked.get(name, ()))
            subjects, answers = {subject for subject, _ in pairs}, {answer.lower() for _, answer in pairs}
            found[name] = sum(any(shape.fits(subjects, answers) for shape in shapes) for shapes in questions)
        return found
