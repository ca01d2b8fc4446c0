"""Writes the values of slots of templates that read what people wrote."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from falter.english.ontology import Ontology
from falter.english.open_phrases.writer import write_clause, write_phrase
from falter.english.slot_type import SlotValue
from falter.english.words import article, join_list, number_to_word
from falter.scene import ObjectDescription

__all__ = [
    "HOW",
    "write_after_noun",
    "write_amount",
    "write_degree",
    "write_description",
    "write_how",
    "write_label",
    "write_list",
    "write_noun",
    "write_posture",
    "write_side",
    "write_word",
]

HOW = {
    "old": "age", "tall": "height", "long": "length", "clean": "cleanliness", "large": "size", "big": "size",
    "hard": "hardness", "soft": "hardness", "wide": "width", "fat": "build", "thick": "thickness", "heavy": "weight",
    "deep": "depth", "high": "height", "short": "height", "small": "size", "dirty": "cleanliness", "thin": "thickness",
    "young": "age",
}  # fmt: skip
"""What is asked for by "How ... is it?"."""


def write_label(value: SlotValue, ontology: Ontology) -> str | None:
    family = ontology.families.get(value) if isinstance(value, str) else None
    return None if family is None else (family.label or str(value))


def write_how(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return next((word for word, family in HOW.items() if family == value), None)


def write_description(write: Callable[[ObjectDescription, Ontology], str]) -> Callable[..., str | None]:
    def written(value: SlotValue, ontology: Ontology) -> str | None:
        return write(value, ontology) if isinstance(value, ObjectDescription) else None

    return written


def write_after_noun(value: SlotValue, ontology: Ontology) -> str | None:
    """A clause without its noun, which the question word stands for."""
    if not isinstance(value, ObjectDescription):
        return None
    noun = ontology.plural(value.kind) if value.number == "plural" else value.kind
    clause = write_clause(value, ontology)
    return clause.removeprefix(f"{noun} ") if clause.startswith(f"{noun} ") else None


def write_noun(value: SlotValue, ontology: Ontology) -> str | None:
    if not isinstance(value, ObjectDescription):
        return None
    return write_phrase(replace(value, definite=True), ontology).removeprefix("the ")


def write_amount(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return number_to_word(value) if isinstance(value, int) else None


def write_degree(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    if not isinstance(value, str):
        return None
    return value if value.startswith("less ") else f"more {value}"


def write_word(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return value if isinstance(value, str) else None


def write_posture(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return value.partition(" ")[0] if isinstance(value, str) else None


def write_side(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return f"on the {value}" if isinstance(value, str) else None


def write_list(conjunction: str, before: str = "") -> Callable[[SlotValue, Ontology], str | None]:
    def written(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
        if not isinstance(value, tuple):
            return None
        return join_list([f"{article(one)} {one}" if before == "a" else f"{before}{one}" for one in value], conjunction)

    return written
