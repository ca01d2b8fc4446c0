"""Captions with a word that is probably misspelt: their foils would have it as well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from falter.nlp.parsing import ParsedText, Token
from falter.nlp.wordnet import WordNet

__all__ = ["MISSPELT", "CaptionSlips"]

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
