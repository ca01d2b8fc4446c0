"""Words that stand next to each other in the captions of a source, by how many images have them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

__all__ = ["END", "WordPairs", "words_of"]

END = "$"
"""Stands after the last word of a caption."""
_FEWEST = 2
"""Images that must have two words next to each other: one besides that of the caption."""
_BY_CHANCE = 3.0
"""Images that would have both words by chance; of rarer words nothing is known."""
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
            by_chance = self._images[one,] * self._images[other,] / max(self._total, 1)
            if by_chance >= _BY_CHANCE and self._images[one, other] < _FEWEST:
                return f"{one} {other}"
        return None
