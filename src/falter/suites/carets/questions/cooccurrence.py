"""What usually goes together in the given graphs, so that false arguments are plausible ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from itertools import chain
from math import exp
from random import Random
from typing import TypeVar

from falter.generation.cooccurrence import (
    SIBLING,
    Belonging,
    Floor,
    OwnImages,
    Plausibility,
    annotated_in,
    half_of,
    load_table,
)
from falter.generation.english import Ontology
from falter.generation.scene import SceneGraph
from falter.suites.carets.questions.known_values import KnownValues, UsualLooks, drawn
from falter.suites.carets.questions.naming import WiderWords, are_of_one_kind, serve_one_use, way_of
from falter.suites.carets.questions.placement import is_any, sort_of_place

__all__ = ["CooccurrenceCounts"]

_MOST_ABSENT = 10
_COMMONNESS = 0.5
_NEARLY = 0.5
"""How plausible an absent kind is at least, as a share of the most plausible one."""
_COMMON = 30
_COLLECTIONS = frozenset(("herd", "flock", "group of people", "crowd", "couple"))
"""What people say only of what they see: nobody asks for a herd."""
_POSE = "pose"
_PERSON = "person"
_TAKE_IMAGES = ("camera", "photographer")
"""What takes the image is not in it."""
_EVERYWHERE = 0.15
_ENOUGH_AT = 5
"""How many images of a place tell all that it has, in a source with a complete annotation."""
_SEVERAL, _SEVERAL_DRAWN = 0.5, 0.15
"""In which share of the images with a kind several are, where several are asked for."""
_LEAST_SHARE_AT = 0.1
"""In which share of a place's images a kind is at least that is asked for there."""
_LEAST_TOGETHER = 0.1
"""The least lift of two kinds, one of them absent, that are named in one question."""
_LEAST_LIKENESS = 0.2
"""How alike the surroundings of two kinds are at least that are offered for one thing."""
_LEAST_LIKENESS_DRAWN = 0.1
"""The same where the source draws what it has of a place: there anything may be, but a fish is no dog."""
_LEAST_AT_HOME = -1.2
"""The least mean lift of what is annotated with what tells of the place."""
_LEAST_SUITING = -1.25
"""The least mean lift of what somebody does with what tells of the place."""
_LEAST_OF_ANIMALS, _LEAST_OF_FOOD = 2.0, 1.0
_LEAST_BOTH, _LEAST_APART, _LEAST_WITH_PEOPLE = 0.9, 1.25, 0.3
"""The least lift of two kinds that are named in one question, of two that are found in different spots, and of people
and a thing."""
_LEAST_BOTH_DRAWN, _LEAST_WITH_PEOPLE_DRAWN, _LEAST_OUTDOORS_DRAWN = 0.5, -0.5, -0.35
"""The same where what is in a place is drawn at random: of two things, of people and an animal, and of anybody and a
thing outdoors."""
_LEAST_COUNTED = 3
"""In how many images of the table two kinds are at least that are named in one question and are not of one kind."""
_LEAST_LIKENESS_OF_TWO, _LEAST_LIKENESS_OF_SIBLINGS = 0.3, 0.3
"""How alike the surroundings of two kinds are at least between which people choose, or of which one is asked for as a
sibling."""
_LEAST_LIKENESS_OF_TWO_DRAWN, _LEAST_LIKENESS_OF_GEAR = 0.33, 0.45
"""The same of two animals or vehicles that are drawn at random, and of sporting equipment: no bat in tennis."""
_ANY_TWO = (_PERSON,)
_ANY_TWO_DRAWN = (*_ANY_TWO, "furniture", "plant", "clothing", "building", "food", "tableware")
"""Kinds of which people choose between any two. Where things are drawn at random, what else is there tells little."""
_NO_SIBLINGS = (_PERSON, "clothing", "part", "place", "structure")
"""Kinds of which one being there makes no other likely."""
_NEARLY_ALL, _FEWEST_COLORED = 0.8, 5
"""The share of a kind that has a color of which it need not be said: a bush is green."""
_LEAST_RELATED = 3
"""In how many images of the table two kinds are related at least, where the source does not relate them."""

T = TypeVar("T")

_Known = dict[tuple[str, str], bool]
"""What was worked out of two words."""


class CooccurrenceCounts:
    """Counts over a source's graphs: kinds with kinds, attributes of kinds, relations between kinds."""

    def __init__(
        self, graphs: Iterable[SceneGraph], ontology: Ontology, categories: frozenset[str] | None = None
    ) -> None:
        self.seen: Counter[str] = Counter()
        self.attributes: dict[str, Counter[str]] = {}
        self.relations: dict[str, Counter[tuple[str, str]]] = {}
        self.unknown: Counter[str] = Counter()
        self._several: Counter[str] = Counter()
        self._colored: Counter[str] = Counter()
        self._many_colored: Counter[str] = Counter()
        self._ontology = ontology
        self._colors = frozenset(ontology.families["color"].values)
        doings = [family.values for name, family in ontology.families.items() if family.doing and name != _POSE]
        self._doings = frozenset().union(*doings)
        """What people do in one place rather than in another; they stand and sit anywhere."""
        gathered = OwnImages(ontology)
        complete = images = 0
        self._at: dict[str, Counter[str]] = {}
        self._standing_at: dict[str, Counter[str]] = {}
        """By place the kinds that are there, and not just held by somebody."""
        self._images_at: Counter[str] = Counter()
        for graph in graphs:
            images += 1
            complete += "objects" in graph.complete
            self._count(graph)
            gathered.add(graph)
        # A mirror that shows something leaves a drawn scene open.
        self._drawn = 2 * complete >= images
        self._images = images
        self.kinds = tuple(sorted(self.seen))
        own = gathered.counts
        self._counts_own = own.enough
        self.plausibility, self._belonging = _by_table(ontology)
        """By the half of the table that is for draws, with the source's own where it is large enough."""
        if own.enough:
            self.plausibility = Plausibility(self.plausibility.counts.plus(own.draw), ontology)
            self._belonging = Belonging(self.plausibility, ontology)
        self.values = KnownValues(ontology, self.plausibility.counts, self.attributes, complete=self._drawn)
        self._latest = ("", self.plausibility)
        self._denied: dict[str, bool] = {}
        self._partners: dict[str, dict[str, dict[str, bool]]] = {}
        self._asked_looks, self._instead, self._sibling = _Known(), _Known(), _Known()
        self._one_sort, self._alternatives = _Known(), _Known()
        self._below: dict[str, tuple[tuple[str, float], ...]] = {}
        self._usual_looks = UsualLooks(ontology, load_table().draw)
        self.wider_words = WiderWords(ontology, load_table().draw)
        self.relation_pairs = self._relation_pairs()
        self._by_target: dict[str, dict[str, list[tuple[str, str]]]] = {}
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
                _add(self.attributes, lexeme[0], known)
                colors = len(self._colors.intersection(known))
                self._colored[lexeme[0]] += colors > 0
                self._many_colored[lexeme[0]] += colors > 1
        for thing in graph.objects.values():
            for relation in thing.relations:
                record = ontology.relations.get(relation.name)
                if record is not None and record.askable and thing.id in kinds and relation.target in kinds:
                    _add(self.relations, kinds[thing.id], [(relation.name, kinds[relation.target])])
        self.seen.update(set(kinds.values()))
        named = Counter(kinds.values())
        plural = {kinds[one.id] for one in graph.objects.values() if one.id in kinds and self._is_plural(one.name)}
        self._several.update(kind for kind, number in named.items() if number > 1 or kind in plural)
        if graph.location is not None:
            held = {
                relation.target
                for thing in graph.objects.values()
                for relation in thing.relations
                if (record := ontology.relations.get(relation.name)) is not None
                and record.relation_class in ("holding", "wearing")
            }
            doing = {value for thing in graph.objects.values() for value in thing.attributes if value in self._doings}
            self._images_at[graph.location] += 1
            _add(self._at, graph.location, {*kinds.values(), *doing})
            own = {kind for key, kind in kinds.items() if key not in held or ontology.is_a(kind, "clothing")}
            _add(self._standing_at, graph.location, own)

    def _relation_pairs(self) -> dict[str, frozenset[tuple[str, str]]]:
        """By kind, the relations to other kinds that it is known to have: in the source, or often enough elsewhere."""
        pairs = {kind: set(found) for kind, found in self.relations.items()}
        used = {name for found in pairs.values() for name, _ in found}
        for (kind, name, target), count in self.plausibility.counts.relations.items():
            # A relation that the annotators never use may hold all the same.
            if count >= _LEAST_RELATED and name in used and self._ontology.relations[name].askable:
                pairs.setdefault(kind, set()).add((name, target))
        return {kind: frozenset(found) for kind, found in pairs.items()}

    def relations_to(self, kind: str, targets: Set[str]) -> list[tuple[str, str]]:
        """The relations that a kind is known to have to some others, in the order of the alphabet."""
        by_target = self._by_target.get(kind)
        if by_target is None:
            by_target = self._by_target[kind] = {}
            for pair in self.relation_pairs.get(kind, ()):
                by_target.setdefault(pair[1], []).append(pair)
        return sorted(chain.from_iterable([by_target[target] for target in by_target.keys() & targets]))

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
            least = _LEAST_SHARE_AT * self._images_at[location]
            standing = self._standing_at.get(location, Counter())
            at = (kind for kind, number in standing.items() if number >= max(least, self._fewest_at(kind)))
            likely = {kind: float(mean[places[kind]]) if kind in places else 0.0 for kind in at}
            return likely if self._images_at[location] >= _ENOUGH_AT else likely | found
        return found

    def is_said_of(self, value: str, kind: str) -> bool:
        """Whether a value is said before the name of a kind: one color is not, where most of the kind have several."""
        return value not in self._colors or 2 * self._many_colored[kind] <= self._colored[kind]

    def is_usual_look(self, value: str, kind: str) -> bool:
        """Whether a drawn thing is asked for by how it looks: as people see such things, and not as all of them are."""
        if not self._drawn:
            return True
        known = self._asked_looks.get((value, kind))
        if known is None:
            known = self._usual_looks.has(kind, value) and not self.is_nearly_always(value, kind)
            self._asked_looks[value, kind] = known
        return known

    def is_nearly_always(self, value: str, kind: str) -> bool:
        """Whether nearly all that is drawn of a kind has a color, so that nobody asks which: a bush is green."""
        if not self._drawn or value not in self._colors:
            return False
        most = _NEARLY_ALL * max(self._colored[kind], _FEWEST_COLORED)
        return self.attributes.get(kind, Counter())[value] >= most

    def _fewest_at(self, kind: str) -> int:
        """In how many images of a place a kind is at least: one animal may have strayed there."""
        return 2 if self._ontology.is_a(kind, "animal") else 1

    def usual_people(self, present: Iterable[str], location: str | None) -> list[str]:
        """Kinds of people that may be in such an image, as people may nearly anywhere."""
        usual = self._belonging.usual(self._with_place(present, location))
        return sorted(kind for kind in usual if self._ontology.is_a(kind, _PERSON) and self._may_be_denied(kind))

    def are_several(self, kind: str) -> bool:
        """Whether an image with a kind often has several of it; of a kind that the source lacks nothing is known."""
        return self._several[kind] >= (_SEVERAL_DRAWN if self._drawn else _SEVERAL) * self.seen[kind]

    def _is_plural(self, name: str) -> bool:
        lexeme = self._ontology.lexeme(name)
        return lexeme is not None and lexeme[1] == "plural"

    def is_everywhere(self, kind: str) -> bool:
        """Whether the source has a kind in so many images that, never denied, its word would tell yes."""
        return self.seen[kind] >= _EVERYWHERE * self._images

    def _with_place(self, present: Iterable[str], location: str | None) -> frozenset[str]:
        """The kinds that are present, and the place as one of them."""
        named = None if location is None else self._ontology.lexeme(location)
        return frozenset(present) if named is None else frozenset((*present, named[0]))

    def are_of_one_sort(self, first: str, second: str) -> bool:
        """Whether people would name two kinds in one breath: not what is in the sky and what is on the ground.

        Nor what somebody wears and anything else. Where things are drawn at random, nor what is found in other places.
        """
        known = self._one_sort.get((first, second))
        if known is None:
            known = self._one_sort[first, second] = self._find_one_sort(first, second)
        return known

    def _find_one_sort(self, first: str, second: str) -> bool:
        if self.are_alternatives(first, second):
            return True
        # A lift that rests on likeness alone says that two kinds may meet, not that people name them together.
        if load_table().draw.together(first, second) < _LEAST_COUNTED:
            return False
        sorts = {sort_of_place(first, self._ontology), sort_of_place(second, self._ontology)}
        people = any(self._ontology.is_a(kind, _PERSON) for kind in (first, second))
        if self._drawn:
            if sorts == {"carried"} or (len(sorts) > 1 and sorts != {"living", "outdoors"}):
                return False
            if people and len(sorts) > 1:
                thing = second if self._ontology.is_a(first, _PERSON) else first
                return self._belonging.lift(_PERSON, thing) >= _LEAST_OUTDOORS_DRAWN
            least = _LEAST_WITH_PEOPLE_DRAWN if people else _LEAST_BOTH_DRAWN
        elif len(sorts) > 1 and not sorts.isdisjoint(("sky", "worn")):
            return False
        else:
            least = _LEAST_WITH_PEOPLE if people else _LEAST_BOTH if len(sorts) == 1 else _LEAST_APART
        return self._belonging.lift(first, second) >= least

    def partners_for(self, question: str) -> dict[str, dict[str, bool]]:
        """What a type of questions knows of two kinds: by the first and the second, whether it names them together."""
        return self._partners.setdefault(question, {})

    def are_alternatives(self, first: str, second: str) -> bool:
        """Whether people would choose between two kinds: they are of one near kind, and found in such surroundings."""
        known = self._alternatives.get((first, second))
        if known is None:
            known = self._alternatives[first, second] = self._find_alternatives(first, second)
        return known

    def _find_alternatives(self, first: str, second: str) -> bool:
        if not serve_one_use(first, second, self._ontology):
            return False
        if is_any(first, _ANY_TWO_DRAWN if self._drawn else _ANY_TWO, self._ontology):
            return True
        least = _LEAST_LIKENESS_OF_TWO_DRAWN if self._drawn else _LEAST_LIKENESS_OF_TWO
        return self._belonging.likeness(first, second) >= least

    @property
    def is_drawn(self) -> bool:
        """Whether the source draws what it has of a place, and annotates all of it."""
        return self._drawn

    def siblings(self, present: Collection[str], alone: Set[str], location: str | None) -> dict[str, float]:
        """Kinds like one that is present, each with its mean lift: a horse where cows are, a spoon beside a knife.

        Those that are there alone make no other likely.
        """
        if self._drawn:
            return {}
        fitting = self._belonging.belonging(self._with_place(present, location), SIBLING)
        here = [kind for kind in present if kind not in alone and not is_any(kind, _NO_SIBLINGS, self._ontology)]
        return {kind: lift for kind, lift in fitting.items() if any(self._are_siblings(kind, one) for one in here)}

    def _are_siblings(self, kind: str, other: str) -> bool:
        known = self._sibling.get((kind, other))
        if known is None:
            gear = self._ontology.is_a(kind, "sporting equipment")
            known = self._sibling[kind, other] = (
                are_of_one_kind(kind, other, self._ontology)
                and self._ontology.are_disjoint(kind, other)
                and self._belonging.likeness(kind, other)
                >= (_LEAST_LIKENESS_OF_GEAR if gear else _LEAST_LIKENESS_OF_SIBLINGS)
            )
        return known

    def go_together(self, first: str, second: str, location: str | None) -> bool:
        """Whether two kinds may well be in one image."""
        here = self._at.get(location, ()) if self._drawn and location is not None else ()
        return (first in here and second in here) or self._belonging.lift(first, second) >= _LEAST_TOGETHER

    def lift(self, first: str, second: str) -> float:
        """How much more often two kinds occur together than by chance, as far as kinds like them do too."""
        return self._belonging.lift(first, second)

    def lifts(self, kind: str, others: Sequence[str]) -> dict[str, float]:
        """The same of a kind with each of some others."""
        return self._belonging.lifts_of(kind, others)

    def could_be_instead(self, other: str, right: str) -> bool:
        """Whether something that is of one kind could be taken for another: both are found in such surroundings."""
        known = self._instead.get((other, right))
        if known is None:
            known = self._instead[other, right] = self._find_whether_instead(other, right)
        return known

    def _find_whether_instead(self, other: str, right: str) -> bool:
        if sort_of_place(other, self._ontology) != sort_of_place(right, self._ontology):
            return False
        if way_of(other, self._ontology) != way_of(right, self._ontology):
            return False
        if self._drawn and is_any(right, (_PERSON,), self._ontology):
            return True
        least = _LEAST_LIKENESS_DRAWN if self._drawn else _LEAST_LIKENESS
        return self._belonging.likeness(other, right) >= least

    def is_at_home(self, kind: str, present: Iterable[str], location: str | None) -> bool:
        """Whether a kind that is annotated goes with the others: a monkey in a bathroom is a toy or an error."""
        return self._drawn or self._belonging.of_kind(kind, self._with_place(present, location)) >= _LEAST_AT_HOME

    def tells(self, kind: str) -> bool:
        """Whether a kind tells something of where it is found."""
        return self._belonging.tells(kind)

    def suits(self, value: str, present: Iterable[str], location: str | None) -> bool:
        """Whether somebody may well do something where these kinds are; what is no doing suits any place."""
        if value not in self._doings:
            return True
        if self._drawn and location is not None and value in self._at.get(location, ()):
            return True
        return self._belonging.of_value(value, self._with_place(present, location)) >= _LEAST_SUITING

    def absent_kinds(
        self, belonging: Mapping[str, float], siblings: Mapping[str, float], allowed: Callable[[str], bool]
    ) -> list[tuple[str, float]]:
        """Of the kinds that belong in an image the most plausible that may be denied, with weights to draw them by.

        Those that are like something there are among them. Common kinds are rather drawn first, so that how common a
        kind is tells as little as what it stands beside.
        """
        ranked = sorted(belonging, key=lambda kind: (-belonging[kind], kind))
        could = [kind for kind in ranked if self._may_be_denied(kind) and allowed(kind)]
        if not self._drawn:
            least = _NEARLY * belonging[could[0]] if could else 0.0
            could = [kind for kind in could if belonging[kind] >= max(least, self._floor_of(kind))][:_MOST_ABSENT]
        also = (kind for kind in sorted(siblings) if self._may_be_denied(kind) and allowed(kind))
        frequency, lifts = self.plausibility.frequency, {**siblings, **belonging}
        found = dict.fromkeys((*could, *also))
        return [(kind, (1 + frequency(kind)) ** _COMMONNESS * exp(lifts[kind])) for kind in found]

    def _floor_of(self, kind: str) -> float:
        """The least mean lift of a kind that is asked for: animals and food are looked for where they are usual."""
        if self._ontology.is_a(kind, "animal"):
            return _LEAST_OF_ANIMALS
        return _LEAST_OF_FOOD if self._ontology.is_a(kind, "food") else 0.0

    def _may_be_denied(self, kind: str) -> bool:
        """Whether the annotation can tell that a kind is absent, and the counts that it belongs.

        They cannot where the kind is called like a color (an orange train), nor of what imitates something else: teddy
        bears are counted where they are put on show.
        """
        known = self._denied.get(kind)
        if known is None:
            known = self._denied[kind] = (
                kind in self.deniable
                and kind not in self._colors
                and not self._ontology.is_kind_of_imitation(kind)
                and kind not in _COLLECTIONS
                and not self._is_counted_for_another(kind)
                and (self._drawn or not is_any(kind, _TAKE_IMAGES, self._ontology))
            )
        return known

    def _is_counted_for_another(self, kind: str) -> bool:
        """Whether a kind is called as another is in the plural: who speaks of glasses may mean those on the table."""
        return any(other != kind for other, _ in self._ontology.nouns.get(kind, ()))

    def may_relate(self, kind: str, name: str, target: str) -> bool:
        """Whether a kind is known to have a relation to another; anything may be beside, behind or near anything."""
        if self._ontology.relations[name].relation_class == "spatial":
            return True
        if not self._ontology.is_a(kind, _PERSON):
            return (name, target) in self.relation_pairs.get(kind, ())
        return (name, target) in self._relations_of_people

    def wears(self, kind: str, clothing: str) -> bool:
        """Whether somebody of a kind is known to wear such clothing."""
        return ("wearing", clothing) in self.relation_pairs.get(kind, ())

    @cached_property
    def _relations_of_people(self) -> frozenset[tuple[str, str]]:
        people = (pairs for kind, pairs in self.relation_pairs.items() if self._ontology.is_a(kind, _PERSON))
        return frozenset().union(*people)

    def kinds_below(self, kind: str, rng: Random) -> list[str]:
        """Countable kinds of a kind that the source has or could well have, the common ones rather first."""
        if kind not in self._below:
            self._below[kind] = tuple(
                (other, 1.0 + self.seen[other])
                for other in sorted(self._ontology.descendants[kind])
                if other in self.deniable
                and self._may_be_denied(other)
                and self._ontology.kinds[other].number == "count"
                and not self._ontology.kinds[other].unique
            )
        return drawn(self._below[kind], rng)


def _add(counts: dict[str, Counter[T]], key: str, found: Iterable[T]) -> None:
    """Count what was found of a key."""
    known = counts.get(key)
    if known is None:
        known = counts[key] = Counter()
    for one in found:
        known[one] += 1


@lru_cache(maxsize=2)
def _by_table(ontology: Ontology) -> tuple[Plausibility, Belonging]:
    """The scores by the table alone, which are the same for all sources."""
    plausibility = Plausibility(load_table().draw, ontology)
    return plausibility, Belonging(plausibility, ontology)
