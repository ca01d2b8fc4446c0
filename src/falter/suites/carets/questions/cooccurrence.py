"""What usually goes together in the given graphs, so that false arguments are plausible ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from random import Random

from falter.cooccurrence import ImageCounts, OwnCounts, Plausibility, annotated_in, half_of, load_table
from falter.english import Ontology
from falter.scene import SceneGraph

__all__ = ["CooccurrenceCounts"]

_FEW = 4
_LEAST_ABSENT, _MOST_ABSENT = 4, 15
_COMMONNESS = 0.7
_COMMON = 30
_LEAST_SHARE = 0.004
"""Of what is said of a kind within a family, the share that a value has at least that the kind is known to take."""
_ENOUGH_SAID = 8
"""How often values of a family are said of a kind before the list of what it takes is not needed."""
_MUCH_SAID = 20
"""How often they are said before a value that is said once counts as a slip."""
_LEAST_RELATED = 2
"""In how many images of the table two kinds are related at least, where the source does not relate them."""


class CooccurrenceCounts:
    """Counts over a source's graphs: kinds with kinds, attributes of kinds, relations between kinds."""

    def __init__(
        self, graphs: Iterable[SceneGraph], ontology: Ontology, categories: frozenset[str] | None = None
    ) -> None:
        self.seen: Counter[str] = Counter()
        self.attributes: dict[str, Counter[str]] = {}
        self.relations: dict[str, Counter[tuple[str, str]]] = {}
        self.unknown: Counter[str] = Counter()
        self._ontology = ontology
        own = OwnCounts(ImageCounts(), ImageCounts())
        self._drawn = True
        for graph in graphs:
            self._drawn = self._drawn and "objects" in graph.complete
            self._count(graph)
            own[half_of(graph.image_id)].add([annotated_in(graph, ontology)])
        self.kinds = tuple(sorted(self.seen))
        self._counts_own = own.enough
        counts = load_table().draw
        self.plausibility = Plausibility(counts.plus(own.draw) if own.enough else counts, ontology)
        """By the half of the table that is for draws, with the source's own where it is large enough."""
        self._used = {value for values in self.attributes.values() for value in values}
        self._latest = ("", self.plausibility)
        self._known: dict[str, tuple[tuple[str, float], ...]] = {}
        self._taken: dict[str, frozenset[str]] = {}
        self._deniable: dict[str, tuple[tuple[str, float], ...]] = {}
        self._natural: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {}
        self._values: dict[tuple[str, str], tuple[tuple[str, float], ...]] = {}
        self._of_sorts: dict[str, dict[str, set[str]]] = {}
        self._below: dict[str, tuple[tuple[str, float], ...]] = {}
        self.relation_pairs = self._relation_pairs()
        self.deniable = frozenset(self.kinds)
        """The kinds whose absence the annotation can tell, and that are not absent from all images alike."""
        if categories is not None:
            self.deniable |= {lexeme[0] for name in categories if (lexeme := ontology.lexeme(name)) is not None}
        elif not self._drawn:
            # Annotators who may name whatever they see leave out a common kind where there is none.
            self.deniable |= {kind for kind in self.plausibility.kinds if self.plausibility.frequency(kind) >= _COMMON}

    def _count(self, graph: SceneGraph) -> None:
        ontology = self._ontology
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
                record = ontology.relations.get(relation.name)
                if record is not None and record.askable and thing.id in kinds and relation.target in kinds:
                    pair = (relation.name, kinds[relation.target])
                    self.relations.setdefault(kinds[thing.id], Counter())[pair] += 1
        self.seen.update(set(kinds.values()))

    def _relation_pairs(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """By kind, the relations to other kinds that it is known to have: in the source, or often enough elsewhere."""
        pairs = {kind: set(found) for kind, found in self.relations.items()}
        used = {name for found in pairs.values() for name, _ in found}
        for (kind, name, target), count in self.plausibility.counts.relations.items():
            # A relation that the annotators never use may hold all the same.
            if count >= _LEAST_RELATED and name in used and self._ontology.relations[name].askable:
                pairs.setdefault(kind, set()).add((name, target))
        return {kind: tuple(sorted(found)) for kind, found in pairs.items()}

    def plausibility_in(self, graph: SceneGraph) -> Plausibility:
        """The scores for questions about one image: by counts that it has no part in."""
        if not self._counts_own or half_of(graph.image_id) != 0:
            return self.plausibility
        if self._latest[0] != graph.image_id:
            self._latest = graph.image_id, self.plausibility.without(annotated_in(graph, self._ontology))
        return self._latest[1]

    def absent_kinds(
        self, present: Iterable[str], allowed: Callable[[str], bool], rng: Random, plausibility: Plausibility
    ) -> list[str]:
        """Kinds that are not among those present but could well be, in a drawn order without repeats.

        They are the most plausible ones beside what is present; of these, common kinds are rather drawn first, so that
        how common a kind is tells as little as what it stands beside.
        """
        here = set(present)
        likely = plausibility.most_plausible(
            here,
            lambda kind: kind in self.deniable and kind not in here and allowed(kind),
            least=_LEAST_ABSENT,
            most=_MOST_ABSENT,
        )
        weighted = [(kind, (1 + plausibility.frequency(kind)) ** _COMMONNESS) for kind in likely]
        return _drawn(weighted, rng)

    def kinds_below(self, kind: str, rng: Random) -> list[str]:
        """Countable kinds of a kind that the source has or could well have, the common ones rather first."""
        if kind not in self._below:
            self._below[kind] = tuple(
                (other, 1.0 + self.seen[other])
                for other in sorted(self.deniable)
                if other != kind
                and self._ontology.is_a(other, kind)
                and self._ontology.kinds[other].number == "count"
                and not self._ontology.kinds[other].unique
            )
        return _drawn(self._below[kind], rng)

    def known_values(self, kind: str) -> tuple[tuple[str, float], ...]:
        """The values that a kind is known to take, each with how often it is said of it.

        They are said in the table or annotated in the source, and not the rare exception among what is said of the kind
        within a family; where little is said, those that the table lists. What is drawn may well be an exception.
        """
        known = self._known.get(kind)
        if known is None:
            counts = self.plausibility.counts
            seen = self.attributes.get(kind, Counter())
            often: dict[str, float] = {}
            for family, record in self._ontology.families.items():
                if not self._ontology.family_applies_to(family, kind):
                    continue
                said = {value: counts.attributes[kind, value] + seen[value] for value in record.values}
                total = sum(said.values())
                for value, times in said.items():
                    number = times + (counts.listed[kind, value] if total < _ENOUGH_SAID else 0)
                    if number >= (max(2, _LEAST_SHARE * total) if total >= _MUCH_SAID and not self._drawn else 1):
                        often[value] = max(float(number), often.get(value, 0.0))
            known = self._known[kind] = tuple(sorted(often.items()))
        return known

    def deniable_values(self, kind: str) -> tuple[tuple[str, float], ...]:
        """The known values of a kind that the source has of some kind, or of this one where its annotation is complete.

        What annotators never say of anything would be asked about of absent things alone.
        """
        known = self._deniable.get(kind)
        if known is None:
            used = self.attributes.get(kind, ()) if self._drawn else self._used
            known = self._deniable[kind] = tuple(one for one in self.known_values(kind) if one[0] in used)
        return known

    def takes(self, kind: str, value: str) -> bool:
        """Whether a kind is known to take a value."""
        known = self._taken.get(kind)
        if known is None:
            known = self._taken[kind] = frozenset(one for one, _ in self.known_values(kind))
        return value in known

    @property
    def is_complete(self) -> bool:
        """Whether the annotation says of all that is there, as in the world."""
        return self._drawn

    def natural_values(self, kind: str, rng: Random, most: int) -> list[str]:
        """Some values that a kind is known to take and that people say before its name, the usual ones rather."""
        known = self._natural.get(kind)
        if known is None:
            found = [(one, often) for one, often in self.deniable_values(kind) if self._ontology.is_natural(one, kind)]
            weights = accumulate(often**_COMMONNESS for _, often in found)
            known = self._natural[kind] = (tuple(one for one, _ in found), tuple(weights))
        values, weights_so_far = known
        if not values:
            return []
        return list(dict.fromkeys(rng.choices(values, cum_weights=weights_so_far, k=most)))

    def values_of(self, family: str, kind: str, rng: Random) -> list[str]:
        """Values of a family that a kind is known to take, the usual ones rather first.

        Where the annotation is complete and has few, those of other kinds are added, but of its own sort: what people
        do is no guess about a sheep.
        """
        key = (family, kind)
        if key not in self._values:
            values = self._ontology.families[family].values
            own = {value: often for value, often in self.known_values(kind) if value in values}
            if self._drawn and len(own) < _FEW:
                of_sort = self._values_by_sort(family)
                anywhere = {value for sort in self._sorts(family, kind) for value in of_sort.get(sort, ())}
                own |= {value: 1.0 for value in values if value in anywhere and value not in own}
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
