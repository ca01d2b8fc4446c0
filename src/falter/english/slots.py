"""What a slot of a template can hold besides a noun phrase: an attribute, a number, choices, a family's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from falter.english.morphology import article, join_list, number_of_word, word_of_number
from falter.english.ontology import Ontology
from falter.scene import Selection

__all__ = ["SORTS", "SlotValue", "Sort"]

SlotValue = Selection | str | int | tuple[str, ...]

_LIST = re.compile(r", or |, | or ")


class Sort(NamedTuple):
    """One sort of slot: how a value is written, and what a text can be read as."""

    example: SlotValue
    write: Callable[[SlotValue, Ontology], str | None]
    read: Callable[[str, Ontology], Iterator[SlotValue]]


def _write_value(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001 - all sorts have one shape
    return value if isinstance(value, str) else None


def _read_value(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    if text in ontology.family_of:
        yield text


def _write_number(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return word_of_number(value) if isinstance(value, int) else None


def _read_number(text: str, ontology: Ontology) -> Iterator[SlotValue]:  # noqa: ARG001
    number = number_of_word(text)
    if number is not None:
        yield number


def _write_choices(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return join_list(value) if isinstance(value, tuple) else None


def _read_choices(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    parts = tuple(_LIST.split(text))
    if len(parts) > 1 and len(set(parts)) == len(parts) and all(part in ontology.family_of for part in parts):
        yield parts


def _write_kinds(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return join_list([f"{article(kind)} {kind}" for kind in value]) if isinstance(value, tuple) else None


def _read_kinds(text: str, ontology: Ontology) -> Iterator[SlotValue]:
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


def _write_family(value: SlotValue, ontology: Ontology) -> str | None:
    family = ontology.families.get(value) if isinstance(value, str) else None
    return None if family is None else family.label


def _read_family(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    yield from ontology.families_called.get(text, ())


SORTS: dict[str, Sort] = {
    "value": Sort("red", _write_value, _read_value),
    "number": Sort(1, _write_number, _read_number),
    "choices": Sort(("red", "blue"), _write_choices, _read_choices),
    "kinds": Sort(("dog", "cat"), _write_kinds, _read_kinds),
    "family": Sort("color", _write_family, _read_family),
}
