"""What a source says anywhere of a kind: only that can be true of one image and false of another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from falter.authoring.scene_things import SourcePrior
from falter.english import Ontology
from falter.scene import SceneGraph

__all__ = ["SourceFacts"]


class SourceFacts:
    """The values and relations that are annotated of each kind, and what usually goes together."""

    def __init__(self, graphs: Iterable[SceneGraph], ontology: Ontology) -> None:
        self.ontology = ontology
        self._values: dict[str, set[str]] = defaultdict(set)
        self._relations: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.prior = SourcePrior(map(self._count, graphs), ontology)

    def _count(self, graph: SceneGraph) -> SceneGraph:
        kinds = {key: self.ontology.kind_for_name(thing.name) for key, thing in graph.objects.items()}
        for key, thing in graph.objects.items():
            kind = kinds[key]
            if kind is None:
                continue
            self._values[kind].update(thing.attributes)
            for relation in thing.relations:
                target = kinds.get(relation.target)
                if target is not None:
                    self._relations[kind, target].add(relation.name)
        return graph

    def values(self, kind: str, family: str) -> list[str]:
        """The values of a family that things of a kind have in the source, in order."""
        return sorted(self._values[kind].intersection(self.ontology.families[family].values))

    def relations(self, subject: str, target: str, *classes: str) -> list[str]:
        """The relations of some classes that are annotated between two kinds."""
        records = self.ontology.relations
        return sorted(
            name
            for name in self._relations[subject, target]
            if name in records and records[name].askable and records[name].relation_class in classes
        )
