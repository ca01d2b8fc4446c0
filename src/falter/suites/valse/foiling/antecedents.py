"""What a pronoun of a question refers to: a noun phrase of the caption, or the image itself.

The rules are ours. They look for nouns that a pronoun can stand for, in the caption and in what was said since: where
there is one, and the caption has it, the pronoun has its antecedent. Where there are several, the first noun of the
caption counts for the first question; later ones are ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from falter.english import default_grammar
from falter.files import read_word_lists

__all__ = ["Antecedent", "find_antecedent", "find_pronoun", "word_list"]

Antecedent = Literal["noun phrase", "image"]
_WORD = re.compile(r"[a-z0-9][a-z0-9'-]*")
_LONGEST_NAME = 3
_MALE, _FEMALE = ("man", "boy"), ("woman", "girl")


class _Noun(NamedTuple):
    kind: str
    plural: bool
    person: bool
    male: bool
    female: bool


def _lists() -> Mapping[str, frozenset[str]]:
    return read_word_lists(Path(__file__).with_name("pronouns.yaml"))


def word_list(name: str) -> frozenset[str]:
    """A list of ``pronouns.yaml``."""
    return _lists()[name]


def find_pronoun(question: str) -> str | None:
    """The first pronoun of a question, in lower case.

    >>> find_pronoun("is she wearing her helmet"), find_pronoun("is there a dog"), find_pronoun("is that dog brown")
    ('she', None, 'that')
    """
    words = _WORD.findall(question.lower())
    return next((word for word in words if word in _lists()["pronouns"]), None)


def find_antecedent(pronoun: str, question: str, caption: str, earlier: Sequence[str]) -> Antecedent | str:
    """What a pronoun refers to, or why that is not clear; ``earlier`` are questions and answers before."""
    words = _WORD.findall(question.lower())
    lists = _lists()
    if pronoun in lists["of_image"] and not lists["about_image"].isdisjoint(words):
        told = not lists["indoors_or_out"].isdisjoint(words) and any(
            one.kind in lists["tells_where"] for one in _nouns(caption)
        )
        return "the caption tells the answer" if told else "image"
    place = words.index(pronoun)
    if (
        pronoun in ("this", "that", "these", "those")
        and (place + 1 < len(words))
        and _noun(words[place + 1]) is not None
    ):
        # "is that dog brown": which dog is meant depends on what was said.
        is_clear = not earlier and _noun(words[place + 1]) in _nouns(caption)
        return "noun phrase" if is_clear else "the pronoun stands before a noun"
    said = [noun for noun in _nouns(caption) if _can_be(pronoun, noun)]
    since = [noun for text in earlier for noun in _nouns(text) if _can_be(pronoun, noun)]
    kinds = dict.fromkeys(noun.kind for noun in said)
    if not kinds:
        return "no noun of the caption fits the pronoun"
    if any(noun.kind not in kinds for noun in since):
        return "the pronoun may refer to something that was said since"
    if len(kinds) > 1 and (earlier or said[0] != next(iter(_nouns(caption)))):
        return "several nouns of the caption fit the pronoun"
    if words[1:] == [pronoun, words[-1]] and words[-1] in lists["rare_colors"] and _has_few_colors(said[0].kind):
        return "such a thing hardly has that color"
    return "noun phrase"


def _has_few_colors(kind: str) -> bool:
    return any(default_grammar().ontology.is_a(kind, one) for one in _lists()["of_few_colors"])


def _can_be(pronoun: str, noun: _Noun) -> bool:
    if pronoun in ("he", "him", "his", "himself"):
        return noun.person and not noun.plural and not noun.female
    if pronoun in ("she", "her", "hers", "herself"):
        return noun.person and not noun.plural and not noun.male
    if pronoun in ("they", "them", "their", "theirs", "themselves", "these", "those"):
        return noun.plural
    return not noun.person and not noun.plural


def _nouns(text: str) -> list[_Noun]:
    """The nouns of a text that the ontology knows, the longest names first; places and images are none."""
    words = _WORD.findall(text.lower())
    found: list[_Noun] = []
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST_NAME, len(words) - place), 0, -1):
            noun = _noun(" ".join(words[place : place + length]))
            if noun is not None:
                found.append(noun)
                place += length
                break
        else:
            place += 1
    return found


@lru_cache(maxsize=65536)
def _noun(name: str) -> _Noun | None:
    ontology = default_grammar().ontology
    lexeme = None if name in _lists()["no_nouns"] else ontology.lexeme(name)
    if lexeme is None:
        return None
    kind, number = lexeme
    if any(ontology.is_a(kind, one) for one in ("place", "picture")):
        return None
    male, female = (any(ontology.is_a(kind, one) for one in kinds) for kinds in (_MALE, _FEMALE))
    return _Noun(kind, number == "plural", ontology.is_a(kind, "person"), male, female)
