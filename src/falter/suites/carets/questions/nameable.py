"""By which words people would speak of a thing in an image."""

from __future__ import annotations

from functools import lru_cache

from falter.english import Ontology

__all__ = ["UNSAID", "is_nameable", "tells_of_a_moment"]

UNSAID = ("plain",)
"""What a thing may be asked for and is not described by: nobody looks for a plain kite."""
_OF_A_MOMENT = frozenset(("mood", "light", "power"))


@lru_cache(maxsize=8192)
def is_nameable(kind: str, ontology: Ontology) -> bool:
    """Whether a kind is named in questions: not a part of a body, nor a word that says too little ("food")."""
    record = ontology.kinds[kind]
    return record.askable and not (record.vague or record.unspecific or ontology.is_a(kind, "body part"))


@lru_cache(maxsize=1024)
def tells_of_a_moment(value: str, ontology: Ontology) -> bool:
    """Whether a value is what somebody does or feels, or whether something is lit: nobody looks for a happy boy."""
    families = ontology.attributes.families_by_value.get(value, ())
    return ontology.attributes.is_doing(value) or not _OF_A_MOMENT.isdisjoint(families)
