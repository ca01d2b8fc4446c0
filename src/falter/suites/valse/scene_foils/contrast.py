"""Two statements of which a scene makes one true and the other false."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from falter.authoring.scene_things import SceneThings
from falter.english import Grammar, Template
from falter.english.slots import SlotValue
from falter.scene import ObjectDescription, Query
from falter.suites.valse.foiling.candidate import Spans
from falter.suites.valse.scene_foils.source_facts import SourceFacts

__all__ = [
    "ALIKE",
    "CaptionWriter",
    "Contrast",
    "FoiledScene",
    "Proposer",
    "SceneStatement",
    "changed_span",
    "share_a_word",
]


ALIKE = 0.25
"""How near in meaning kinds are that are named beside each other: dogs and horses, not dogs and cups."""


class SceneStatement(NamedTuple):
    """A sentence with its meaning."""

    text: str
    meaning: Query


class Contrast(NamedTuple):
    """Two statements, the words in which they differ, and by which form of sentence they were written."""

    first: SceneStatement
    second: SceneStatement
    words: tuple[str, str]
    form: str = ""


class CaptionWriter:
    """Writes statements by the templates of captions, and reads each back."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self._reads: dict[str, tuple[Query, ...]] = {}

    def say(self, template: str, **slots: SlotValue) -> SceneStatement:
        """The statement of a template with these slots; of its negation where the id ends with ``.negated``."""
        found: Template = self.grammar.template(template)
        return SceneStatement(found.render(slots), found.meaning(slots))

    def reads_back(self, statement: SceneStatement) -> bool:
        """Whether the text means what it was written from, and nothing else."""
        if statement.text not in self._reads:
            self._reads[statement.text] = self.grammar.parse(statement.text)
        return self._reads[statement.text] == (statement.meaning,)


class FoiledScene(NamedTuple):
    """What an instrument works with: a scene, what its source says, and random numbers for this scene alone."""

    things: SceneThings
    writer: CaptionWriter
    facts: SourceFacts
    rng: Random


Proposer = Callable[[FoiledScene], Iterator[Contrast]]
"""The contrasts of one instrument for a scene; which statement is true, and whether that is settled, is open."""


def changed_span(text: str, other: str) -> Spans:
    """From the first to the last word of a text that differ from another; a word before what only one of them has.

    >>> changed_span("The cat is on the mat.", "The cat is under the mat.")
    ((11, 13),)
    >>> changed_span("The cat is red.", "The cat is not red."), changed_span("The cat is not red.", "The cat is red.")
    (((8, 10),), ((8, 14),))
    """
    words, others = text.rstrip(".").split(" "), other.rstrip(".").split(" ")
    most = min(len(words), len(others))
    before = next((place for place in range(most) if words[place] != others[place]), most)
    after = next((place for place in range(most - before) if words[-1 - place] != others[-1 - place]), most - before)
    if before + after == most and before:
        before -= 1
    start = sum(len(word) + 1 for word in words[:before])
    return ((start, start + len(" ".join(words[before : len(words) - after]))),)


def share_a_word(first: ObjectDescription, second: ObjectDescription) -> bool:
    """Whether two kinds have a word in common ("street", "street sign"), which reads badly in one sentence."""
    return not set(first.kind.split()).isdisjoint(second.kind.split())
