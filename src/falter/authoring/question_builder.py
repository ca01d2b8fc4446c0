"""Posing a question: the text from a template, the answer from the scene, and a refusal where either is unsafe."""

from __future__ import annotations

from collections import Counter

import msgspec

from falter.english import Grammar, Slots, Template
from falter.english.slots import SlotValue
from falter.scene import Query, Scene

__all__ = ["Posed", "Poser"]


class Posed(msgspec.Struct, frozen=True, kw_only=True):
    """A question about a scene whose answer is settled and whose text has one meaning."""

    template: Template
    slots: dict[str, SlotValue]
    text: str
    meaning: Query
    answer: str


class Poser:
    """Poses questions about one scene after another, counting what it refuses."""

    def __init__(self, grammar: Grammar, refused: Counter[str]) -> None:
        self.grammar = grammar
        self.refused = refused

    def pose(self, template: Template, slots: Slots, scene: Scene, *, wanted: str | None = None) -> Posed | None:
        """The question, or None where the scene cannot settle it or the text can be read in another way too.

        A question with another answer than the wanted one is passed over.
        """
        posed = self.settle(template, slots, scene, wanted=wanted)
        return posed if posed is not None and self.reads_back(posed) else None

    def settle(self, template: Template, slots: Slots, scene: Scene, *, wanted: str | None = None) -> Posed | None:
        """The question with the scene's answer, its text still to be read back; None where that is not settled."""
        meaning = template.meaning(slots)
        answer = meaning.answer(scene)
        if answer is None:
            self.refused["the annotation cannot settle the answer"] += 1
            return None
        if wanted is not None and answer != wanted:
            return None
        return Posed(template=template, slots=dict(slots), text=template.render(slots), meaning=meaning, answer=answer)

    def reads_back(self, posed: Posed) -> bool:
        """Whether the text of a question has its meaning, and no other."""
        readings = self.grammar.parse(posed.text)
        if len(readings) > 1:
            self.refused["the text has a second meaning"] += 1
        elif readings != (posed.meaning,):
            self.refused["the text cannot be read back"] += 1
        return readings == (posed.meaning,)
