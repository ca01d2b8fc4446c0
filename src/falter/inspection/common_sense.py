"""How usual a claim is, by counts of other images: the features of the common-sense baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations
from math import log
from typing import NamedTuple

import numpy as np

from falter.cooccurrence import ImageCounts, Plausibility
from falter.english import Ontology
from falter.inspection.claims import Claims
from falter.inspection.conditional_logit import Floats
from falter.sources import HasScenes

__all__ = ["FEATURES", "CommonSense", "ImageKinds"]

FEATURES = (
    *("frequency", "rarest", "together", "attribute", "usual_attribute", "relation", "usual_relation"),
    *("image", "least_in_image"),
)
"""Of the kinds that are claimed the mean and the least logarithm of their number of images; the mean lift of two that
are named; of attributes and relations the mean lift and the logarithm of their number; of the kinds the mean and the
least plausibility next to the other objects in the image."""


class ImageKinds:
    """The kinds that the scene graph of an image has; None where there is no scene graph."""

    def __init__(self, source: HasScenes, ontology: Ontology) -> None:
        self._source = source
        self._ontology = ontology
        self._known: dict[str, frozenset[str] | None] = {}

    def get(self, image_id: str) -> frozenset[str] | None:
        """What is annotated, named as the ontology names it."""
        if image_id not in self._known:
            graph = self._source.scene(image_id)
            self._known[image_id] = (
                None
                if graph is None
                else frozenset(
                    lexeme[0]
                    for thing in graph.objects.values()
                    if (lexeme := self._ontology.lexeme(thing.name)) is not None
                )
            )
        return self._known[image_id]


class _Marginals(NamedTuple):
    subjects: Counter[str]
    relations: Counter[str]
    objects: Counter[str]
    all: int


class CommonSense:
    """Scores claims by one set of counts; it never gets an image."""

    def __init__(self, counts: ImageCounts, ontology: Ontology) -> None:
        self._counts = counts
        self._ontology = ontology
        self._plausibility = Plausibility(counts, ontology)

    def score(self, claims: Claims, beside: Sequence[str] = ()) -> Floats:
        """The features of a claim; 0 where it claims nothing of the sort, or nothing is counted.

        What needs other objects is not a number where there are none: in an image that has what is asked about and
        nothing else, 0 would tell that it is there.
        """
        counts, plausibility = self._counts, self._plausibility
        found = np.zeros(len(FEATURES))
        found[7:] = np.nan
        if claims.kinds:
            often = [log(1 + counts.kinds[kind]) for kind in claims.kinds]
            found[0], found[1] = sum(often) / len(often), min(often)
        pairs = [
            *combinations(dict.fromkeys(claims.kinds), 2),
            *((kind, other) for kind in claims.kinds for other in claims.given),
        ]
        if pairs:
            found[2] = sum(plausibility.of_two(*pair) for pair in pairs) / len(pairs)
        if claims.attributes:
            found[3] = _mean(plausibility.of_attribute(*pair) for pair in claims.attributes)
            found[4] = _mean(log(1 + counts.attributes[pair]) for pair in claims.attributes)
        if claims.relations:
            found[5] = _mean(self._lift_of_relation(*triple) for triple in claims.relations)
            found[6] = _mean(log(1 + counts.relations[triple]) for triple in claims.relations)
        if claims.kinds and beside:
            lifts = [plausibility.of_kind(kind, beside) for kind in claims.kinds]
            found[7], found[8] = sum(lifts) / len(lifts), min(lifts)
        return found

    def others(self, options: Sequence[Claims], kinds: frozenset[str]) -> tuple[str, ...]:
        """The kinds in an image that no option names, and that nothing an option names may be."""
        named = sorted({kind for claims in options for kind in claims.named if kind in self._ontology.kinds})
        return tuple(kind for kind in sorted(kinds) if all(self._ontology.are_disjoint(other, kind) for other in named))

    def _lift_of_relation(self, subject: str, relation: str, other: str) -> float:
        """How much more often a relation is said of two kinds than chance would give."""
        said = self._marginals
        expected = said.subjects[subject] * said.relations[relation] * said.objects[other] / max(said.all, 1) ** 2
        return log((self._counts.relations[subject, relation, other] + 1) / (expected + 1))

    @cached_property
    def _marginals(self) -> _Marginals:
        found = _Marginals(Counter(), Counter(), Counter(), sum(self._counts.relations.values()))
        for (subject, relation, other), count in self._counts.relations.items():
            found.subjects[subject] += count
            found.relations[relation] += count
            found.objects[other] += count
        return found


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)
