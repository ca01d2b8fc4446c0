"""What is usual in a source, by its own graphs and the table of co-occurrence, so that what is false is plausible:
which relations kinds have, and what goes together for nouns that take each other's place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import cached_property, lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from falter.core.lazy_dict import LazyDict
from falter.generation.askable import rules
from falter.generation.askable.absence import AbsentKinds
from falter.generation.askable.belonging import Belonging
from falter.generation.askable.looks import AskedLooks, KnownValues
from falter.generation.askable.naming import WiderWords, asked_for
from falter.generation.askable.pairs import KindPairs
from falter.generation.askable.setting import SceneSetting
from falter.generation.askable.source_counts import SourceCounts
from falter.generation.cooccurrence import ImageCounts, OwnCounts, Plausibility, annotated_in, half_of, load_table
from falter.generation.english import Ontology
from falter.generation.scene import SceneGraph

_PERSON = "person"
_LEAST_RELATED = rules.whole("related-images")

NamedTarget = tuple[str, str]
"""A relation and the kind that it leads to."""


class KnownRelations:
    """Says which relations to other kinds a kind is known to have."""

    def __init__(self, counts: SourceCounts, table: ImageCounts, ontology: Ontology) -> None:
        self._ontology = ontology
        self._known = self._find_known(counts, table)
        self._by_target = LazyDict(self._find_by_target)

    def _find_known(self, counts: SourceCounts, table: ImageCounts) -> dict[str, frozenset[NamedTarget]]:
        known = {kind: set(targets) for kind, targets in counts.relations.items()}
        annotated = {name for targets in known.values() for name, _ in targets}
        for (kind, name, target), images in table.relations.items():
            # A relation that the annotators never use may hold all the same.
            if images >= _LEAST_RELATED and name in annotated and self._ontology.relations[name].askable:
                known.setdefault(kind, set()).add((name, target))
        return {kind: frozenset(targets) for kind, targets in known.items()}

    def to_any(self, kind: str, targets: Set[str]) -> list[NamedTarget]:
        """The relations that a kind is known to have to some others, in the order of the alphabet."""
        by_target = self._by_target[kind]
        return sorted(chain.from_iterable([by_target[target] for target in by_target.keys() & targets]))

    def _find_by_target(self, kind: str) -> dict[str, list[NamedTarget]]:
        by_target: dict[str, list[NamedTarget]] = {}
        for name, target in self._known.get(kind, ()):
            by_target.setdefault(target, []).append((name, target))
        return by_target

    def may_relate(self, kind: str, name: str, target: str) -> bool:
        """Whether a kind is known to have a relation to another; anything may be beside, behind or near anything."""
        if self._ontology.relations[name].relation_class == "spatial":
            return True
        if not self._ontology.is_a(kind, _PERSON):
            return (name, target) in self._known.get(kind, ())
        return (name, target) in self._of_people

    def wears(self, kind: str, clothing: str) -> bool:
        """Whether somebody of a kind is known to wear such clothing."""
        return ("wearing", clothing) in self._known.get(kind, ())

    @cached_property
    def _of_people(self) -> frozenset[NamedTarget]:
        people = (targets for kind, targets in self._known.items() if self._ontology.is_a(kind, _PERSON))
        return frozenset().union(*people)


class SourceHabits:
    """Everything that may be asked of a source's scenes, each sort of it in a part of its own.

    Scores are by the half of the table that is for draws, with the source's own images where these are enough.
    """

    def __init__(
        self, graphs: Iterable[SceneGraph], ontology: Ontology, categories: frozenset[str] | None = None
    ) -> None:
        counts = SourceCounts(graphs, ontology)
        self.counts = counts
        self._ontology = ontology
        self.plausibility, belonging = _by_table(ontology)
        if counts.own_images.enough:
            self.plausibility = Plausibility(self.plausibility.counts.plus(counts.own_images.draw), ontology)
            belonging = Belonging(self.plausibility, ontology)
        self._latest = ("", self.plausibility)
        self.setting = SceneSetting(counts, belonging, ontology)
        self.pairs = KindPairs(counts, belonging, self.setting, ontology)
        self.absent = AbsentKinds(counts, self.plausibility, self.setting, ontology, categories)
        self.relations = KnownRelations(counts, self.plausibility.counts, ontology)
        self.values = KnownValues(ontology, self.plausibility.counts, counts.attributes, complete=counts.is_drawn)
        self.looks = AskedLooks(counts, ontology)
        self.wider_words = WiderWords(ontology, load_table().draw)

    @property
    def is_drawn(self) -> bool:
        """Whether the source draws what it has of a place, and annotates all of it."""
        return self.counts.is_drawn

    def plausibility_in(self, graph: SceneGraph) -> Plausibility:
        """The scores for questions about one image: by counts that it has no part in."""
        if not self.counts.own_images.enough or half_of(graph.image_id) != 0:
            return self.plausibility
        if self._latest[0] != graph.image_id:
            self._latest = graph.image_id, self.plausibility.without(annotated_in(graph, self._ontology))
        return self._latest[1]


@lru_cache(maxsize=2)
def _by_table(ontology: Ontology) -> tuple[Plausibility, Belonging]:
    """The scores by the table alone, which are the same for all sources."""
    plausibility = Plausibility(load_table().draw, ontology)
    return plausibility, Belonging(plausibility, ontology)


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
