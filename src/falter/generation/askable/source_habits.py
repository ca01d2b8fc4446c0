"""What is usual in a source, by its own graphs and the table of co-occurrence: so that what is false is plausible."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from falter.generation.askable.absence import AbsentKinds
from falter.generation.askable.belonging import Belonging
from falter.generation.askable.known_relations import KnownRelations
from falter.generation.askable.looks import AskedLooks, KnownValues
from falter.generation.askable.naming import WiderWords
from falter.generation.askable.pairs import KindPairs
from falter.generation.askable.setting import SceneSetting
from falter.generation.askable.source_counts import SourceCounts
from falter.generation.cooccurrence import Plausibility, annotated_in, half_of, load_table
from falter.generation.english import Ontology
from falter.generation.scene import SceneGraph

__all__ = ["SourceHabits"]


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
