"""Nouns that are counted, in both numbers, and where such a noun ends in a text."""

from __future__ import annotations

from typing import NamedTuple

from falter.english.ontology import Ontology
from falter.english.rewrites.word_patterns import word_class
from falter.english.words import pluralize, singularize

__all__ = ["CountedNoun", "split_noun"]

_AFTER_NOUN = frozenset({"of", "who", "which", "to", "for", "or", "already", "both", "not", "ready", "close", "i"})
"""Words that do not belong to a noun before them, besides those of place and verbs."""


class CountedNoun(NamedTuple):
    """A noun phrase without its quantity; a form that it lacks is None."""

    plural: str | None
    singular: str | None

    @property
    def head(self) -> str:
        """The word that is counted, in the singular, in lower case; in the plural where it has no singular."""
        words = (self.singular or self.plural or "").lower().partition(" of ")[0].split()
        return words[-1] if words else ""

    @classmethod
    def from_plural(cls, phrase: str) -> CountedNoun | None:
        """A phrase whose first noun is in the plural: "dogs", "slices of pizza", "sheep"."""
        lowered = _lower_first(phrase)
        same = lowered.split()[-1].lower() in word_class("same_plural") - {"people"}
        single = lowered if same else singularize(lowered)
        return cls(lowered, single) if single is not None else None


def split_noun(words: str, ontology: Ontology, *, singular: bool) -> tuple[CountedNoun, str] | None:
    """The noun that a text begins with, and the words after it; None where no noun of this number is found."""
    tokens = words.split()
    end = next((place for place, one in enumerate(tokens) if place and _ends_noun(one)), len(tokens))
    if _ends_noun(tokens[0]):
        return None
    if singular:
        # "1 umbrella open": what is said of it is no part of its name.
        while end > 1 and ontology.family_by_value.get(tokens[end - 1].lower()) and not ontology.knows(tokens[end - 1]):
            end -= 1
        noun = " ".join(tokens[:end])
        if _is_plural(tokens[end - 1]) and singularize(tokens[end - 1].lower()) != tokens[end - 1].lower():
            return None
        return CountedNoun(pluralize(noun), noun), " ".join(tokens[end:])
    while end and not _is_plural(tokens[end - 1]):
        end -= 1
    if not end:
        return None
    noun = " ".join(tokens[:end])
    return CountedNoun(noun, singularize(noun)), " ".join(tokens[end:])


def _is_plural(word: str) -> bool:
    lowered = word.lower()
    return lowered in word_class("same_plural") or lowered in _PAIRS or singularize(lowered) is not None


_PAIRS = frozenset({"pants", "glasses", "scissors", "shorts", "jeans", "sunglasses", "goggles", "binoculars"})


def _ends_noun(word: str) -> bool:
    lowered = word.lower()
    return (
        lowered in _AFTER_NOUN
        or any(lowered in word_class(name) for name in ("place", "shown", "auxiliary", "pronoun", "determiner"))
        or (lowered.endswith("ing") and lowered not in word_class("counted_in_ing"))
    )


def _lower_first(phrase: str) -> str:
    """The phrase as it stands inside a sentence; names keep their capitals."""
    first, space, rest = phrase.partition(" ")
    return f"{first if first[1:].isupper() or not first.istitle() else first.lower()}{space}{rest}"
