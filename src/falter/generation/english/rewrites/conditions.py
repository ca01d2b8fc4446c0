"""What rewrites ask of an answer: the sort it must be of, and conditions that decide how it is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from falter.data.word_forms import singularize, word_to_number
from falter.generation.english.grammar import default_grammar
from falter.generation.english.ontology import Ontology
from falter.generation.english.rewrites.word_patterns import word_class
from falter.generation.english.words import article

_PHRASE = re.compile(r"[a-z][a-z' -]*", re.IGNORECASE)
_ADJECTIVE_ENDINGS = ("ular", "ed", "al", "oval")
_EXCLUSIVE_KINDS = ("animal", "plant", "vehicle", "furniture", "clothing", "person")
"""Kinds within which an answer that excludes the subject contradicts the question."""
_NAMED_KINDS = ("animal", "plant", "fruit", "vegetable")
"""Kinds of which every kind has a noun of its own: an unknown answer to "what kind of dog" is a breed."""


class AskedAnswer(NamedTuple):
    """An answer that is asked for, and what it is asked of."""

    answer: str
    subject: str


def _ontology() -> Ontology:
    return default_grammar().ontology


def _is_color(answer: str) -> bool:
    words = re.split(r"[\s,/-]+", answer.lower())
    colors = _colors()
    return any(word in colors for word in words) and all(
        word in colors or word in word_class("color_link") for word in words
    )


@lru_cache(maxsize=1)
def _colors() -> frozenset[str]:
    values = _ontology().families["color"].values
    return word_class("more_color") | {
        word for value in values for word in value.split() if word not in ("and", "colored")
    }


def _is_phrase(answer: str) -> bool:
    named = answer.lower() not in word_class("no_answer") and not _says_more(answer.lower())
    return named and _PHRASE.fullmatch(answer) is not None and " and " not in answer


def _says_more(answer: str) -> bool:
    """Whether an answer is a sentence, or begins as one: "it looks like wood", "probably wood"."""
    words = answer.split()
    return words[:1] != [] and (
        words[0] in word_class("sentence_start") or not word_class("answer_verb").isdisjoint(words)
    )


def _is_animal(answer: str) -> bool:
    kind = _ontology().kind_for_name(answer.lower())
    return kind is not None and kind != "animal" and _ontology().is_a(kind, "animal")


def _is_room(answer: str) -> bool:
    kind = _ontology().kind_for_name(answer.lower())
    named = kind is not None and kind != "room" and _ontology().is_a(kind, "room")
    return _is_phrase(answer) and (named or answer.lower().endswith(" room"))


ANSWER_SORTS: dict[str, Callable[[str], bool]] = {
    "number": lambda answer: word_to_number(answer) is not None,
    "color": _is_color,
    "phrase": _is_phrase,
    "animal": _is_animal,
    "room": _is_room,
}
"""The sorts of answers, by the name that a rewrite gives."""


def is_plural_noun(answer: str) -> bool:
    """Whether an answer is a noun in the plural, by the ontology or else by its ending."""
    number = _ontology().grammatical_number(answer)
    return number == "plural" or (not _ontology().knows(answer) and singularize(answer) is not None)


def _is_list(asked: AskedAnswer) -> bool:
    """Whether colors stand side by side without an "and": nobody asks whether a flag is red white blue."""
    words = asked.answer.split()
    side_by_side = sum(word in _colors() for word in words) > 1 and word_class("color_joiner").isdisjoint(words)
    return "," in asked.answer or (side_by_side and asked.answer not in _ontology().family_by_value)


def _is_wider(asked: AskedAnswer) -> bool:
    """Whether every such subject is what the answer says, as every dog is an animal."""
    ontology = _ontology()
    kind, narrower = ontology.kind_for_name(asked.answer), ontology.kind_for_name(asked.subject)
    return kind is not None and narrower is not None and ontology.is_a(narrower, kind)


def _names_a_kind(asked: AskedAnswer) -> bool:
    """Whether an answer is a noun for a kind of the subject, rather than a word that goes before it."""
    ontology = _ontology()
    kind, wider = _kind_of_phrase(asked.answer), _kind_of_phrase(asked.subject)
    if asked.subject == "game":
        return False
    if asked.subject == "vehicle":
        return asked.answer not in word_class("vehicle_word") and asked.answer not in ontology.family_by_value
    if asked.subject in word_class("food_noun") and kind is not None and ontology.is_a(kind, "food"):
        return True
    if kind is not None and wider is not None and not ontology.are_disjoint(kind, wider):
        # A turkey sandwich is no turkey.
        is_of_it = ontology.is_a(kind, wider) or wider == "food" or not ontology.is_a(wider, "food")
        return is_of_it and asked.answer.rpartition(" ")[2] not in word_class("material")
    if wider is None or asked.answer in ontology.family_by_value or kind is not None:
        return False
    return any(ontology.is_a(wider, sort) for sort in _NAMED_KINDS)


def _kind_of_phrase(phrase: str) -> str | None:
    """The kind that a phrase names, by its last word where it is not known itself: a garbage truck is a truck."""
    return _ontology().kind_for_name(phrase) or _ontology().kind_for_name(phrase.rpartition(" ")[2])


def _happens(asked: AskedAnswer) -> bool:
    """Whether the subject is a word for what happens, and the answer a noun for it: "Is this event a wedding?"."""
    return asked.subject in word_class("event_subject") and asked.answer.rpartition(" ")[2] in word_class("event_noun")


def _excludes_subject(asked: AskedAnswer) -> bool:
    """Whether nothing is both, as a cat is no dog: then the answer says that the question is wrong."""
    ontology = _ontology()
    kind, other = ontology.kind_for_name(asked.answer), ontology.kind_for_name(asked.subject)
    if kind is None or other is None or not ontology.are_disjoint(kind, other):
        return False
    return any(ontology.is_a(kind, sort) and ontology.is_a(other, sort) for sort in _EXCLUSIVE_KINDS)


def _is_no_food(asked: AskedAnswer) -> bool:
    """Whether the question is for food, and the answer neither food nor a word for where it comes from."""
    if asked.subject != "food" or _names_a_kind(asked):
        return False
    return not asked.answer.endswith(("ese", "an", "ish", "ic")) and asked.answer not in word_class("food_word")


def _is_example(asked: AskedAnswer) -> bool:
    """Whether the subject is a word for all sorts of things, and the answer one of them."""
    kind = _ontology().kind_for_name(asked.answer)
    if asked.subject not in word_class("abstract") or kind is None:
        return False
    # "Is this farm equipment?", "Is this a kitchen appliance?"
    return asked.subject in word_class("somewhere") or not _is_used_for(kind)


def _is_used_for(kind: str) -> bool:
    """Whether things are named for such a kind without being one: a place, or what is for a sport."""
    ontology = _ontology()
    return any(sort in ontology.kinds and ontology.is_a(kind, sort) for sort in ("place", "building", "ski"))


CONDITIONS: dict[str, Callable[[AskedAnswer], bool]] = {
    "colors side by side": _is_list,
    "what happens": _happens,
    "a noun for weather": lambda asked: asked.subject == "weather" and asked.answer in word_class("weather_noun"),
    "plural": lambda asked: is_plural_noun(asked.answer),
    "the subject": lambda asked: asked.answer == asked.subject,
    "ends with the subject": lambda asked: len(asked.subject) > 2 and asked.answer.endswith(asked.subject),
    "wider than the subject": _is_wider,
    "a kind of the subject": _names_a_kind,
    "what the subject is not": _excludes_subject,
    "no food": _is_no_food,
    "an example": _is_example,
    "a sport": lambda asked: asked.subject == "sport" and asked.answer not in word_class("sport_word"),
    "an adjective": lambda asked: asked.answer in ("round", "square") or asked.answer.endswith(_ADJECTIVE_ENDINGS),
}
"""What may hold of an answer, by the name that a rewrite gives."""


def with_article(phrase: str, *heads: str) -> str:
    """A phrase with its indefinite article; none where it, or the noun that it ends with, is not counted ("rice")."""
    ended = [head.lower() for head in heads if head and phrase.endswith(f" {head}")]
    names = [phrase.lower(), *ended, *(head.rpartition(" ")[2] for head in ended)]
    return phrase if any(map(_is_mass, names)) else f"{article(phrase)} {phrase}"


def _is_mass(noun: str) -> bool:
    kind = _ontology().kind_for_name(noun)
    if kind is not None:
        return _ontology().kinds[kind].number == "mass"
    # "Is this cross country skiing?"
    last = noun.rpartition(" ")[2]
    return last in word_class("mass") or (last.endswith("ing") and last not in word_class("counted_in_ing"))
