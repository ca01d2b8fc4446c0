"""Words that stand next to each other in the captions of a source, by how many images have them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import inf

from falter.suites.valse.foiling.word_lists import word_list

__all__ = ["END", "SLIP", "WordPairs", "words_of"]

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
