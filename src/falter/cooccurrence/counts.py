"""How many images have a kind, two kinds together, a kind with an attribute, two kinds in a relation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import combinations
from typing import NamedTuple

from falter.cooccurrence.mentions import Mentions

__all__ = ["CountRow", "ImageCounts", "half_of"]


def half_of(image: str) -> int:
    """The half, 0 or 1, that an image is counted in; the same on every machine."""
    return blake2b(image.encode(), digest_size=1).digest()[0] & 1


class CountRow(NamedTuple):
    """One count with its names: one kind, two kinds, a kind and a value, or a kind, a relation and a kind."""

    sort: str
    first: str
    second: str
    third: str
    images: int


class ImageCounts:
    """Counts of images. An image counts once for whatever is said of it, however often it is said."""

    def __init__(self) -> None:
        self.images = 0
        self.kinds: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        """Two kinds in the order of the alphabet."""
        self.attributes: Counter[tuple[str, str]] = Counter()
        self.relations: Counter[tuple[str, str, str]] = Counter()

    def add(self, said: Iterable[Mentions]) -> None:
        """Count one image by all that is said of it."""
        kinds: set[str] = set()
        attributes: set[tuple[str, str]] = set()
        relations: set[tuple[str, str, str]] = set()
        for mentions in said:
            kinds |= mentions.kinds
            attributes |= mentions.attributes
            relations |= mentions.relations
        self.images += 1
        self.kinds.update(kinds)
        self.pairs.update(combinations(sorted(kinds), 2))
        self.attributes.update(attributes)
        self.relations.update(relations)

    def together(self, first: str, second: str) -> int:
        """How many images have both kinds."""
        return self.pairs[(first, second) if first < second else (second, first)]

    def plus(self, other: ImageCounts) -> ImageCounts:
        """The counts of both, which share no image."""
        total = ImageCounts()
        total.images = self.images + other.images
        total.kinds = self.kinds + other.kinds
        total.pairs = self.pairs + other.pairs
        total.attributes = self.attributes + other.attributes
        total.relations = self.relations + other.relations
        return total

    def rows(self) -> Iterator[CountRow]:
        """Every count, in a steady order."""
        yield CountRow("images", "", "", "", self.images)
        yield from (CountRow("kind", kind, "", "", count) for kind, count in sorted(self.kinds.items()))
        yield from (CountRow("pair", *pair, "", count) for pair, count in sorted(self.pairs.items()))
        yield from (CountRow("attribute", *key, "", count) for key, count in sorted(self.attributes.items()))
        yield from (CountRow("relation", *key, count) for key, count in sorted(self.relations.items()))

    @classmethod
    def from_rows(cls, rows: Iterable[CountRow]) -> ImageCounts:
        """The counts that :meth:`rows` gave."""
        counts = cls()
        for sort, first, second, third, images in rows:
            if not images:
                continue
            if sort == "images":
                counts.images += images
            elif sort == "kind":
                counts.kinds[first] += images
            elif sort == "pair":
                counts.pairs[first, second] += images
            elif sort == "attribute":
                counts.attributes[first, second] += images
            else:
                counts.relations[first, second, third] += images
        return counts
