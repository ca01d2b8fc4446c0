"""``how-many``: "How many dogs are in the picture?" becomes "Are there two dogs in the picture?"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from falter.english.words import number_to_word, singularize, word_to_number
from falter.suites.rad.augmentation import ReadQuestion

__all__ = ["HowManyAugmentation"]

_AUXILIARIES = "are|is|were|was|do|does|did|have|has|had|can|could|would|will|should|may|might"
_QUESTION = re.compile(
    rf"how many (?P<noun>[^,?]+?)(?: (?P<verb>{_AUXILIARIES})(?: (?P<rest>[^?]+))?)?[\s?.]*", re.IGNORECASE
)
_OBJECT = re.compile(
    r"(?P<subject>.+?) (?P<verb>have|see|hold|wear|carry|need|use|contain|own|show|spot|notice|eat)\b(?P<rest>.*)"
)
_PLACES = frozenset(
    {
        "in", "on", "at", "under", "over", "near", "behind", "beside", "by", "with", "without", "from", "inside",
        "outside", "around", "along", "across", "through", "next", "beneath", "above", "below", "between", "off",
        "against", "atop", "among",
    }
)  # fmt: skip
_SHOWN = frozenset(
    {
        "visible", "present", "shown", "pictured", "here", "displayed", "seen", "available", "involved", "parked",
        "featured", "depicted", "represented",
    }
)  # fmt: skip
_DETERMINERS = frozenset({"the", "this", "that", "these", "those", "his", "her", "a", "an", "it", "each"})
_SAME_PLURAL = frozenset(
    {"sheep", "fish", "deer", "moose", "aircraft", "bison", "people", "salmon", "shrimp", "cattle"}
)
_NO_NOUNS = frozenset({"of", "more", "are", "is", "in", "on", "at", "people's", "does", "do", "can"})


class _Parts(NamedTuple):
    """A question in parts: what is counted, the verb, and what follows."""

    noun: str
    verb: str
    rest: str


class HowManyAugmentation:
    """Questions for a number, except "how many of" and "how many more"."""

    name = "how-many"

    def __init__(self, *, exactly: bool = False) -> None:
        self._before = "exactly " if exactly else ""

    def has_form(self, question: str) -> bool:
        words = question.lower().split()
        return words[:2] == ["how", "many"] and words[2:3] not in (["of"], ["more"])

    def read(self, question: str) -> ReadQuestion | None:
        if not self.has_form(question):
            return None
        found = _QUESTION.fullmatch(" ".join(question.split()))
        if found is None:
            return None
        parts = _split(found["noun"], (found["verb"] or "").lower(), (found["rest"] or "").strip())
        if parts is None or not _is_plural(parts.noun):
            return None
        order = _word_order(parts)
        if order is None:
            return None

        def write(answer: str) -> str | None:
            number = word_to_number(answer)
            if number is None:
                return None
            noun = singularize(parts.noun) if number == 1 else parts.noun
            if number == 1 and noun is None:
                noun = parts.noun if parts.noun.split()[-1].lower() in _SAME_PLURAL - {"people"} else None
            return None if noun is None else f"{order(number == 1, f'{self._before}{number_to_word(number)} {noun}')}?"

        return ReadQuestion(parts.noun.lower(), write)

    def is_answer(self, answer: str) -> bool:
        return word_to_number(answer) is not None

    def read_back(self, variant: str, original: str) -> tuple[str, ...]:
        read = self.read(original)
        numbers = (word_to_number(word) for word in variant.rstrip("?").split())
        asked = (str(number) for number in numbers if number is not None)
        return () if read is None else tuple(answer for answer in asked if read.write(answer) == variant)[:1]


def _split(noun: str, verb: str, rest: str) -> _Parts | None:
    """What is counted, without what follows it where the question has no verb: "people in the photo"."""
    words = noun.split()
    if words[0].lower() in _NO_NOUNS:
        return None
    if verb:
        return _Parts(noun, verb, rest)
    for place in range(1, len(words)):
        word = words[place].lower()
        if word in _PLACES or word in _SHOWN or word == "there" or word.endswith("ing"):
            return _Parts(" ".join(words[:place]), "are", " ".join(words[place:]))
        if word in ("appear", "appears", "wear", "wears", "ride", "fly", "sit", "sits", "stand", "stands", "look"):
            return _Parts(" ".join(words[:place]), "do", " ".join(words[place:]))
    return _Parts(noun, "are", "")


def _is_plural(noun: str) -> bool:
    head = re.split(r" (?:of|in|on|with) ", noun)[0].split()[-1].lower()
    return head in _SAME_PLURAL or singularize(head) is not None or singularize(noun.lower()) is not None


Order = Callable[[bool, str], str]
"""Writes a question from whether it is about one, and the number with its noun."""


def _word_order(parts: _Parts) -> Order | None:
    """How the yes/no question puts the words; None where the verb is not known to take a number of things."""
    verb, rest = parts.verb, parts.rest
    if verb in ("are", "is", "were", "was"):
        return _of_being(verb, rest)
    if verb in ("do", "does", "did"):
        return _of_doing(verb, rest)
    if verb in ("have", "has", "had"):
        if rest.startswith("been "):
            return lambda one, counted: f"{'Has' if one else 'Have'} {counted} {rest}"
        return lambda one, counted: f"{'Does' if one else 'Do'} {counted} have {rest}" if rest else ""
    words = rest.split()
    if words[:1] == ["you"] and len(words) > 1:
        after = "".join(f" {word}" for word in words[2:])
        return lambda one, counted: f"{verb.capitalize()} you {words[1]} {counted}{after}"  # noqa: ARG005
    return (lambda one, counted: f"{verb.capitalize()} {counted} {rest}") if rest else None  # noqa: ARG005


def _of_being(verb: str, rest: str) -> Order:
    words = rest.split()
    first = words[0].lower() if words else ""
    if first == "there":
        after = "".join(f" {word}" for word in words[1:])
        return lambda one, counted: f"{'Is' if one else 'Are'} there {counted}{after}"
    if first in _DETERMINERS:
        # "How many stories is the building?": the building is counted in stories.
        return lambda one, counted: f"{verb.capitalize()} {rest} {counted}"  # noqa: ARG005
    if not first:
        return lambda one, counted: f"{'Is' if one else 'Are'} there {counted}"
    if first in _PLACES or first in _SHOWN or first.endswith("ing"):
        return lambda one, counted: f"{'Is' if one else 'Are'} there {counted} {rest}"
    return lambda one, counted: f"{'Is' if one else 'Are'} {counted} {rest}"


def _of_doing(verb: str, rest: str) -> Order | None:
    found = _OBJECT.fullmatch(rest)
    if found is not None:
        before, after = f"{found['subject']} {found['verb']}", found["rest"]
        return lambda one, counted: f"{verb.capitalize()} {before} {counted}{after}"  # noqa: ARG005
    first = rest.split()[:1]
    if verb == "do" and first and first[0] not in ("you", "they", "we", "i") and first[0] not in _DETERMINERS:
        # "How many slices appear in this scene?"
        verbal = rest.split()
        after = " ".join([verbal[0].removesuffix("s") if verbal[0].endswith("s") else verbal[0], *verbal[1:]])
        return lambda one, counted: f"{'Does' if one else 'Do'} {counted} {after}"
    return None
