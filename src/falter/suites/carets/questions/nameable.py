"""By which words people would speak of a thing in an image."""

from __future__ import annotations

from functools import lru_cache

from falter.english import Ontology

__all__ = ["UNSAID", "is_nameable"]

UNSAID = ("plain",)
"""What a thing may be asked for and is not described by: nobody looks for a plain kite."""


@lru_cache(maxsize=8192)
def is_nameable(kind: str, ontology: Ontology) -> bool:
    """Whether a kind is named in questions: not a part of a body, nor a word that says too little ("food")."""
    record = ontology.kinds[kind]
    return record.askable and not (record.vague or record.unspecific or ontology.is_a(kind, "body part"))
