"""Which relations kinds are known to have: in the source, or often enough in the table of co-occurrence."""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property
from itertools import chain

from falter.core.lazy_dict import LazyDict
from falter.generation.askable import rules
from falter.generation.askable.source_counts import SourceCounts
from falter.generation.cooccurrence import ImageCounts
from falter.generation.english import Ontology

__all__ = ["KnownRelations"]

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
