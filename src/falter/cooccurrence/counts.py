"""How many images have a kind, two kinds together, a kind with an attribute, two kinds in a relation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from falter.cooccurrence.mentions import ImageContents

__all__ = ["CountRow", "ImageCounts", "half_of"]

Names = NDArray[np.object_]


def half_of(image: str) -> int:
    """The half, 0 or 1, that an image is counted in; the same on every machine."""
    return blake2b(image.encode(), digest_size=1).digest()[0] & 1


_SORTS = {
    "kind": "kinds",
    "pair": "pairs",
    "attribute": "attributes",
    "relation": "relations",
    "value": "values",
    "beside": "values_beside",
    "listed": "listed",
}
"""What a row is called in a table, and where it is counted."""


class CountRow(NamedTuple):
    """One count with its names, of one of the sorts of :class:`ImageCounts`."""

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
        """A kind and a value that is said of it."""
        self.relations: Counter[tuple[str, str, str]] = Counter()
        """A kind, a relation, and the kind that it leads to."""
        self.values: Counter[str] = Counter()
        """A value that is said of anything."""
        self.values_beside: Counter[tuple[str, str]] = Counter()
        """A value that is said of anything, and a kind in the same image."""
        self.listed: Counter[tuple[str, str]] = Counter()
        """A kind and a value that a published list gives it, which counts no images."""

    def add(self, said: Iterable[ImageContents]) -> None:
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
        values = {value for _, value in attributes}
        self.values.update(values)
        self.values_beside.update((value, kind) for value in values for kind in kinds)

    def together(self, first: str, second: str) -> int:
        """How many images have both kinds."""
        return self.pairs[(first, second) if first < second else (second, first)]

    def plus(self, other: ImageCounts) -> ImageCounts:
        """The counts of both, which share no image."""
        total = ImageCounts()
        total.images = self.images + other.images
        for sort in _SORTS.values():
            getattr(total, sort).update(getattr(self, sort))
            getattr(total, sort).update(getattr(other, sort))
        return total

    def rows(self) -> Iterator[CountRow]:
        """Every count, in a steady order."""
        yield CountRow("images", "", "", "", self.images)
        for name, sort in _SORTS.items():
            for key, count in sorted(getattr(self, sort).items()):
                first, second, third = (*((key,) if isinstance(key, str) else key), "", "")[:3]
                yield CountRow(name, first, second, third, count)

    @classmethod
    def from_columns(cls, sort: Names, first: Names, second: Names, third: Names, images: NDArray[Any]) -> ImageCounts:
        """The counts that :meth:`rows` gave, column by column, those of a sort next to each other."""
        counts = cls()
        starts = [0, *(np.flatnonzero(sort[1:] != sort[:-1]) + 1).tolist(), len(sort)]
        for start, end in pairwise(starts):
            part = slice(start, end)
            if sort[start] == "images":
                counts.images = int(images[part].sum())
                continue
            used = [names[part].tolist() for names in (first, second, third) if names[start]]
            keys = used[0] if len(used) == 1 else zip(*used, strict=True)
            getattr(counts, _SORTS[sort[start]]).update(dict(zip(keys, images[part].tolist(), strict=True)))
        return counts
