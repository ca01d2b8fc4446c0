"""What usually goes together in the given graphs, so that false arguments are plausible ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from math import exp
from random import Random

from falter.cooccurrence import (
    Belonging,
    Floor,
    ImageCounts,
    OwnCounts,
    Plausibility,
    annotated_in,
    half_of,
    load_table,
)
from falter.english import Ontology
from falter.scene import SceneGraph
from falter.suites.carets.questions.known_values import KnownValues, drawn

__all__ = ["CooccurrenceCounts"]

_MOST_ABSENT = 10
_COMMONNESS = 0.5
_NEARLY = 0.5
"""How plausible an absent kind is at least, as a share of the most plausible one."""
_COMMON = 30
_COLLECTIONS = frozenset(("herd", "flock", "group of people", "crowd", "couple"))
"""What people say only of what they see: nobody asks for a herd."""
_POSE = "pose"
_EVERYWHERE = 0.3
_ENOUGH_AT = 5
"""How many images of a place tell all that it has, in a source with a complete annotation."""
_SAID, _SAID_SHARE, _FEW_BELOW, _SAID_BY_ALL = 40, 0.2, 3, 150
"""How often people say a wider word, in images and as a share of the kinds below it, of more than a few kinds."""
_LEAST_TOGETHER = -0.2
"""The least lift of two kinds, one of them absent, that are named in one question."""
_LEAST_LIKENESS = 0.2
"""How alike the surroundings of two kinds are at least that are offered for one thing."""
_LEAST_SUITING = -0.9
"""The least mean lift of what somebody does with what tells of the place."""
_LEAST_RELATED = 3
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
        self._colors = frozenset(ontology.families["color"].values)
        doings = [family.values for name, family in ontology.families.items() if family.doing and name != _POSE]
        self._doings = frozenset().union(*doings)
        """What people do in one place rather than in another; they stand and sit anywhere."""
        own = OwnCounts(ImageCounts(), ImageCounts())
        complete = images = 0
        self._at: dict[str, Counter[str]] = {}
        self._images_at: Counter[str] = Counter()
        for graph in graphs:
            images += 1
            complete += "objects" in graph.complete
            self._count(graph)
            own[half_of(graph.image_id)].add([annotated_in(graph, ontology)])
        # A mirror that shows something leaves a drawn scene open.
        self._drawn = 2 * complete >= images
        self._images = images
        self.kinds = tuple(sorted(self.seen))
        self._counts_own = own.enough
        self.plausibility, self._belonging = _by_table(ontology)
        """By the half of the table that is for draws, with the source's own where it is large enough."""
        if own.enough:
            self.plausibility = Plausibility(self.plausibility.counts.plus(own.draw), ontology)
            self._belonging = Belonging(self.plausibility, ontology)
        self.values = KnownValues(ontology, self.plausibility.counts, self.attributes, complete=self._drawn)
        self._latest = ("", self.plausibility)
        self._said: dict[str, bool] = {}
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
        if graph.location is not None:
            doing = {value for thing in graph.objects.values() for value in thing.attributes if value in self._doings}
            self._images_at[graph.location] += 1
            self._at.setdefault(graph.location, Counter()).update({*kinds.values(), *doing})

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

    def belonging(self, present: Iterable[str], location: str | None, floor: Floor) -> dict[str, float]:
        """The kinds that belong where others are, each with its mean lift.

        Where the annotation is complete, they are those that the source has in other images of the place; where there
        are few of these, the others too.
        """
        here = self._with_place(present, location)
        found = self._belonging.belonging(here, floor)
        if self._drawn and location is not None:
            mean = self._belonging.mean(here)
            places = self._belonging.places
            at = (kind for kind in self._at.get(location, ()) if kind in self.seen)
            likely = {kind: float(mean[places[kind]]) if kind in places else 0.0 for kind in at}
            return likely if self._images_at[location] >= _ENOUGH_AT else likely | found
        return found

    def usual_people(self, present: Iterable[str], location: str | None) -> list[str]:
        """Kinds of people that may be in such an image, as people may nearly anywhere."""
        usual = self._belonging.usual(self._with_place(present, location))
        return sorted(kind for kind in usual if self._ontology.is_a(kind, "person") and self._may_be_denied(kind))

    def is_everywhere(self, kind: str) -> bool:
        """Whether the source has a kind in so many images that, never denied, its word would tell yes."""
        return self.seen[kind] >= _EVERYWHERE * self._images

    def _with_place(self, present: Iterable[str], location: str | None) -> frozenset[str]:
        """The kinds that are present, and the place as one of them."""
        named = None if location is None else self._ontology.lexeme(location)
        return frozenset(present) if named is None else frozenset((*present, named[0]))

    def go_together(self, first: str, second: str, location: str | None) -> bool:
        """Whether two kinds may well be in one image."""
        here = self._at.get(location, ()) if self._drawn and location is not None else ()
        return (first in here and second in here) or self._belonging.lift(first, second) >= _LEAST_TOGETHER

    def could_be_instead(self, other: str, right: str) -> bool:
        """Whether something that is of one kind could be taken for another: both are found in such surroundings."""
        return self._drawn or self._belonging.likeness(other, right) >= _LEAST_LIKENESS

    def suits(self, value: str, present: Iterable[str], location: str | None) -> bool:
        """Whether somebody may well do something where these kinds are; what is no doing suits any place."""
        if value not in self._doings:
            return True
        if self._drawn and location is not None and value in self._at.get(location, ()):
            return True
        return self._belonging.of_value(value, self._with_place(present, location)) >= _LEAST_SUITING

    def absent_kinds(self, belonging: Mapping[str, float], allowed: Callable[[str], bool]) -> list[tuple[str, float]]:
        """Of the kinds that belong in an image the most plausible that may be denied, with weights to draw them by.

        Common kinds are rather drawn first, so that how common a kind is tells as little as what it stands beside.
        """
        ranked = sorted(belonging, key=lambda kind: (-belonging[kind], kind))
        could = [kind for kind in ranked if self._may_be_denied(kind) and allowed(kind)]
        if not self._drawn:
            least = _NEARLY * belonging[could[0]] if could else 0.0
            could = [kind for kind in could if belonging[kind] >= least][:_MOST_ABSENT]
        frequency = self.plausibility.frequency
        return [(kind, (1 + frequency(kind)) ** _COMMONNESS * exp(belonging[kind])) for kind in could]

    def _may_be_denied(self, kind: str) -> bool:
        """Whether the annotation can tell that a kind is absent, and the counts that it belongs.

        They cannot where the kind is called like a color (an orange train), nor of what imitates something else: teddy
        bears are counted where they are put on show.
        """
        return (
            kind in self.deniable
            and kind not in self._colors
            and not self._ontology.is_kind_of_imitation(kind)
            and kind not in _COLLECTIONS
        )

    def is_said(self, wider: str) -> bool:
        """Whether people call things by a wider word: an animal, a vehicle, a fruit, but hardly an accessory.

        They do where the word is said much, or much for all the kinds below it, or of two or three kinds.
        """
        known = self._said.get(wider)
        if known is None:
            counts = load_table().draw.kinds
            below = [kind for kind in self._ontology.descendants[wider] if counts[kind]]
            said, of_kinds = counts[wider], sum(counts[kind] for kind in below)
            known = self._said[wider] = said >= _SAID_BY_ALL or (
                said >= _SAID and (said >= _SAID_SHARE * of_kinds or len(below) <= _FEW_BELOW)
            )
        return known

    def may_relate(self, kind: str, name: str, target: str) -> bool:
        """Whether a kind is known to have a relation to another; anything may be beside, behind or near anything."""
        if self._ontology.relations[name].relation_class == "spatial":
            return True
        if not self._ontology.is_a(kind, "person"):
            return (name, target) in self.relation_pairs.get(kind, ())
        return any((name, target) in self.relation_pairs.get(one, ()) for one in self._people)

    @cached_property
    def _people(self) -> tuple[str, ...]:
        return tuple(kind for kind in self.relation_pairs if self._ontology.is_a(kind, "person"))

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
        return drawn(self._below[kind], rng)


@lru_cache(maxsize=2)
def _by_table(ontology: Ontology) -> tuple[Plausibility, Belonging]:
    """The scores by the table alone, which are the same for all sources."""
    plausibility = Plausibility(load_table().draw, ontology)
    return plausibility, Belonging(plausibility, ontology)
