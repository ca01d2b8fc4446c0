"""Counting what occurs together in a user's own annotated images, in the two halves of the table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from falter.cooccurrence.counts import ImageCounts, half_of
from falter.cooccurrence.mentions import Mentions
from falter.english import Ontology
from falter.scene import SceneGraph

__all__ = ["OWN_IMAGES", "OwnCounts", "annotated_in", "count_scenes"]

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


def annotated_in(graph: SceneGraph, ontology: Ontology) -> Mentions:
    """What a scene graph says is in its image, as a caption would."""
    kinds: dict[str, str] = {}
    for thing in graph.objects.values():
        lexeme = ontology.lexeme(thing.name)
        if lexeme is not None:
            kinds[thing.id] = lexeme[0]
    known = [(kinds[thing.id], thing) for thing in graph.objects.values() if thing.id in kinds]
    return Mentions(
        frozenset(kinds.values()),
        frozenset(
            (kind, value) for kind, thing in known for value in thing.attributes if value in ontology.family_by_value
        ),
        frozenset(
            (kind, relation.name, kinds[relation.target])
            for kind, thing in known
            for relation in thing.relations
            if relation.target in kinds and relation.name in ontology.relations
        ),
    )


def count_scenes(graphs: Iterable[SceneGraph], ontology: Ontology) -> OwnCounts:
    """The counts of a source.

    They are added half to half. Scores for an image of the half that is used are taken without it, by
    :meth:`Plausibility.without`.
    """
    halves = OwnCounts(ImageCounts(), ImageCounts())
    for graph in graphs:
        halves[half_of(graph.image_id)].add([annotated_in(graph, ontology)])
    return halves
