"""What usually goes together in the given graphs, so that false arguments are plausible ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import log2
from random import Random

from falter.cooccurrence import Plausibility, load_table
from falter.english import Ontology
from falter.scene import SceneGraph

__all__ = ["CooccurrenceCounts"]

_FEW = 4
_LEAST_ABSENT, _MOST_ABSENT = 4, 15
_COMMONNESS = 0.7
_COMMON = 30


class CooccurrenceCounts:
    """Counts over a source's graphs: kinds with kinds, attributes of kinds, relations between kinds."""

    def __init__(
        self, graphs: Iterable[SceneGraph], ontology: Ontology, categories: frozenset[str] | None = None
    ) -> None:
        self.seen: Counter[str] = Counter()
        self.attributes: dict[str, Counter[str]] = {}
        self.relations: dict[str, Counter[tuple[str, str]]] = {}
        self.unknown: Counter[str] = Counter()
        askable = {name for name, record in ontology.relations.items() if record.askable}
        drawn = True
        for graph in graphs:
            drawn = drawn and "objects" in graph.complete
            kinds: dict[str, str] = {}
            for thing in graph.objects.values():
                lexeme = ontology.lexeme(thing.name)
                if lexeme is None:
                    self.unknown[thing.name] += 1
                    continue
                kinds[thing.id] = lexeme[0]
                known = [value for value in thing.attributes if value in ontology.family_by_value]
                if known:
                    self.attributes.setdefault(lexeme[0], Counter()).update(known)
            for thing in graph.objects.values():
                for relation in thing.relations:
                    if thing.id in kinds and relation.target in kinds and relation.name in askable:
                        pair = (relation.name, kinds[relation.target])
                        self.relations.setdefault(kinds[thing.id], Counter())[pair] += 1
            present = sorted(set(kinds.values()))
            self.seen.update(present)
        self.usual_attributes: dict[str, tuple[str, ...]] = {
            kind: tuple(value for value in sorted(values) if ontology.is_natural(value, kind))
            for kind, values in self.attributes.items()
        }
        self.relation_pairs = {kind: tuple(sorted(pairs)) for kind, pairs in self.relations.items()}
        self._ontology = ontology
        self._below: dict[str, tuple[tuple[str, int], ...]] = {}
        self._values: dict[tuple[str, str], tuple[tuple[str, int], ...]] = {}
        self._of_sorts: dict[str, dict[str, set[str]]] = {}
        self.kinds = tuple(sorted(self.seen))
        self.plausibility = Plausibility(load_table().draw, ontology)
        self.deniable = frozenset(self.kinds)
        """The kinds whose absence the annotation can tell, and that are not absent from all images alike."""
        if categories is not None:
            self.deniable |= {lexeme[0] for name in categories if (lexeme := ontology.lexeme(name)) is not None}
        elif not drawn:
            # Annotators who may name whatever they see leave out a common kind where there is none.
            self.deniable |= {kind for kind in self.plausibility.kinds if self.plausibility.frequency(kind) >= _COMMON}

    def absent_kinds(self, present: Iterable[str], allowed: Callable[[str], bool], rng: Random) -> list[str]:
        """Kinds that are not among those present but could well be, in a drawn order without repeats.

        They are the most plausible ones beside what is present; of these, common kinds are rather drawn first, so that
        how common a kind is tells as little as what it stands beside.
        """
        here = set(present)
        likely = self.plausibility.most_plausible(
            here,
            lambda kind: kind in self.deniable and kind not in here and allowed(kind),
            least=_LEAST_ABSENT,
            most=_MOST_ABSENT,
        )
        weighted = [(kind, (1 + self.plausibility.frequency(kind)) ** _COMMONNESS) for kind in likely]
        return _drawn(weighted, rng)

    def kinds_below(self, kind: str, rng: Random) -> list[str]:
        """Countable kinds of a kind that the source has or could well have, the common ones rather first."""
        if kind not in self._below:
            self._below[kind] = tuple(
                (other, 1 + self.seen[other])
                for other in sorted(self.deniable)
                if other != kind
                and self._ontology.is_a(other, kind)
                and self._ontology.kinds[other].number == "count"
                and not self._ontology.kinds[other].unique
            )
        return _drawn(self._below[kind], rng)

    def usual_value(self, kind: str, value: str) -> tuple[str, ...]:
        """How often a value is said of a kind, in doublings, as a feature."""
        return (f"often:{round(log2(1 + self.plausibility.counts.attributes[kind, value]))}",)

    def values_of(self, family: str, kind: str, rng: Random) -> list[str]:
        """Values of a family that the source has for a kind, rather common first.

        Where it has few, those of other kinds are added, but of its own sort: what people do is no guess about a sheep.
        """
        key = (family, kind)
        if key not in self._values:
            values = self._ontology.families[family].values
            seen = self.attributes.get(kind, Counter())
            said = self.plausibility.counts.attributes
            own = {value: seen[value] + said[kind, value] for value in values if value in seen or said[kind, value]}
            if len(own) < _FEW:
                of_sort = self._values_by_sort(family)
                anywhere = {value for sort in self._sorts(family, kind) for value in of_sort.get(sort, ())}
                own |= {value: 1 for value in values if value in anywhere and value not in own}
            self._values[key] = tuple(sorted(own.items()))
        return _drawn(self._values[key], rng)

    def _values_by_sort(self, family: str) -> dict[str, set[str]]:
        """For each sort of things that a family suits, the values that the source has for such things."""
        known = self._of_sorts.get(family)
        if known is None:
            known = self._of_sorts[family] = {}
            values = frozenset(self._ontology.families[family].values)
            for kind, had in self.attributes.items():
                for sort in self._sorts(family, kind):
                    known.setdefault(sort, set()).update(values.intersection(had))
        return known

    def _sorts(self, family: str, kind: str) -> frozenset[str]:
        """The kinds that a family suits, of which this is one."""
        return frozenset(self._ontology.ancestors(kind)).intersection(self._ontology.families[family].applies_to)


def _drawn(weighted: Sequence[tuple[str, float]], rng: Random) -> list[str]:
    keyed = sorted(((rng.random() ** (1.0 / weight), value) for value, weight in weighted), reverse=True)
    return [value for _, value in keyed]
