"""Counting what occurs together in a user's own annotated images, in the two halves of the table."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from falter.cooccurrence.counts import ImageCounts, half_of
from falter.cooccurrence.mentions import ImageContents
from falter.english import Ontology
from falter.scene import SceneGraph

__all__ = ["OWN_IMAGES", "OwnCounts", "OwnImages", "annotated_in", "count_scenes"]

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
