"""Parses a sentence with one template: finds every way to fill the template's slots that renders the sentence.

``falter audit`` uses it for the second derivation of a label: the text of an item is parsed back to a query.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from falter.generation.english.noun_phrases import Determiner, NounPhrases
from falter.generation.english.open_slots import SlotValue
from falter.generation.english.slots import AGREEMENT, DETERMINERS, SLOT_TYPES, Placeholder, Segments
from falter.generation.scene import ObjectDescription

_PRONOUN = re.compile(" (?:that|who|which) ")

_OR = " or "
_LISTED = ("choices", "adjectives", "materials", "positions", "kinds")
"""Placeholders whose text always has the word between the last two of a list."""

_BEGINNINGS = {
    word: beginnings for word, determiner in DETERMINERS.items() if (beginnings := NounPhrases.beginnings(determiner))
}
"""What the noun phrases of placeholders must begin with."""

Bound = dict[str, SlotValue]
Numbers = Mapping[str, bool]
"""Whether slots are in the plural, as an "is" or "are" said before they came."""


class Needs(NamedTuple):
    """What a sentence must have to be of a template: fixed words, and a relative pronoun or none in particular."""

    words: tuple[str, ...]
    relative: bool

    def are_in(self, lowered: str) -> bool:
        """Whether a sentence in lower case has them."""
        for words in self.words:
            if words not in lowered:
                return False
        return not self.relative or _PRONOUN.search(lowered) is not None


class TemplateParser:
    """Finds every way to fill the slots of a template so that it renders a sentence."""

    def __init__(self, segments: Segments, phrases: NounPhrases) -> None:
        self._segments = segments
        self._last = len(segments) - 1
        self._phrases = phrases
        last = segments[-1] if segments else ""
        self.ending = last if isinstance(last, str) else ""
        """The fixed words at the end of every sentence."""
        # Most sentences are of another template; checking the fixed words rejects them fastest.
        needed = dict.fromkeys(part for part in segments[1:-1] if isinstance(part, str) and len(part) > 1)
        if any(isinstance(part, Placeholder) and part.word in _LISTED for part in segments):
            needed[_OR] = None
        relative = any(isinstance(part, Placeholder) and part.shape == "that" for part in segments)
        self.needs = Needs(tuple(needed), relative)
        """What every sentence has between its beginning and its end."""

    @cached_property
    def _openings(self) -> tuple[int, list[tuple[str, Numbers]]]:
        """How many segments come before the first slot, and all that they may say."""
        written: list[tuple[str, Numbers]] = [("", {})]
        for index, segment in enumerate(self._segments):
            if isinstance(segment, str):
                written = [(before + segment, numbers) for before, numbers in written]
            elif segment.word in AGREEMENT:
                written = [
                    (before + form, {**numbers, segment.slot: bool(plural)})
                    for before, numbers in written
                    for plural, form in enumerate(AGREEMENT[segment.word])
                    if numbers.get(segment.slot, plural) == plural
                ]
            else:
                return index, written
        return len(self._segments), written

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """The fixed words, or their few forms, that every sentence begins with."""
        index, openings = self._openings
        segment = self._segments[index] if index <= self._last else ""
        starts = _BEGINNINGS.get(segment.word, ("",)) if isinstance(segment, Placeholder) else ("",)
        return tuple(f"{written}{start}" for written, _ in openings for start in starts)

    def bindings(self, lowered: str) -> list[Bound]:
        """Every way to fill the slots that gives the sentence, which is in lower case."""
        return self.fill(lowered) if lowered.endswith(self.ending) and self.needs.are_in(lowered) else []

    def fill(self, lowered: str) -> list[Bound]:
        """The same for a sentence that is known to have the ending and what is needed."""
        found: list[Bound] = []
        index, openings = self._openings
        first = self._fillings.get(index)
        for opening, numbers in openings:
            if not lowered.startswith(opening):
                continue
            if first is not None:
                self._fill(first, lowered, len(opening), {}, numbers, found)
            elif len(opening) == len(lowered):
                found.append({})
        return found

    def _bind(self, text: str, position: int, index: int, bound: Bound, numbers: Numbers, found: list[Bound]) -> None:
        while index <= self._last:
            segment = self._segments[index]
            if not isinstance(segment, str):
                break
            if not text.startswith(segment, position):
                return
            position += len(segment)
            index += 1
        else:
            if position == len(text):
                found.append(bound)
            return
        if segment.word in AGREEMENT:
            for plural, form in enumerate(AGREEMENT[segment.word]):
                if text.startswith(form, position) and _agrees(segment.slot, bool(plural), bound, numbers):
                    further = {**numbers, segment.slot: bool(plural)}
                    self._bind(text, position + len(form), index + 1, bound, further, found)
        else:
            self._fill(self._fillings[index], text, position, bound, numbers, found)

    def _fill(
        self, filling: _Filling, text: str, position: int, bound: Bound, numbers: Numbers, found: list[Bound]
    ) -> None:
        placeholder, index, beginnings, determiner, is_last = filling
        if beginnings and not text.startswith(beginnings, position):
            return
        phrases, slot = self._phrases, placeholder.slot
        for end, after in (
            # Only the sentence's end follows, which was checked first.
            ((len(text) - (len(self.ending) if index < self._last else 0), len(text)),)
            if is_last
            else self._ends(text, position, index)
        ):
            if determiner is None:
                values = self.values(placeholder, text[position:end])
            elif phrases.may_end(text, end):
                values = phrases.parse(text[position:end], determiner, placeholder.shape)
            else:
                continue
            for value in values:
                if slot in bound and bound[slot] != value:
                    continue
                if slot in numbers and numbers[slot] != _plural(value):
                    continue
                filled = {**bound, slot: value}
                if is_last:
                    found.append(filled)
                else:
                    self._bind(text, after, index + 2, filled, numbers, found)

    @cached_property
    def _fillings(self) -> dict[int, _Filling]:
        """What filling each placeholder takes, by its place among the segments."""
        return {
            index: _Filling(
                segment,
                index,
                _BEGINNINGS.get(segment.word, ()),
                DETERMINERS.get(segment.word),
                index + 1 >= self._last,
            )
            for index, segment in enumerate(self._segments)
            if isinstance(segment, Placeholder)
        }

    def _ends(self, text: str, position: int, index: int) -> list[tuple[int, int]]:
        """Where the text of a placeholder may end, and where the fixed words that follow it do."""
        following, alternatives = self._following[index]
        ends = []
        end = text.find(following, position + 1)
        while end != -1:
            if not alternatives or text.startswith(alternatives, end):
                ends.append((end, end + len(following)))
            end = text.find(following, end + 1)
        return ends

    @cached_property
    def _following(self) -> dict[int, tuple[str, tuple[str, ...]]]:
        """For each placeholder the fixed words after it and, where a verb that agrees follows, these with its forms."""
        found: dict[int, tuple[str, tuple[str, ...]]] = {}
        for index, (segment, words) in enumerate(pairwise(self._segments)):
            if isinstance(segment, str):
                continue
            assert isinstance(words, str)  # two placeholders never stand next to each other
            after = self._segments[index + 2 : index + 4]
            forms: tuple[str, ...] = ()
            if after and isinstance(after[0], Placeholder) and after[0].word in AGREEMENT:
                further = after[1] if len(after) > 1 and isinstance(after[1], str) else ""
                forms = tuple(f"{words}{form}{further}" for form in AGREEMENT[after[0].word])
            found[index] = (words, forms)
        return found

    def values(self, placeholder: Placeholder, text: str) -> Sequence[SlotValue]:
        """What the text of a placeholder may have been written from."""
        determiner = DETERMINERS.get(placeholder.word)
        if determiner is not None:
            return self._phrases.parse(text, determiner, placeholder.shape)
        slot_type, ontology = SLOT_TYPES[placeholder.word], self._phrases.ontology
        if not slot_type.exact:
            return list(slot_type.parse(text, ontology))
        return [
            value
            for value in slot_type.parse(text, ontology)
            if (written := slot_type.render(value, ontology)) is not None and self._phrases.same_words(written, text)
        ]


class _Filling(NamedTuple):
    """A placeholder, its place, what its text begins with, its determiner if it is a noun phrase; if it is the last."""

    placeholder: Placeholder
    place: int
    beginnings: tuple[str, ...]
    determiner: Determiner | None
    is_last: bool


def _plural(value: SlotValue) -> bool:
    return isinstance(value, ObjectDescription) and value.number == "plural"


def _agrees(slot: str, plural: bool, bound: Bound, numbers: Numbers) -> bool:
    if slot in bound:
        return _plural(bound[slot]) == plural
    return numbers.get(slot, plural) == plural
