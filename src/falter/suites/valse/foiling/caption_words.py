"""Words of captions: lists from ``words.yaml``, nouns for people, and why no foil is made of a caption.

Excluded are captions in capitals, questions, denials, those that give a reason, and those with a word that is probably
misspelt, for their foils would have it as well. Words that stand next to each other are counted over the captions of a
source, by how many images have them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import inf
from pathlib import Path

from falter.core.files import read_word_lists
from falter.generation.nlp.parsing import ParsedText, Token
from falter.generation.nlp.wordnet import WordNet

_FILE = Path(__file__).with_name("words.yaml")


def word_list(name: str) -> frozenset[str]:
    """The words of a list.

    >>> "beach" in word_list("scenes")
    True
    """
    return read_word_lists(_FILE)[name]


MALE = word_list("male")
FEMALE = word_list("female")
_ENDINGS = ("man", "woman", "boarder", "rider", "player", "skier", "surfer", "person")
_OTHERS = word_list("people")


def is_person(noun: str) -> bool:
    """Whether a noun in the singular names a person.

    >>> is_person("skateboarder"), is_person("skateboard")
    (True, False)
    """
    return noun in MALE or noun in FEMALE or noun in _OTHERS or (noun.endswith(_ENDINGS) and noun != "human")


def noun_class(noun: str) -> str:
    """The noun itself, or ``person`` for any person."""
    return "person" if is_person(noun) else noun


_BEFORE_FEW = frozenset({"a", "the", "these", "those", "last", "first", "next"})


def form_problem(parsed: ParsedText) -> str:
    """Why no foil is made of a caption, or an empty text.

    Where there are no dogs on the bench there may be none next to it either, and a question is neither true nor false.
    """
    if parsed.text.isupper():
        return "the caption is in capitals"
    if parsed.text.rstrip("\"' ”’)").endswith("?"):
        return "the caption is a question"
    words = {token.lower.replace("’", "'") for token in parsed.tokens}
    if not words.isdisjoint(word_list("denying")) or _says_few(parsed):
        return "the caption denies something"
    return "" if words.isdisjoint(word_list("reasons")) else "the caption gives a reason"


def _says_few(parsed: ParsedText) -> bool:
    """Whether few are spoken of without an article, or only some: "few people" denies, "a few" does not."""
    for index, token in enumerate(parsed.tokens):
        if token.lower == "few" and (not index or parsed.tokens[index - 1].lower not in _BEFORE_FEW):
            return True
        # "A bus only lane" is another matter.
        if token.lower == "only" and index + 1 < len(parsed) and parsed.tokens[index + 1].tag in ("DT", "CD", "PRP$"):
            return True
    return False


MISSPELT = "a word that may be misspelt"

_SHORTEST = 4
"""Letters that a word has to have to be looked at."""
_RARE = 3
"""A word that so many images have is a word, whatever the dictionary says."""
_TIMES = 100
"""A word that so many times fewer images have than the one with a letter doubled is a slip, though it is a word."""
_TIMES_UNKNOWN = 20
"""The same for a word that the dictionary lacks and the one without a doubled letter."""
_JUDGED = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV"})
_ODD = frozenset({"persons"})
"""Words that captions have and that are no slip, but that nobody would say."""


class CaptionSlips:
    """Knows the words of a source by how many images have them, and those of a dictionary."""

    def __init__(self, captions: Iterable[tuple[str, ParsedText]], wordnet: WordNet) -> None:
        seen = {(image_id, token.lower) for image_id, parsed in captions for token in parsed.tokens}
        self._images = Counter(word for _, word in seen)
        self._wordnet = wordnet
        self._judged: dict[str, bool] = {}

    def find(self, parsed: ParsedText) -> str | None:
        """The first word of a caption that is probably misspelt."""
        judged = (token for index, token in enumerate(parsed.tokens) if _is_judged(token, begins=not index))
        return next((token.text for token in judged if self._is_slip(token.lower)), None)

    def _is_slip(self, word: str) -> bool:
        if word not in self._judged:
            self._judged[word] = self._judge(word)
        return self._judged[word]

    def _judge(self, word: str) -> bool:
        if word in _ODD:
            return True
        often = self._images[word]
        if often < _RARE and not self._wordnet.has(word):
            return True
        # "Siting" is a word, but people mean "sitting".
        if any(self._images[other] >= _TIMES * often for other in _one_letter_doubled(word)):
            return True
        # "Skiis" is none, however many write it.
        return not self._wordnet.has(word) and any(
            self._images[other] >= _TIMES_UNKNOWN * often for other in _one_letter_of_two(word)
        )


def _is_judged(token: Token, *, begins: bool) -> bool:
    """Whether a word is no name; the first of a caption has a capital in any case."""
    text = token.text
    is_word = len(text) >= _SHORTEST and text.isascii() and text.isalpha() and not text.isupper()
    return is_word and token.pos in _JUDGED and (begins or text.islower())


def _one_letter_doubled(word: str) -> Iterator[str]:
    """The word with one of its letters doubled."""
    for place in range(1, len(word)):
        yield word[:place] + word[place - 1] + word[place:]


def _one_letter_of_two(word: str) -> Iterator[str]:
    """The word with one letter where it has the same twice."""
    for place in range(1, len(word)):
        if word[place] == word[place - 1]:
            yield word[:place] + word[place + 1 :]


END = "$"
"""Stands after the last word of a caption."""
SLIP = "two words next to each other that hardly any caption has"
_FEWEST = 2
"""Images that must have two words next to each other: one besides that of the caption."""
_BY_CHANCE = 3.0
"""Images that would have both words by chance; of rarer words nothing is known."""
_PLAINLY = 40.0
"""Images that would have both by chance where two words that are usual each in itself are surely a slip."""
_SHARE = 0.07
"""Of the images that would have two words of grammar by chance, the share that must have them."""
_FUNCTION = word_list("function")
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[,;:]")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, and its commas, with a mark of its end.

    >>> words_of("Two dogs, on a bed.")
    ['two', 'dogs', ',', 'on', 'a', 'bed', '$']
    """
    return [*_WORD.findall(text.lower()), END]


class WordPairs:
    """Counts, over the captions of a source, the images that have a word, and those that have it next to another.

    Two words that many captions have, but not next to each other, are probably a slip: "sitting in behind a window".

    >>> pairs = WordPairs((str(n), "A dog in a car." if n % 2 else "A cat behind a car.") for n in range(20))
    >>> pairs.find_unusual(words_of("A dog in a car.")), pairs.find_unusual(words_of("A dog in behind a car."))
    (None, 'in behind')
    """

    def __init__(self, captions: Iterable[tuple[str, str]]) -> None:
        seen: set[tuple[str, ...]] = set()
        images: set[str] = set()
        for image_id, text in captions:
            words = words_of(text)
            images.add(image_id)
            seen.update((image_id, word) for word in words)
            seen.update((image_id, *two) for two in pairwise(words))
        self._images = Counter(one[1:] for one in seen)
        self._total = len(images)

    def find_unusual(self, words: Sequence[str]) -> str | None:
        """The first two words next to each other that no two images have, though chance alone would have them there."""
        for one, other in pairwise(words):
            if self._by_chance(one, other) >= _BY_CHANCE and self._images[one, other] < _FEWEST:
                return f"{one} {other}"
        return None

    def find_grammar_slip(self, words: Sequence[str]) -> str | None:
        """The first two words of grammar next to each other that hardly any image has: "to he", "in in"."""
        return self._find_slip(words, inf)

    def find_slip(self, words: Sequence[str]) -> str | None:
        """The same for what is nearly always a slip: two words of grammar ("to he"), or two very frequent words.

        >>> pairs = WordPairs((str(n), "A dog in a car." if n % 2 else "A red car.") for n in range(20))
        >>> pairs.find_slip(words_of("A dog in in a car.")), pairs.find_slip(words_of("A red dog in a car."))
        ('in in', None)
        """
        return self._find_slip(words, _PLAINLY)

    def _find_slip(self, words: Sequence[str], least: float) -> str | None:
        for one, other in pairwise(words):
            are_grammar = one in _FUNCTION and other in _FUNCTION
            by_chance = self._by_chance(one, other)
            fewest = max(_FEWEST, _SHARE * by_chance if are_grammar else 0)
            if by_chance >= (_BY_CHANCE if are_grammar else least) and self._images[one, other] < fewest:
                return f"{one} {other}"
        return None

    def _by_chance(self, one: str, other: str) -> float:
        """How many images would have two words next to each other if words stood anywhere."""
        return self._images[one,] * self._images[other,] / max(self._total, 1)
