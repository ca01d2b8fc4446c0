"""How far the wordings of two templates are from each other, with their slots left as they are.

The distance is the number of words to insert, delete or replace, over the words of the longer wording. What changes
little does not count: where the image is named ("in this photo", "here"), and whether a relation stands in a relative
clause ("that is"). Zero is the same wording, one is a wording without a common word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from falter.generation.english.templates import Template

_IMAGE = r"(?:the|this) (?:photo|photograph|picture|image|scene)"
_ASIDE = re.compile(rf"\b(?:anywhere )?in {_IMAGE}\b|\blooking at {_IMAGE}\b|\b(?:here|anywhere)\b|\bthat\b|[,?]")
_OPINION = re.compile(
    r"\b(?:do you think|would you say|can you tell(?: whether)?|does it (?:look like|seem)|"
    r"is it (?:true|correct|fair to say|the case)|(?:seem|appear) to be|look(?! like))\b|\bcorrect\b"
)
_THERE = re.compile(r"\b(?:(?:do|can) you (?:see|notice|find)|is there|there is)\b")
_BE_SEEN = re.compile(r"\bcan (.+) be seen\b")
_DESCRIBE = re.compile(r"\b(?:which best describes|(?:how )?would you describe)\b")
_THE_IMAGE = re.compile(_IMAGE)
_PLACEHOLDER = re.compile(r"\{(\w+) (\w+)[^{}]*\}")
_AGREEMENT = frozenset({"is", "does", "has", "was", "it"})
_SMALL_WORDS = frozenset({"is", "are", "does", "do", "the", "of", "as", "kind"})


def template_distance(first: Template, second: Template) -> float:
    """The share of words that differ between two wordings, from 0 to 1."""
    return _distance(first.text, second.text)


def differ_in_opinion_alone(first: Template, second: Template) -> bool:
    """Whether one wording is the other with "do you think", "seems to be" or the like, and small words moved.

    Whoever asks "do you see" instead of "is there" changes no more.
    """
    return _core(first.text) == _core(second.text)


@lru_cache(maxsize=4096)
def _core(text: str) -> tuple[str, ...]:
    """The words without those that ask for an opinion, and without the smallest."""
    plain = _BE_SEEN.sub(r"there \1", _THERE.sub("there", " ".join(_words(text))))
    words = _DESCRIBE.sub("describe", _OPINION.sub(" ", plain)).split()
    return tuple("what" if word == "which" else word for word in words if word not in _SMALL_WORDS)


@lru_cache(maxsize=65536)
def _distance(first: str, second: str) -> float:
    first_words, second_words = _words(first), _words(second)
    return _edit_distance(first_words, second_words) / max(len(first_words), len(second_words), 1)


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    """The words of a template; each slot is one word, by its name."""
    plain = _PLACEHOLDER.sub(_name_slot, text.lower())
    return tuple(_THE_IMAGE.sub("image", _ASIDE.sub(" ", plain)).split())


def _name_slot(placeholder: re.Match[str]) -> str:
    word, slot = placeholder[1], placeholder[2]
    if word in _AGREEMENT:
        return word
    # "What kind of animal is there" has two words more than "what animal is there".
    before = {"anyone": "anyone ", "noone": "no one ", "which": "which ", "kindof": "kind of "}.get(word, "")
    after = " clause" if "clause" in placeholder[0] else ""
    return f"{before}<{slot}>{after}"


def _edit_distance(first: Sequence[str], second: Sequence[str]) -> int:
    """The fewest words to insert, delete or replace (Levenshtein), row by row of the usual table."""
    row = list(range(len(second) + 1))
    for index, word in enumerate(first, start=1):
        diagonal, row[0] = row[0], index
        for position, other in enumerate(second, start=1):
            diagonal, row[position] = (
                row[position],
                min(row[position] + 1, row[position - 1] + 1, diagonal + (word != other)),
            )
    return row[-1]
