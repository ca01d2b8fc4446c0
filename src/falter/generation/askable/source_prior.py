"""What usually goes together in a source, for nouns that take each other's place: the most plausible ones first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from falter.generation.askable import rules
from falter.generation.askable.naming import asked_for
from falter.generation.cooccurrence import ImageCounts, OwnCounts, Plausibility, annotated_in, half_of, load_table
from falter.generation.english import Ontology
from falter.generation.scene import SceneGraph

__all__ = ["SourcePrior"]

_COMMON = rules.whole("common-images", "ranked")
_SEEN_WITH = rules.whole("seen-with-images")
_FEW_TELLING = rules.whole("seen-with-kinds")
_VERY_COMMON = rules.whole("very-common-images")
_APART = rules.number("apart-lift")
_MOST_SELDOM = rules.number("most-seldom")


class SourcePrior:
    """What usually goes together: the table's half for draws, with the source's own images where they are enough."""

    def __init__(self, graphs: Iterable[SceneGraph], ontology: Ontology) -> None:
        self._ontology = ontology
        own = OwnCounts(ImageCounts(), ImageCounts())
        self.is_exact = True
        seen: set[str] = set()
        for graph in graphs:
            said = annotated_in(graph, ontology)
            own[half_of(graph.image_id)].add([said])
            seen |= said.kinds
            self.is_exact = self.is_exact and "objects" in graph.complete
        self._has_own = own.enough
        self._marked: dict[tuple[str, bool], NDArray[np.int32]] = {}
        counts = load_table().draw
        self.plausibility = Plausibility(counts.plus(own.draw) if own.enough else counts, ontology)
        common = {kind for kind in self.plausibility.kinds if self.plausibility.frequency(kind) >= _COMMON}
        self.deniable = frozenset(kind for kind in (seen if self.is_exact else seen | common))
        """The kinds that the source has, or that its annotators would have named."""

    @cached_property
    def askable(self) -> NDArray[np.intp]:
        """The places of the counted kinds that people ask for, and that may be denied."""
        allowed = (kind in self.deniable and asked_for(kind, self._ontology) for kind in self.plausibility.kinds)
        return np.flatnonzero(np.fromiter(allowed, dtype=np.bool_))

    def belonging(self, telling: Sequence[str], plausibility: Plausibility) -> NDArray[np.bool_]:
        """Which of the kinds that people ask for were seen with several things of an image that tell of its setting."""
        found: NDArray[np.bool_]
        if not telling:
            found = plausibility.frequencies[self.askable] >= _VERY_COMMON
            return found
        marks = np.add.reduce([self._marks(kind, plausibility) for kind in telling])
        seldom, seen, apart = marks & 255, (marks >> 8) & 255, marks >> 16
        found = (apart == 0) & (seldom <= _MOST_SELDOM * len(telling)) & (seen >= min(_FEW_TELLING, len(telling)))
        return found

    def _marks(self, kind: str, plausibility: Plausibility) -> NDArray[np.int32]:
        """Of each kind, in three parts of a number: whether it is seldom with another, was seen with it, is apart.

        The sums of parts count the kinds of an image; it has fewer than 256.
        """
        key = (kind, plausibility is self.plausibility)
        known = self._marked.get(key)
        if known is None:
            lifts = plausibility.of_all_with((kind,), self.askable)[0]
            seen = plausibility.seen_with((kind,), self.askable)[0] >= _SEEN_WITH
            known = self._marked[key] = ((lifts < 0) + (seen << 8) + ((lifts < _APART) << 16)).astype(np.int32)
        return known

    def without(self, graph: SceneGraph) -> Plausibility:
        """The scores for questions about one image: by counts that it has no part in."""
        if not self._has_own or half_of(graph.image_id) != 0:
            return self.plausibility
        return self.plausibility.without(annotated_in(graph, self._ontology))
