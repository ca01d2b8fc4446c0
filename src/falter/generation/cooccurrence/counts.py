"""How many images have a kind, two kinds together, a kind with an attribute, two kinds in a relation.

The counts come from the table that comes with Falter, and from a user's own annotated images where there are enough.
Both are in two halves that share no image: questions are drawn by one half and checked by the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from falter.core.files import open_parquet, sha256_of_file
from falter.generation.cooccurrence.mentions import ImageContents
from falter.generation.english import Ontology
from falter.generation.scene import SceneGraph

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


TABLE = Path(__file__).parent / "data" / "counts.parquet"
_COLUMNS = ("sort", "first", "second", "third", "half_0", "half_1")


class CountTable(NamedTuple):
    """Counts in two halves that share no image: questions are drawn by one and checked by the other."""

    draw: ImageCounts
    check: ImageCounts
    sha256: str


@lru_cache(maxsize=2)
def load_table(path: Path = TABLE) -> CountTable:
    """The table of a file; that of the package where none is named."""
    table = open_parquet(path, _COLUMNS).read(columns=list(_COLUMNS))
    names = [_strings(table.column(name).combine_chunks()) for name in _COLUMNS[:4]]

    def half(column: str) -> ImageCounts:
        images = _numbers(table.column(column).combine_chunks())
        counted = np.flatnonzero(images)
        sort, first, second, third = (name[counted] for name in names)
        return ImageCounts.from_columns(sort, first, second, third, images[counted])

    return CountTable(half("half_0"), half("half_1"), sha256_of_file(path))


def _strings(column: Any) -> NDArray[np.object_]:
    """A column with few different texts, each of them made once."""
    encoded = column.dictionary_encode()
    texts = np.array(encoded.dictionary.to_pylist(), dtype=object)
    column_of_texts: NDArray[np.object_] = texts[_numbers(encoded.indices)]
    return column_of_texts


def _numbers(column: Any) -> NDArray[np.int32]:
    """A column of numbers; Arrow's own way to NumPy imports pandas, which takes longer than all else here."""
    numbers: NDArray[Any] = np.from_dlpack(column)
    return numbers


def write_table(draw: ImageCounts, check: ImageCounts, path: Path) -> None:
    """Write both halves into one file, a row a name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    merged: dict[tuple[str, ...], list[int]] = {}
    for half, counts in enumerate((draw, check)):
        for row in counts.rows():
            merged.setdefault(tuple(row[:4]), [0, 0])[half] = row.images
    rows = sorted(merged.items())
    strings = {
        name: pa.array([key[place] for key, _ in rows], pa.dictionary(pa.int32(), pa.string()))
        for place, name in enumerate(_COLUMNS[:4])
    }
    numbers = {
        name: pa.array([counts[half] for _, counts in rows], pa.int32()) for half, name in enumerate(_COLUMNS[4:])
    }
    pq.write_table(pa.table({**strings, **numbers}), path, compression="zstd", compression_level=19)


OWN_IMAGES = 500
"""How many annotated images a source needs for its own counts to be added to the table's."""


class OwnCounts(NamedTuple):
    """Counts of a source's images in two halves, by :func:`half_of` of the image's id."""

    draw: ImageCounts
    check: ImageCounts

    @property
    def enough(self) -> bool:
        """Whether they are added to the table's."""
        return self.draw.images + self.check.images >= OWN_IMAGES


class OwnImages:
    """Gathers a source's images, and counts them once they are enough: counting takes long, and few are not used."""

    def __init__(self, ontology: Ontology) -> None:
        self.counts = OwnCounts(ImageCounts(), ImageCounts())
        """What was counted so far; nothing while there are too few."""
        self._ontology = ontology
        self._waiting: list[tuple[int, ImageContents]] = []
        self._images = 0

    def add(self, graph: SceneGraph) -> None:
        """Add what is annotated in one image."""
        self._images += 1
        self._waiting.append((half_of(graph.image_id), annotated_in(graph, self._ontology)))
        if self._images >= OWN_IMAGES:
            for half, said in self._waiting:
                self.counts[half].add([said])
            self._waiting.clear()


class _Annotated:
    """What a scene graph says; attributes and relations are gathered when they are first asked for."""

    def __init__(self, graph: SceneGraph, ontology: Ontology) -> None:
        self._graph = graph
        self._ontology = ontology
        kind_for_name = ontology.kind_for_name
        named = [(key, kind_for_name(thing.name)) for key, thing in graph.objects.items()]
        self._kinds = {key: kind for key, kind in named if kind is not None}
        self.kinds = frozenset(self._kinds.values())

    @cached_property
    def attributes(self) -> frozenset[tuple[str, str]]:
        values, objects = self._ontology.family_by_value, self._graph.objects
        return frozenset(
            [(kind, value) for key, kind in self._kinds.items() for value in objects[key].attributes if value in values]
        )

    @cached_property
    def relations(self) -> frozenset[tuple[str, str, str]]:
        kinds, known, objects = self._kinds, self._ontology.relations, self._graph.objects
        return frozenset(
            [
                (kind, relation.name, kinds[relation.target])
                for key, kind in kinds.items()
                for relation in objects[key].relations
                if relation.target in kinds and relation.name in known
            ]
        )


def annotated_in(graph: SceneGraph, ontology: Ontology) -> ImageContents:
    """What a scene graph says is in its image, as a caption would."""
    return _Annotated(graph, ontology)


def count_scenes(graphs: Iterable[SceneGraph], ontology: Ontology) -> OwnCounts:
    """The counts of a source.

    They are added half to half. Scores for an image of the half that is used are taken without it, by
    :meth:`Plausibility.without`.
    """
    halves = OwnCounts(ImageCounts(), ImageCounts())
    for graph in graphs:
        halves[half_of(graph.image_id)].add([annotated_in(graph, ontology)])
    return halves
