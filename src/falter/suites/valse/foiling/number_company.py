"""What captions say of one thing and what of several: words that come after a noun of one number only.

Several people sit around a table, and one does not; one person is seldom separated by a distance. What a caption says
of its first noun phrase is counted by the number of that phrase, a word and two words at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from falter.nlp.parsing import ParsedText
from falter.suites.valse.foiling.noun_phrases import NounPhrase, Number, noun_number

__all__ = ["NumberCompany"]

_KNOWN = 20
"""Images that must say something of one number before its lack in the other tells."""
_SHARE = 0.04
"""What they say as often of the other number, in proportion, is said of both."""


class NumberCompany:
    """Counts over the captions of a source: images in which words come after a first noun of either number."""

    def __init__(self, captions: Iterable[tuple[str, ParsedText]]) -> None:
        seen: set[tuple[str, Number, tuple[str, ...]]] = set()
        subjects: set[tuple[str, Number]] = set()
        for image_id, parsed in captions:
            head = _first_head(parsed)
            read = None if head is None else noun_number(parsed, head)
            if head is None or read is None:
                continue
            subjects.add((image_id, read[0]))
            seen.update((image_id, read[0], words) for words in _after(parsed, head))
        self._images = Counter((number, words) for _, number, words in seen)
        self._subjects = Counter(number for _, number in subjects)

    def find_odd(self, parsed: ParsedText, phrase: NounPhrase, target: Number) -> str | None:
        """The first words after a caption's first noun phrase that are hardly said of the other number."""
        if phrase.head != _first_head(parsed):
            return None
        scale = self._subjects[target] / max(self._subjects[phrase.number], 1)
        for words in _after(parsed, phrase.head):
            often = self._images[phrase.number, words]
            if often >= _KNOWN and self._images[target, words] < _SHARE * often * scale:
                return " ".join(words)
        return None


def _first_head(parsed: ParsedText) -> int | None:
    return parsed.chunks[0].head if parsed.chunks else None


def _after(parsed: ParsedText, head: int) -> Iterator[tuple[str, ...]]:
    """The words after a noun, and each two of them, but for verbs whose form tells the number."""
    words = [one.lower for one in parsed.tokens[head + 1 :] if one.tag not in ("VBZ", "VBP") and one.text.isalpha()]
    yield from ((word,) for word in words)
    yield from pairwise(words)
