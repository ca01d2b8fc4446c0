"""Posing a question: the text from a template, the answer from the scene, and a refusal where either is unsafe."""

from __future__ import annotations

from collections import Counter

import msgspec

from falter.generation.english import Grammar, Slots, Template
from falter.generation.english.open_slots import SlotValue
from falter.generation.scene import Query, Scene

__all__ = ["GroundedQuestion", "QuestionBuilder"]


_MOST_READ = 20_000
"""Texts whose meanings are remembered."""


class GroundedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question about a scene whose answer is settled and whose text has one meaning."""

    template: Template
    slots: dict[str, SlotValue]
    text: str
    meaning: Query
    answer: str


class QuestionBuilder:
    """Poses questions about one scene after another, counting what it refuses."""

    def __init__(self, grammar: Grammar, rejected: Counter[str]) -> None:
        self.grammar = grammar
        self.rejected = rejected
        self._read: dict[str, tuple[Query, ...]] = {}

    def build(
        self, template: Template, slots: Slots, scene: Scene, *, wanted: str | None = None
    ) -> GroundedQuestion | None:
        """The question, or None where the scene cannot settle it or the text can be read in another way too.

        A question with another answer than the wanted one is passed over.
        """
        question = self.answer_from_scene(template, slots, scene, wanted=wanted)
        return question if question is not None and self.round_trips(question) else None

    def answer_from_scene(
        self, template: Template, slots: Slots, scene: Scene, *, wanted: str | None = None
    ) -> GroundedQuestion | None:
        """The question with the scene's answer, its text still to be read back; None where that is not settled."""
        meaning = template.meaning(slots)
        answer = meaning.answer(scene)
        if answer is None:
            self.rejected["the annotation cannot settle the answer"] += 1
            return None
        if wanted is not None and answer != wanted:
            return None
        return GroundedQuestion(
            template=template, slots=dict(slots), text=template.render(slots), meaning=meaning, answer=answer
        )

    def round_trips(self, question: GroundedQuestion) -> bool:
        """Whether the text of a question has its meaning, and no other."""
        parses = self._parse(question.text)
        if parses == (question.meaning,):
            return True
        cause = "the text has a second meaning" if len(parses) > 1 else "the text cannot be read back"
        self.rejected[cause] += 1
        return False

    def _parse(self, text: str) -> tuple[Query, ...]:
        """The meanings of a text; the same one is asked of many images, and again in each pass over them."""
        known = self._read.get(text)
        if known is None:
            if len(self._read) >= _MOST_READ:
                self._read.clear()
            known = self._read[text] = self.grammar.parse(text)
        return known
