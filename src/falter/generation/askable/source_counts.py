"""What a source's scene graphs have: kinds, attributes and relations, how often, and at which places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeVar

from falter.generation.askable import rules
from falter.generation.cooccurrence import OwnImages
from falter.generation.english import Ontology
from falter.generation.scene import SceneGraph

_POSED_ANYWHERE = rules.words("posed-anywhere")

T = TypeVar("T")


class SourceCounts:
    """Counts over all graphs of a source, by the ontology's kinds."""

    def __init__(self, graphs: Iterable[SceneGraph], ontology: Ontology) -> None:
        self.images = 0
        self.with_kind: Counter[str] = Counter()
        """In how many images each kind is."""
        self.with_several: Counter[str] = Counter()
        """In how many of them there are several."""
        self.attributes: dict[str, Counter[str]] = {}
        """By kind the values that its things have."""
        self.colored: Counter[str] = Counter()
        """How many things of a kind have a color."""
        self.many_colored: Counter[str] = Counter()
        """How many have more than one."""
        self.relations: dict[str, Counter[tuple[str, str]]] = {}
        """By kind the relations of its things, each with the other kind."""
        self.unknown: Counter[str] = Counter()
        """Names that the vocabulary lacks."""
        self.images_at: Counter[str] = Counter()
        self.at: dict[str, Counter[str]] = {}
        """By place the kinds that are there, and what is done there."""
        self.standing_at: dict[str, Counter[str]] = {}
        """By place the kinds that are there, and not just held by somebody."""
        self.colors = frozenset(ontology.families["color"].values)
        self.doings = frozenset(
            value
            for name, family in ontology.families.items()
            if family.doing and name not in _POSED_ANYWHERE
            for value in family.values
        )
        """What people do in one place rather than in another."""
        self._ontology = ontology
        own, complete = OwnImages(ontology), 0
        for graph in graphs:
            complete += "objects" in graph.complete
            self._count(graph)
            own.add(graph)
        self.own_images = own.counts
        """The source's images as the table of co-occurrence counts them."""
        # A mirror that shows something leaves a drawn scene open.
        self.is_drawn = 2 * complete >= self.images
        """Whether the source draws what it has of a place, and annotates all of it."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that the source has, in order."""
        return tuple(sorted(self.with_kind))

    def _count(self, graph: SceneGraph) -> None:
        ontology = self._ontology
        self.images += 1
        kinds: dict[str, str] = {}
        plural: set[str] = set()
        for thing in graph.objects.values():
            lexeme = ontology.lexeme(thing.name)
            if lexeme is None:
                self.unknown[thing.name] += 1
                continue
            kind = kinds[thing.id] = lexeme[0]
            if lexeme[1] == "plural":
                plural.add(kind)
            values = [value for value in thing.attributes if value in ontology.family_by_value]
            if values:
                _add(self.attributes, kind, values)
                colors = len(self.colors.intersection(values))
                self.colored[kind] += colors > 0
                self.many_colored[kind] += colors > 1
        number = Counter(kinds.values())
        self.with_kind.update(number.keys())
        self.with_several.update(kind for kind in number if number[kind] > 1 or kind in plural)
        self._count_relations(graph, kinds)
        if graph.location is not None:
            self._count_place(graph, graph.location, kinds)

    def _count_relations(self, graph: SceneGraph, kinds: Mapping[str, str]) -> None:
        for thing in graph.objects.values():
            for relation in thing.relations:
                record = self._ontology.relations.get(relation.name)
                if record is not None and record.askable and thing.id in kinds and relation.target in kinds:
                    _add(self.relations, kinds[thing.id], [(relation.name, kinds[relation.target])])

    def _count_place(self, graph: SceneGraph, place: str, kinds: Mapping[str, str]) -> None:
        ontology = self._ontology
        held = {
            relation.target
            for thing in graph.objects.values()
            for relation in thing.relations
            if (record := ontology.relations.get(relation.name)) is not None
            and record.relation_class in ("holding", "wearing")
        }
        doing = {value for thing in graph.objects.values() for value in thing.attributes if value in self.doings}
        self.images_at[place] += 1
        _add(self.at, place, {*kinds.values(), *doing})
        standing = {kind for key, kind in kinds.items() if key not in held or ontology.is_a(kind, "clothing")}
        _add(self.standing_at, place, standing)


def _add(counts: dict[str, Counter[T]], key: str, values: Iterable[T]) -> None:
    counts.setdefault(key, Counter()).update(values)
