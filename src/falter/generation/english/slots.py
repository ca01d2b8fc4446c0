"""Slots, the variable parts of a template, and the placeholders in braces that name them.

``Is there {a x}?`` has the slot x, filled with a description of an object. The slot types here are those besides noun
phrases: an attribute, a number, choices, the name of a family. ``[What|Which] color`` stands for two texts, of which
the first is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, product
from typing import NamedTuple

from falter.data.word_forms import number_to_word, word_to_number
from falter.generation.english.noun_phrases import Determiner, Shape
from falter.generation.english.ontology import Ontology
from falter.generation.english.open_slots import OPEN_SLOT_TYPES, SlotType, SlotValue
from falter.generation.english.words import PLURAL_AUXILIARIES, article, join_list

_MATERIAL = "material"
_POSE = "pose"
_LIST = re.compile(r", or |, | or ")


def _render_value(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001 - all slot types have one shape
    return value if isinstance(value, str) else None


def _render_adjective(value: SlotValue, ontology: Ontology) -> str | None:
    return value if isinstance(value, str) and ontology.attributes.is_adjective(value) else None


def _parse_value(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    if text in ontology.family_by_value:
        yield text


def _render_number(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return number_to_word(value) if isinstance(value, int) else None


def _parse_number(text: str, ontology: Ontology) -> Iterator[SlotValue]:  # noqa: ARG001
    number = word_to_number(text)
    if number is not None:
        yield number


def _render_digit(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return str(value) if isinstance(value, int) else None


def _parse_digit(text: str, ontology: Ontology) -> Iterator[SlotValue]:  # noqa: ARG001
    if text.isascii() and text.isdecimal() and text == str(int(text)):
        yield int(text)


def _render_choices(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return join_list(value) if isinstance(value, tuple) else None


def _parse_choices(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    parts = tuple(_LIST.split(text))
    if len(parts) > 1 and len(set(parts)) == len(parts) and all(part in ontology.family_by_value for part in parts):
        yield parts


def _render_adjectives(value: SlotValue, ontology: Ontology) -> str | None:
    fit = isinstance(value, tuple) and all(map(ontology.attributes.is_adjective, value))
    return _render_choices(value, ontology) if fit else None


def _render_states(value: SlotValue, ontology: Ontology) -> str | None:
    """Adjectives of which no label asks: nobody asks which best describes a cup, red or blue."""
    fit = isinstance(value, tuple) and not any(
        ontology.families[family].label is not None and ontology.families[family].label_what
        for one in value
        for family in ontology.attributes.families_by_value.get(one, ())
    )
    return _render_adjectives(value, ontology) if fit else None


def _render_materials(value: SlotValue, ontology: Ontology) -> str | None:
    made_of = ontology.families[_MATERIAL].values if _MATERIAL in ontology.families else ()
    fit = isinstance(value, tuple) and all(one in made_of for one in value)
    return _render_choices(value, ontology) if fit else None


def _are_poses(value: SlotValue, ontology: Ontology) -> bool:
    """Whether all of the choices are ways to hold the body."""
    poses = ontology.families[_POSE].values if _POSE in ontology.families else ()
    return isinstance(value, tuple) and all(one in poses for one in value)


def _render_actions(value: SlotValue, ontology: Ontology) -> str | None:
    """What somebody is doing: who stands or sits is not asked what they do."""
    return None if _are_poses(value, ontology) else _render_choices(value, ontology)


def _render_positions(value: SlotValue, ontology: Ontology) -> str | None:
    return _render_choices(value, ontology) if _are_poses(value, ontology) else None


def _render_kinds(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return join_list([f"{article(kind)} {kind}" for kind in value]) if isinstance(value, tuple) else None


def _parse_kinds(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    kinds: list[str] = []
    for part in _LIST.split(text):
        first, _, rest = part.partition(" ")
        meanings = ontology.nouns.get(rest, ()) if first in ("a", "an") else ()
        found = [kind for kind, number in meanings if number == "singular"]
        if not found:
            return
        kinds.append(found[0])
    if len(kinds) > 1 and len(set(kinds)) == len(kinds):
        yield tuple(kinds)


def _render_family(value: SlotValue, ontology: Ontology) -> str | None:
    family = ontology.families.get(value) if isinstance(value, str) else None
    return None if family is None else family.label


def _render_attribute(value: SlotValue, ontology: Ontology) -> str | None:
    family = ontology.families.get(value) if isinstance(value, str) else None
    return family.label if family is not None and family.label_what else None


def _render_quality(value: SlotValue, ontology: Ontology) -> str | None:
    family = ontology.families.get(value) if isinstance(value, str) else None
    return family.label if family is not None and family.label_of else None


def _parse_family(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    yield from ontology.families_by_label.get(text, ())


SLOT_TYPES: dict[str, SlotType] = {
    **OPEN_SLOT_TYPES,
    "value": SlotType("red", _render_value, _parse_value),
    "adjective": SlotType("red", _render_adjective, _parse_value),
    "number": SlotType(1, _render_number, _parse_number),
    "digit": SlotType(1, _render_digit, _parse_digit),
    "choices": SlotType(("red", "blue"), _render_choices, _parse_choices),
    "adjectives": SlotType(("red", "blue"), _render_adjectives, _parse_choices),
    "states": SlotType(("open", "closed"), _render_states, _parse_choices, exact=False),
    "materials": SlotType(("wood", "metal"), _render_materials, _parse_choices),
    # Suites of earlier versions ask what somebody does who stands or sits.
    "actions": SlotType(("walking", "running"), _render_actions, _parse_choices, exact=False),
    "positions": SlotType(("standing", "sitting"), _render_positions, _parse_choices),
    "kinds": SlotType(("dog", "cat"), _render_kinds, _parse_kinds),
    "family": SlotType("color", _render_family, _parse_family),
    # Suites of earlier versions name families by labels that are not written any more.
    "attribute": SlotType("color", _render_attribute, _parse_family, exact=False),
    "quality": SlotType("color", _render_quality, _parse_family, exact=False),
}


class TemplateError(ValueError):
    """A malformed template, or slots that do not fit it."""


class Placeholder(NamedTuple):
    """A placeholder: its keyword, its slot, and the shape of a noun phrase (``{a x}`` renders slot x)."""

    word: str
    slot: str
    shape: Shape


Segments = tuple[str | Placeholder, ...]
"""Fixed words in lower case, and placeholders between them."""

AGREEMENT: dict[str, tuple[str, str]] = {
    **{singular: (singular, plural) for singular, plural in PLURAL_AUXILIARIES.items()},
    "it": ("it", "they"),
}
DETERMINERS: dict[str, Determiner] = {
    "a": "a",
    "any": "any",
    "the": "the",
    "object": "the",
    "no": "no",
    "bare": "",
    "anyone": "anyone",
    "noone": "no one",
    "which": "which",
    "kindof": "kind of",
}

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def split_segments(text: str) -> Segments:
    """The fixed words and the placeholders of a template's text."""
    segments: list[str | Placeholder] = []
    position = 0
    for found in _PLACEHOLDER.finditer(text):
        if found.start() > position:
            segments.append(text[position : found.start()].lower())
        segments.append(_parse_placeholder(found.group(1)))
        position = found.end()
    if position < len(text):
        segments.append(text[position:].lower())
    for first, second in pairwise(segments):
        if isinstance(first, Placeholder) and isinstance(second, Placeholder):
            raise TemplateError("two placeholders need a word or a space between them")
    return tuple(segments)


def _parse_placeholder(written: str) -> Placeholder:
    match written.split():
        case [word, slot] if word in AGREEMENT or word in DETERMINERS or word in SLOT_TYPES:
            return Placeholder(word, slot, "plain")
        case [word, slot, ("related" | "that" | "clause") as shape] if word in DETERMINERS:
            return Placeholder(word, slot, shape)
    raise TemplateError(f"{{{written}}} is not a placeholder")


_MOST = 2000


def expand_alternatives(text: str) -> list[str]:
    """Every text that the alternatives of a template make, the one that is written first.

    >>> expand_alternatives("[What|Which] color [is|are] it?")[:3]
    ['What color is it?', 'What color are it?', 'Which color is it?']
    """
    parts: list[list[str]] = []
    for number, piece in enumerate(text.split("[")):
        if number == 0:
            parts.append([piece])
            continue
        inside, closed, after = piece.partition("]")
        if not closed:
            raise TemplateError(f"{text!r} has a [ without its ]")
        parts += [inside.split("|"), [after]]
    made = list(dict.fromkeys("".join(chosen) for chosen in product(*parts)))
    if len(made) > _MOST:
        raise TemplateError(f"{text!r} stands for {len(made)} texts: split it")
    return made
