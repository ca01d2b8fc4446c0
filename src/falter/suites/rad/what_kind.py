"""``what-kind``: "What kind of animal is this?" becomes "Is this animal an elephant?" or "Is this a wood floor?"."""

from __future__ import annotations

import re

from falter.english import Ontology, default_grammar
from falter.english.words import article, singularize
from falter.suites.rad.augmentation import ReadQuestion

__all__ = ["WhatKindAugmentation"]

_QUESTION = re.compile(
    r"what (?:kind|type|sort|breed) of (?:an? )?(?P<subject>[a-z][a-z' -]*?) is this[\s?.]*", re.IGNORECASE
)
_WORD = re.compile(r"[a-z][a-z' -]*", re.IGNORECASE)
_SORTS = ("animal", "plant", "fruit", "vegetable")
"""Subjects of which every kind has a noun of its own: an unknown answer to "what kind of dog" is a breed."""
_NO_KINDS = frozenset(
    {"yes", "no", "unknown", "not sure", "unclear", "none", "i don't know", "nothing", "normal", "regular"}
)


class WhatKindAugmentation:
    """Questions for the kind of what the image shows."""

    name = "what-kind"

    def __init__(self, ontology: Ontology | None = None) -> None:
        self._ontology = default_grammar().ontology if ontology is None else ontology

    def has_form(self, question: str) -> bool:
        words = question.lower().rstrip("?. ").split()
        return words[:3] == ["what", "kind", "of"] and words[-2:] == ["is", "this"]

    def read(self, question: str) -> ReadQuestion | None:
        found = _QUESTION.fullmatch(" ".join(question.split()))
        if found is None:
            return None
        subject = found["subject"].lower()
        # "What kind of flowers is this?" has no good yes/no question.
        if self._ontology.grammatical_number(subject) == "plural":
            return None
        return ReadQuestion(subject, lambda answer: self._write(subject, answer.lower()))

    def _write(self, subject: str, answer: str) -> str | None:
        if not self.is_answer(answer) or self._is_plural(answer):
            return None
        if answer == subject or self._is_wider(answer, subject):
            return None
        if answer.endswith(f" {subject}"):
            return f"Is this {self._with_article(answer, subject)}?"
        if self._names_a_kind(answer, subject):
            return f"Is this {subject} {self._with_article(answer, answer)}?"
        return f"Is this {self._with_article(f'{answer} {subject}', subject)}?"

    def _is_wider(self, answer: str, subject: str) -> bool:
        """Whether every such subject is what the answer says, as every dog is an animal."""
        kind, narrower = self._ontology.kind_for_name(answer), self._ontology.kind_for_name(subject)
        return kind is not None and narrower is not None and self._ontology.is_a(narrower, kind)

    def _names_a_kind(self, answer: str, subject: str) -> bool:
        """Whether an answer is a noun for a kind of the subject, rather than a word that goes before it."""
        ontology = self._ontology
        kind, wider = ontology.kind_for_name(answer), ontology.kind_for_name(subject)
        if kind is not None and wider is not None and not ontology.are_disjoint(kind, wider):
            return True
        if wider is None or answer in ontology.family_by_value or kind is not None:
            return False
        return any(ontology.is_a(wider, sort) for sort in _SORTS)

    def _with_article(self, phrase: str, head: str) -> str:
        kind = self._ontology.kind_for_name(head)
        is_mass = kind is not None and self._ontology.kinds[kind].number == "mass"
        return phrase if is_mass else f"{article(phrase)} {phrase}"

    def _is_plural(self, answer: str) -> bool:
        number = self._ontology.grammatical_number(answer)
        return number == "plural" or (not self._ontology.knows(answer) and singularize(answer) is not None)

    def is_answer(self, answer: str) -> bool:
        return _WORD.fullmatch(answer) is not None and answer.lower() not in _NO_KINDS and " and " not in answer

    def read_back(self, variant: str, original: str) -> tuple[str, ...]:
        read = self.read(original)
        text = variant.removeprefix("Is this ").removesuffix("?")
        if read is None or text == variant:
            return ()
        words = re.sub(r"^an? ", "", text.removeprefix(f"{read.subject} "))
        # "Is this a living room?" asks about "living room", or about "living".
        candidates = (words, words.removesuffix(f" {read.subject}"))
        return tuple(dict.fromkeys(answer for answer in candidates if read.write(answer) == variant))
