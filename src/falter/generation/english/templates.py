"""Bidirectional templates: ``render`` makes a sentence from slots, ``parse`` finds the slots of a sentence.

A template is a sentence with placeholders in braces. A placeholder is a word and the name of a slot:

========================== =========================================================================
``{a x}``                  the noun phrase of slot x: "a red cup", "red cups", "water"
``{any x}``                the same in a question: "a red cup", "any red cups", "any water"
``{the x}`` ``{no x}``     "the red cup", "no red cup"
``{bare x}``               the noun phrase without a determiner
``{any x related}``        any of these with a relation: "a cup on the table"
``{any x that}``           any of these with the relation in a clause: "a cup that is on the table", "a man who is ..."
``{any x clause}``         any of these as a whole clause: "a cup is on the table"
``{anyone x related}``     a person of whom only a relation is said: "anyone wearing a hat"; ``{noone x related}`` too
``{which x clause}``       the only one there is, asked for: "which animal is on the sofa"
``{kindof x}``             the same with "kind of": "kind of small animal"; not of people
``{is x}`` ``{does x}``    agreement with slot x: is/are, does/do; likewise ``{has x}``, ``{was x}``
``{value p}``              an attribute
``{adjective p}``          an attribute that something can look: "red", but not "walking" or "off"
``{number n}``             a number in words
``{digit n}``              a number in digits
``{choices c}``            a list of attributes to choose from: "wood, metal, or plastic"
``{adjectives c}``         the same of attributes that something can look
``{actions c}``            a list of what somebody may do, not of poses
``{positions c}``          a list of poses: "standing or sitting"
``{kinds c}``              a list of kinds to choose from: "a cow, a horse, or a pig"
``{family f}``             what the choices are values of: "color"
``{quality f}``            the same in "the color of": not "length", for no length is short
========================== =========================================================================

Templates that read what people wrote (``data/questions``) have open placeholders besides:

============================== =====================================================================
``{np x}``                     any noun phrase: "the bag the man is behind of", "her hair"
``{indefinite x}`` ``{noun x}`` the same, not definite; without a determiner
``{clause x}``                 a noun and what is asked of it: "furniture is made of wood"
``{who x}`` ``{what x}``       the same without the noun: "is wearing a hat"
``{values v}`` ``{options c}`` attributes joined by "and"; by "or"
``{nouns c}``                  kinds to choose from
``{relation r}`` ``{relations r}`` a relation in any form; two to choose from
``{side s}`` ``{sides s}``     a side of the image; sides to choose from
``{label f}`` ``{how f}``      a family by its name ("height"); by an adjective ("tall")
============================== =====================================================================

``[What|Which]`` stands for either; the first one is written.

What a template means is written in the query algebra over the slots: ``Not(Exists(x))``;
``ChooseKind(x, c)`` and ``ChooseAttribute(x, c)`` make a choice of choices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain
from typing import Literal, NamedTuple

import msgspec

from falter.generation.english.noun_phrases import NounPhrases
from falter.generation.english.open_slots import SlotValue
from falter.generation.english.repetition import content_stems, slot_stems
from falter.generation.english.semantics import Meaning, MeaningError, compile_meaning
from falter.generation.english.slots import (
    AGREEMENT,
    DETERMINERS,
    SLOT_TYPES,
    Placeholder,
    Segments,
    TemplateError,
    split_segments,
)
from falter.generation.english.template_parser import TemplateParser
from falter.generation.scene import ObjectDescription, Query

__all__ = ["Parse", "Slots", "Template", "TemplateError"]

Slots = Mapping[str, SlotValue]

_FAMILY = ("family", "attribute", "quality")
_CHOICES = ("choices", "adjectives", "states", "materials", "actions", "positions")
_NOT_PEOPLE = ("object", "which")
"""Placeholders of things: nobody asks what the child is, a boy or a girl, nor which person is a man."""
_MOST_KNOWN = 512
"""Slots that a template remembers whether it can say."""
_DEMANDING = (
    "anyone", "noone", "kindof", *_NOT_PEOPLE, "adjective", "adjectives", "attribute", "quality",
    "states", "materials", "actions", "positions",
)  # fmt: skip
_IN_CLAUSES = ("wearing", "holding", "action")
"""Classes of relations that "a man is ..." is said of without "there"."""
_VALUES = ("value", "choices", "kinds", "adjective", "adjectives", "states", "materials", "actions", "positions")


class Parse(NamedTuple):
    """One parse of a sentence: the template, its slots, and the query that it means."""

    template: Template
    slots: dict[str, SlotValue]
    meaning: Query

    def change(self, **slots: SlotValue) -> Parse:
        """The same sentence with other values in some slots, and what it means then."""
        changed = {**self.slots, **slots}
        return Parse(self.template, changed, self.template.meaning(changed))


class Template(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A sentence pattern with a meaning."""

    id: str
    type: str
    text: str
    means: str
    phrases: NounPhrases
    polarity: Literal["plain", "negated"] = "plain"
    example: str = ""

    @cached_property
    def _segments(self) -> Segments:
        try:
            return split_segments(self.text)
        except TemplateError as error:
            raise TemplateError(f"template {self.id!r}: {error}") from None

    @property
    def segments(self) -> Segments:
        """The fixed words, in lower case, and the placeholders."""
        return self._segments

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The names of the slots, in the order in which they first appear."""
        return tuple(dict.fromkeys(part.slot for part in self._segments if isinstance(part, Placeholder)))

    @cached_property
    def form(self) -> Literal["single", "related"]:
        """Whether a noun phrase of the template brings a relation with it."""
        related = any(isinstance(part, Placeholder) and part.shape != "plain" for part in self._segments)
        return "related" if related else "single"

    @cached_property
    def parser(self) -> TemplateParser:
        """The parser of this template."""
        return TemplateParser(self._segments, self.phrases)

    def check(self) -> None:
        """Raise :class:`TemplateError` for a text or a meaning that could never be used."""
        if not self._segments:
            raise TemplateError(f"template {self.id!r} has no text")
        examples: dict[str, SlotValue] = {}
        for part in self._segments:
            if not isinstance(part, str) and part.word not in AGREEMENT:
                examples[part.slot] = (
                    SLOT_TYPES[part.word].example if part.word in SLOT_TYPES else ObjectDescription("thing")
                )
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

    def fits(self, slots: Slots) -> bool:
        """Whether the sentence can say these slots in good English: each in its place, and no word twice."""
        # The same question is posed by several tests, and looked at with one template after the other.
        known, key = self._fitting, tuple(slots.items())
        fits = known.get(key)
        if fits is None:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            fits = known[key] = self._look_whether_it_fits(slots)
        return fits

    @cached_property
    def _fitting(self) -> dict[tuple[tuple[str, SlotValue], ...], bool]:
        return {}

    def _look_whether_it_fits(self, slots: Slots) -> bool:
        said = [slot_stems(slots[name]) for name in self._said_slots]
        fixed = self._fixed_stems
        for stems in said:
            if not fixed.isdisjoint(stems):
                return False
        for slot in self._family_slots:
            label = self.phrases.ontology.families[str(slots[slot])].label
            if label is None or not content_stems(label).isdisjoint(chain.from_iterable(said)):
                return False
        return all(self._can_write(part, slots[part.slot]) for part in self._demanding) and self._reads_well(slots)

    def _reads_well(self, slots: Slots) -> bool:
        """Whether no noun phrase runs into what follows it, and none in the plural is taken for things in general."""
        for part in self._before_values:
            if _ends_in_participle_phrase(slots[part.slot]):
                return False
        if any(
            isinstance(thing := slots[part.slot], ObjectDescription) and thing.number == "plural"
            for part in self._bare_clauses
        ):
            return False
        return not any(self._is_spot(slots[part.slot]) for part in self._clauses)

    def _is_spot(self, value: SlotValue) -> bool:
        """Whether a thing is said to be somewhere: "there is a tree on the grass", not "a tree is on the grass"."""
        related = value.relation if isinstance(value, ObjectDescription) else None
        record = None if related is None else self.phrases.ontology.relations.get(related.name)
        return record is not None and record.relation_class not in _IN_CLAUSES

    @cached_property
    def _before_values(self) -> tuple[Placeholder, ...]:
        """The noun phrases with a relation right before a value: "is the girl wearing a dress standing?"."""
        parts = self._segments
        return tuple(
            part
            for part, following, after in zip(parts, parts[1:], (*parts[2:], ""), strict=False)
            if isinstance(part, Placeholder)
            and part.shape == "related"
            and isinstance(following, str)
            and (following.startswith(" doing") or (following == " " and _is_value(after)))
        )

    @cached_property
    def _clauses(self) -> tuple[Placeholder, ...]:
        """The clauses that begin with a thing that was not spoken of before."""
        parts = (part for part in self._segments if isinstance(part, Placeholder))
        return tuple(part for part in parts if part.word in ("a", "any") and part.shape == "clause")

    @cached_property
    def _bare_clauses(self) -> tuple[Placeholder, ...]:
        """The clauses that begin with a plural without "any": "is it true that tables are to the left of the bus?"."""
        parts = (part for part in self._segments if isinstance(part, Placeholder))
        return tuple(part for part in parts if part.word == "a" and part.shape == "clause")

    @cached_property
    def _said_slots(self) -> tuple[str, ...]:
        """The slots whose own words are written."""
        return tuple(name for name in self.slots if name not in self._family_slots)

    @cached_property
    def _fixed_stems(self) -> frozenset[str]:
        return content_stems(" ".join(part for part in self._segments if isinstance(part, str)))

    @cached_property
    def _demanding(self) -> tuple[Placeholder, ...]:
        """The placeholders that not every value fits."""
        found = (part for part in self._segments if isinstance(part, Placeholder))
        return tuple(part for part in found if part.word in _DEMANDING)

    @cached_property
    def _points(self) -> bool:
        """Whether the sentence points at the thing: "what kind of green vehicle is this?" has a word too many."""
        return any(isinstance(part, str) and part.startswith((" is this", " is it")) for part in self._segments)

    def _can_write(self, placeholder: Placeholder, value: SlotValue) -> bool:
        if isinstance(value, ObjectDescription):
            if placeholder.word in _NOT_PEOPLE and self.phrases.is_person(value):
                return False
            if placeholder.word == "kindof" and value.attributes and self._points:
                return False
            return self.phrases.can_render(value, DETERMINERS[placeholder.word], placeholder.shape)
        return SLOT_TYPES[placeholder.word].render(value, self.phrases.ontology) is not None

    def _write(self, placeholder: Placeholder, slots: Slots) -> str:
        try:
            value = slots[placeholder.slot]
        except KeyError:
            raise TemplateError(f"template {self.id!r} needs the slot {placeholder.slot!r}") from None
        match value:
            case ObjectDescription() if placeholder.word in AGREEMENT:
                return AGREEMENT[placeholder.word][value.number == "plural"]
            case ObjectDescription() if placeholder.word in DETERMINERS:
                return self.phrases.render(value, DETERMINERS[placeholder.word], placeholder.shape)
            case _ if placeholder.word in SLOT_TYPES:
                written = SLOT_TYPES[placeholder.word].render(value, self.phrases.ontology)
                if written is not None:
                    return written
        raise TemplateError(f"template {self.id!r}: {value!r} does not fit {{{placeholder.word} {placeholder.slot}}}")

    def parse(self, text: str) -> list[Parse]:
        """Every parse of a sentence by this template; none if it does not have this form."""
        bindings = self.parser.bindings(text.lower())
        return self.parses_for(bindings) if bindings else []

    def parses_for(self, bindings: Iterable[dict[str, SlotValue]]) -> list[Parse]:
        """The distinct parses that slots give which fit a sentence."""
        parses: list[Parse] = []
        for slots in bindings:
            if self._coherent(slots) and not any(slots == known.slots for known in parses):
                parses.append(Parse(self, slots, self.meaning(slots)))
        return parses

    def _coherent(self, slots: Slots) -> bool:
        """Whether the choices are of the family that the sentence names."""
        families, choices = self._family_slots, self._choice_slots
        if not families:
            return True
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
        return tuple(part.slot for part in self._segments if isinstance(part, Placeholder) and part.word in _FAMILY)

    @cached_property
    def _choice_slots(self) -> tuple[str, ...]:
        return tuple(part.slot for part in self._segments if isinstance(part, Placeholder) and part.word in _CHOICES)

    @property
    def names_family(self) -> bool:
        """Whether the sentence names the family that the choices are of ("What color ...")."""
        return bool(self._family_slots)

    @cached_property
    def names_materials(self) -> bool:
        """Whether the sentence asks what something is made of."""
        return any(part.word == "materials" for part in self._demanding)

    @cached_property
    def _meaning(self) -> Meaning:
        return compile_meaning(self.means)

    def meaning(self, slots: Slots) -> Query:
        """The query of the sentence with these slots."""
        try:
            return self._meaning(slots)
        except MeaningError as error:
            raise TemplateError(f"template {self.id!r}: {error}") from error


def _is_value(part: str | Placeholder) -> bool:
    return isinstance(part, Placeholder) and part.word in _VALUES


def _ends_in_participle_phrase(value: SlotValue) -> bool:
    """Whether a thing is described by what it does to another: "the woman helping the man"."""
    related = value.relation if isinstance(value, ObjectDescription) else None
    return related is not None and related.name.split(maxsplit=1)[0].endswith("ing")
