"""The forms of an answer in which two ways to write the same are equal: articles, spelling, numbers, fillers."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import combinations, product
from pathlib import Path

import msgspec

from falter.core.files import read_yaml
from falter.data.word_forms import singularize, word_to_number
from falter.evaluation.answers.open_answers.word_relations import families_by_word, kinds_named

_DATA = Path(__file__).parent / "data" / "same_words.yaml"
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[$€£%°]")
_TOKEN = re.compile(rf"{_WORD.pattern}|[,;:/&+()]")
_NUMBER = re.compile(r"(?<=\d)[,](?=\d{3}\b)")
DETERMINERS = frozenset(
    ("a", "an", "the", "some", "his", "her", "its", "their", "my", "your", "our", "this", "that", "these", "those")
)
_SEVERAL = re.compile(r"\s*(?:[,;/&+|\n]|\band\b|\bor\b|\bplus\b)\s*")
_ORDINALS = {
    word: f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"
    for number, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), 1
    )
}
_GAP = re.compile(r"(?<=\d) (?!\d)|(?<!\d) ")
_TAKEN_APART = re.compile(r"[-–—]")


class _SameWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    spelling: dict[str, list[str]]
    synonyms: list[list[str]]
    where_asked: dict[str, list[list[str]]]
    different: list[list[str]]


@cache
def _same_words() -> _SameWords:
    return msgspec.convert(read_yaml(_DATA, what="YAML", hint="install Falter anew"), _SameWords)


@cache
def _american() -> dict[str, str]:
    return {other: word for word, others in _same_words().spelling.items() for other in others}


@cache
def _groups() -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for number, words in enumerate(_same_words().synonyms):
        for word in words:
            groups.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups.items()}


@cache
def _different() -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair) for words in _same_words().different for pair in combinations(words, 2))


@lru_cache(maxsize=1 << 15)
def plain_words(text: str) -> tuple[str, ...]:
    """The words of an answer in lower case and American spelling, without articles and owners, numbers as digits.

    >>> plain_words("The grey T-shirt."), plain_words("twenty-two"), plain_words("A")
    (('gray', 't', 'shirt'), ('22',), ('a',))
    """
    lower = _NUMBER.sub("", text.lower().replace("’", "'").strip())
    whole = word_to_number(lower.strip(" .!"))
    if whole is not None:
        return (str(whole),)
    found = _WORD.findall(_TAKEN_APART.sub(" ", lower))
    words = [word for word in found if word not in DETERMINERS] or found
    return tuple(_spell(word) for word in words)


@lru_cache(maxsize=1 << 14)
def tokens(text: str) -> tuple[str, ...]:
    """All words of a text as :func:`plain_words` spells them, articles and the marks between parts among them.

    >>> tokens("The grey cat, on a T-shirt.")
    ('the', 'gray', 'cat', ',', 'on', 'a', 't', 'shirt')
    """
    parts = _TOKEN.findall(_TAKEN_APART.sub(" ", _NUMBER.sub("", text.lower().replace("’", "'"))))
    return tuple(_spell(word) for word in parts)


def _spell(word: str) -> str:
    american = _american()
    if word in american:
        return american[word]
    if word.endswith("s") and word[:-1] in american:
        return f"{american[word[:-1]]}s"
    number = word_to_number(word)
    return _ORDINALS.get(word, word) if number is None else str(number)


def in_one(words: tuple[str, ...]) -> str:
    """Words written in one, but for numbers: "tea pot" is "teapot", and "3 2" is not "32"."""
    return _GAP.sub("", " ".join(words))


def split_answers(text: str) -> list[str]:
    """The answers that a text lists: ``black and white``, ``red/blue``.

    >>> split_answers("Black & white"), split_answers("red")
    (['Black', 'white'], ['red'])
    """
    return [part for part in _SEVERAL.split(text.strip(" .!,;")) if part.strip()]


def singular_forms(words: tuple[str, ...]) -> frozenset[str]:
    """The phrase as it is written, and with its last word in the singular."""
    phrase = " ".join(words)
    single = singularize(phrase)
    return frozenset((phrase,)) if single is None else frozenset((phrase, single))


def same_kind(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether two phrases are synonyms: as wholes, or with the same words before synonymous last words."""
    if _are_synonyms(" ".join(first), " ".join(second)):
        return True
    same_start = len(first) > 1 and first[:-1] == second[:-1]
    return same_start and _are_synonyms(first[-1], second[-1])


def are_listed_synonyms(first: str, second: str) -> bool:
    """Whether two phrases are on one line of Falter's own list."""
    return bool(_groups().get(first, frozenset()) & _groups().get(second, frozenset()))


def same_where_asked(asked: tuple[str, ...], first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether two words answer a question for one of its words alike: "girl" and "female", asked for the gender."""
    groups = [group for word, lists in _same_words().where_asked.items() if word in asked for group in lists]
    return any({" ".join(first), " ".join(second)} <= set(group) for group in groups)


def _are_synonyms(first: str, second: str) -> bool:
    singles = list(product(*(singular_forms(tuple(phrase.split())) for phrase in (first, second))))
    if any(frozenset(pair) in _different() for pair in singles):
        return False
    return any(are_listed_synonyms(one, two) for one, two in singles) or bool(kinds_named(first) & kinds_named(second))


_NAMING_FAMILIES = frozenset(
    (
        "purpose",
        "origin",
        "nation",
        "brand",
        "realism",
        "flavor",
        "action",
        "sport",
        "place",
        "position",
        "power",
        "pose",
    )
)
"""Attributes that make another thing of a thing, or stand as nouns: "a tennis ball", "a toy dog"."""
_MORE_QUALITIES = frozenset(
    (
        *("lovely", "cute", "nice", "colorful", "big", "eaten", "delicious", "middle", "aged", "freshly", "whole"),
        *("pure", "cold", "warm", "wooden", "metallic", "blonde", "golden", "sunny", "cloudy", "rainy", "sandy"),
        *("busy", "crowded", "opened", "handwritten", "homemade"),
    )
)
"""Describing words that the ontology lacks."""


def describing_families(word: str) -> frozenset[str]:
    """The families of attributes with this value that describe a thing without making another of it."""
    return frozenset(families_by_word().get(word, ())) - _NAMING_FAMILIES


@lru_cache(maxsize=1 << 13)
def is_quality(word: str) -> bool:
    """Whether a word describes a thing without making another of it.

    >>> is_quality("black"), is_quality("toy"), is_quality("dog")
    (True, False, False)
    """
    families = families_by_word().get(word)
    if word == "crystal":
        # A crystal ball is another thing than a ball.
        return False
    return word in _MORE_QUALITIES or (families is not None and not _NAMING_FAMILIES & set(families))
