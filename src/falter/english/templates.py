"""Templates that work both ways: ``render`` writes a sentence from slots, ``match`` reads slots from a sentence.

A template is a sentence with directives in braces. A directive is a word and the name of a slot:

========================== =========================================================================
``{a x}``                  the noun phrase of slot x: "a red cup", "red cups", "water"
``{any x}``                the same in a question: "a red cup", "any red cups", "any water"
``{the x}`` ``{no x}``     "the red cup", "no red cup"
``{bare x}``               the noun phrase without a determiner
``{any x related}``        any of these with a relation: "a cup on the table"
``{any x that}``           any of these with the relation in a clause: "a cup that is on the table"
``{is x}`` ``{does x}``    agreement with slot x: is/are, does/do; likewise ``{has x}``, ``{was x}``
``{value p}``              an attribute
``{number n}``             a number in words
``{choices c}``            a list of attributes to choose from: "wood, metal, or plastic"
``{kinds c}``              a list of kinds to choose from: "a cow, a horse, or a pig"
``{family f}``             what the choices are values of: "color"
========================== =========================================================================

What a template means is written in the query algebra over the slots: ``Not(Exists(x))``;
``ChooseKind(x, c)`` and ``ChooseAttribute(x, c)`` make a choice of choices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec

from falter.english.meanings import MeaningError, evaluate, parse_meaning
from falter.english.phrases import Determiner, Phrases, Shape
from falter.english.slots import SORTS, SlotValue
from falter.scene import Query, Selection

__all__ = ["Reading", "Slots", "Template", "TemplateError"]

Slots = Mapping[str, SlotValue]


class TemplateError(ValueError):
    """A template that is written wrong, or slots that do not fit it."""


class Reading(NamedTuple):
    """One way to read a sentence: the template, the slots found, and what it means."""

    template: Template
    slots: dict[str, SlotValue]
    meaning: Query


class _Directive(NamedTuple):
    word: str
    slot: str
    shape: Shape


_DIRECTIVE = re.compile(r"\{([^{}]*)\}")
_AGREEMENT: dict[str, tuple[str, str]] = {
    "is": ("is", "are"),
    "does": ("does", "do"),
    "has": ("has", "have"),
    "was": ("was", "were"),
    "it": ("it", "they"),
}
_PHRASES: dict[str, Determiner] = {"a": "a", "any": "any", "the": "the", "no": "no", "bare": ""}


class Template(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A sentence pattern with a meaning."""

    id: str
    type: str
    text: str
    means: str
    phrases: Phrases
    polarity: Literal["plain", "negated"] = "plain"
    example: str = ""

    @cached_property
    def _segments(self) -> tuple[str | _Directive, ...]:
        segments: list[str | _Directive] = []
        position = 0
        for found in _DIRECTIVE.finditer(self.text):
            if found.start() > position:
                segments.append(self.text[position : found.start()].lower())
            segments.append(self._directive(found.group(1)))
            position = found.end()
        if position < len(self.text):
            segments.append(self.text[position:].lower())
        for first, second in pairwise(segments):
            if isinstance(first, _Directive) and isinstance(second, _Directive):
                raise TemplateError(f"template {self.id!r}: two directives need a word or a space between them")
        return tuple(segments)

    def _directive(self, written: str) -> _Directive:
        match written.split():
            case [word, slot] if word in _AGREEMENT or word in _PHRASES or word in SORTS:
                return _Directive(word, slot, "plain")
            case [word, slot, ("related" | "that") as shape] if word in _PHRASES:
                return _Directive(word, slot, shape)
        raise TemplateError(f"template {self.id!r}: {{{written}}} is not a directive")

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The names of the slots, in the order in which they first appear."""
        return tuple(dict.fromkeys(part.slot for part in self._segments if isinstance(part, _Directive)))

    @cached_property
    def form(self) -> Literal["single", "related"]:
        """Whether a noun phrase of the template brings a relation with it."""
        related = any(isinstance(part, _Directive) and part.shape != "plain" for part in self._segments)
        return "related" if related else "single"

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """The fixed words, or their few forms, that every sentence of this template begins with."""
        written = [""]
        for segment in self._segments:
            if isinstance(segment, str):
                forms: tuple[str, ...] = (segment,)
            elif segment.word in _AGREEMENT:
                forms = _AGREEMENT[segment.word]
            elif segment.word in ("the", "no"):
                return tuple(f"{before}{segment.word} " for before in written)
            else:
                break
            written = [before + form for before in written for form in forms]
        return tuple(written)

    @cached_property
    def openings(self) -> frozenset[str] | None:
        """The two words that a sentence of this template can begin with; None where they may be any."""
        # A word counts only when the space after it is certain, else it may go on.
        if any(text.count(" ") < 2 for text in self.beginnings):
            return None
        return frozenset(" ".join(text.split(" ")[:2]) for text in self.beginnings)

    def check(self) -> None:
        """Raise :class:`TemplateError` for a text or a meaning that could never be used."""
        if not self._segments:
            raise TemplateError(f"template {self.id!r} has no text")
        examples: dict[str, SlotValue] = {}
        for part in self._segments:
            if not isinstance(part, str) and part.word not in _AGREEMENT:
                examples[part.slot] = SORTS[part.word].example if part.word in SORTS else Selection("thing")
        for slot in self.slots:
            if slot not in examples:
                raise TemplateError(f"template {self.id!r}: the slot {slot!r} is agreed with, but never written")
        try:
            meaning = self.meaning(examples)
        except TypeError as error:
            raise TemplateError(f"template {self.id!r}: {self.means!r} is not a meaning: {error}") from error
        if not isinstance(meaning, Query):
            raise TemplateError(f"template {self.id!r}: {self.means!r} is not a query")

    def render(self, slots: Slots) -> str:
        """The sentence for these slots, with a capital letter first."""
        text = "".join(part if isinstance(part, str) else self._write(part, slots) for part in self._segments)
        return text[:1].upper() + text[1:]

    def _write(self, directive: _Directive, slots: Slots) -> str:
        try:
            value = slots[directive.slot]
        except KeyError:
            raise TemplateError(f"template {self.id!r} needs the slot {directive.slot!r}") from None
        match value:
            case Selection() if directive.word in _AGREEMENT:
                return _AGREEMENT[directive.word][value.number == "plural"]
            case Selection() if directive.word in _PHRASES:
                return self.phrases.write(value, _PHRASES[directive.word], directive.shape)
            case _ if directive.word in SORTS:
                written = SORTS[directive.word].write(value, self.phrases.ontology)
                if written is not None:
                    return written
        raise TemplateError(f"template {self.id!r}: {value!r} does not fit {{{directive.word} {directive.slot}}}")

    def match(self, text: str) -> list[Reading]:
        """Every reading of a sentence by this template; none when it is not of this form."""
        lowered = text.lower()
        if not self._may_match(lowered):
            return []
        readings: list[Reading] = []
        for slots in self._bindings(lowered, 0, 0, {}):
            if (
                self._coherent(slots)
                and self._writes(lowered, slots)
                and not any(slots == known.slots for known in readings)
            ):
                readings.append(Reading(self, slots, self.meaning(slots)))
        return readings

    @cached_property
    def ending(self) -> str:
        """The fixed words at the end of every sentence of this template, to rule it out quickly."""
        last = self._segments[-1]
        return last if isinstance(last, str) else ""

    def _may_match(self, lowered: str) -> bool:
        """A quick look at the fixed words, since most templates are not the one."""
        first = self._segments[0]
        if isinstance(first, str) and not lowered.startswith(first):
            return False
        if not lowered.endswith(self.ending):
            return False
        return all(words in lowered for words in self._fixed_words)

    @cached_property
    def _fixed_words(self) -> tuple[str, ...]:
        return tuple(part for part in self._segments if isinstance(part, str) and len(part) > 1)

    def _coherent(self, slots: Slots) -> bool:
        """Whether the choices are of the family that the sentence names."""
        families, choices = self._family_slots, self._choice_slots
        ontology = self.phrases.ontology
        return all(
            value in ontology.families[str(slots[family])].values
            for family in families
            for slot in choices
            if isinstance(values := slots[slot], tuple)
            for value in values
        )

    @cached_property
    def _family_slots(self) -> tuple[str, ...]:
        return tuple(part.slot for part in self._segments if isinstance(part, _Directive) and part.word == "family")

    @cached_property
    def _choice_slots(self) -> tuple[str, ...]:
        return tuple(part.slot for part in self._segments if isinstance(part, _Directive) and part.word == "choices")

    @property
    def names_family(self) -> bool:
        """Whether the sentence names the family that the choices are of ("What color ...")."""
        return bool(self._family_slots)

    def _writes(self, lowered: str, slots: Slots) -> bool:
        written = self.render(slots).lower()
        if written == lowered:
            return True
        plain = self.phrases.in_first_names
        # Only what is said by another name may be written otherwise; "a apple" is still no English.
        return plain(lowered).replace(" an ", " a ") != lowered.replace(" an ", " a ") and plain(written) == plain(
            lowered
        )

    def _bindings(
        self, text: str, position: int, index: int, bound: dict[str, SlotValue]
    ) -> Iterator[dict[str, SlotValue]]:
        if index == len(self._segments):
            if position == len(text):
                yield bound
            return
        segment = self._segments[index]
        if isinstance(segment, str):
            if text.startswith(segment, position):
                yield from self._bindings(text, position + len(segment), index + 1, bound)
        elif segment.word in _AGREEMENT:
            for form in _AGREEMENT[segment.word]:
                if text.startswith(form, position):
                    yield from self._bindings(text, position + len(form), index + 1, bound)
        else:
            for end in self._ends(text, position, index):
                for value in self._values(segment, text[position:end]):
                    if segment.slot not in bound or bound[segment.slot] == value:
                        yield from self._bindings(text, end, index + 1, {**bound, segment.slot: value})

    def _ends(self, text: str, position: int, index: int) -> Iterator[int]:
        if index + 1 == len(self._segments):
            yield len(text)
            return
        following = self._segments[index + 1]
        assert isinstance(following, str)  # the segments were checked when they were made
        end = text.find(following, position + 1)
        while end != -1:
            yield end
            end = text.find(following, end + 1)

    def _values(self, directive: _Directive, text: str) -> Iterator[SlotValue]:
        if directive.word in _PHRASES:
            determiner = _PHRASES[directive.word]
            for found in self.phrases.read(text, determiner, directive.shape):
                yield msgspec.structs.replace(found, definite=True) if determiner == "the" else found
        else:
            yield from SORTS[directive.word].read(text, self.phrases.ontology)

    def meaning(self, slots: Slots) -> Query:
        """What the sentence asks, with these slots."""
        try:
            meaning: Query = evaluate(parse_meaning(self.means), slots)
        except MeaningError as error:
            raise TemplateError(f"template {self.id!r}: {error}") from error
        return meaning
