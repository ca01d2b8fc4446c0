"""Writes descriptions as noun phrases and clauses that the reader reads back."""

from __future__ import annotations

from falter.english.ontology import Ontology
from falter.english.words import article
from falter.scene import ObjectDescription

__all__ = ["write_clause", "write_phrase"]

_VERBS_OF_POSITION = ("of", "contain")


def write_phrase(one: ObjectDescription, ontology: Ontology) -> str:
    """A noun phrase: "the woman that is not sad", "a bench that the man is sitting on"."""
    words = " ".join((*one.attributes, _noun(one, ontology)))
    if one.definite:
        words = f"the {words}"
    elif one.number == "singular":
        words = f"{article(words)} {words}"
    after = _after_noun(one, ontology)
    return f"{words} {after}" if after else words


def write_clause(one: ObjectDescription, ontology: Ontology) -> str:
    """A noun and what is asked of it: "furniture is to the left of the oven", "device is the man holding"."""
    noun, be = _noun(one, ontology), _be(one)
    relation = one.relation
    if relation is not None and relation.inverse:
        words = " ".join((*one.attributes, noun))
        return f"{words} {_be(relation.to)} {write_phrase(relation.to, ontology)} {relation.name}"
    if relation is not None:
        words = " ".join((*one.attributes, noun))
        return f"{words} {be} {relation.name} {write_phrase(relation.to, ontology)}"
    if one.without:
        return f"{' '.join((*one.attributes, noun))} {be} not {one.without[0]}"
    if one.attributes:
        return f"{noun} {be} {' and '.join(one.attributes)}"
    return noun


def _noun(one: ObjectDescription, ontology: Ontology) -> str:
    return ontology.plural(one.kind) if one.number == "plural" else one.kind


def _be(one: ObjectDescription) -> str:
    return "are" if one.number == "plural" else "is"


def _after_noun(one: ObjectDescription, ontology: Ontology) -> str:
    parts = []
    if one.side:
        parts.append(f"in the {one.side}" if one.side == "middle" else f"on the {one.side}")
    if one.without:
        parts.append(f"that {_be(one)} not {one.without[0]}")
    relation = one.relation
    if relation is not None:
        target = write_phrase(relation.to, ontology)
        if relation.inverse:
            parts.append(f"that {target} {_be(relation.to)} {relation.name}")
        elif relation.name in _VERBS_OF_POSITION:
            parts.append(f"{relation.name} {target}")
        else:
            parts.append(f"that {_be(one)} {relation.name} {target}")
    return " ".join(parts)
