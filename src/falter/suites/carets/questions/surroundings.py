"""What could well be in a scene, by what is there and where it is."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from random import Random

from falter.generation.askable import rules
from falter.generation.askable.belonging import ABSENCE, OFFER
from falter.generation.askable.likeness import gear_of, way_of
from falter.generation.askable.looks import drawn
from falter.generation.askable.placement import is_any, sort_of_place
from falter.generation.askable.source_habits import SourceHabits
from falter.generation.english import Ontology
from falter.generation.scene import Box, Scene, SceneObject

_SPARE = 2
_CARRIED = rules.words("seldom-carried")
_BOTTLE = "bottle"
_WITH_PARTS = rules.words("wholes-with-parts")
_MANY_FIXTURES = rules.whole("many-fixtures")
_MANY_BOTTLES = rules.whole("many-bottles")
_CLOSE_UP = rules.number("close-up-share")
_LARGE = rules.words("large-in-close-ups")
_OF_STILL_LIFES = ("table", "carried")
_SMALLEST_STILL_LIFE = rules.number("still-life-share", "alone")
_LARGEST_STILL_LIFE = rules.number("still-life-share", "among others")
_SMALLEST_ALONE = rules.number("smallest-telling")
_PERSON = "person"
_LEAST_FIT = rules.number("least-fit")


class Surroundings:
    """Kinds and values that belong in one scene; each is worked out once."""

    def __init__(self, scene: Scene, ontology: Ontology, habits: SourceHabits) -> None:
        self.kinds = frozenset(lexeme[0] for name in scene.names if (lexeme := ontology.lexeme(name)) is not None)
        self._scene = scene
        self._ontology = ontology
        self._habits = habits
        self._location = scene.graph.location
        self._plausibility = habits.plausibility_in(scene.graph)
        self._fits: dict[str, bool] = {}
        self._at_home: dict[str, bool] = {}

    def absent_kinds(self, rng: Random) -> list[str]:
        """Kinds that are absent but belong, in a drawn order; then people, where the source is full of them."""
        people = (kind for kind in self.absent_people if self._habits.absent.is_everywhere(kind))
        return list(dict.fromkeys([*drawn(self._absent, rng), *people]))

    @cached_property
    def _absent(self) -> list[tuple[str, float]]:
        if self._is_close_up:
            return []
        siblings = self._habits.pairs.siblings(self._telling_kinds, self._alone | self._ridden, self._location)
        return self._habits.absent.weigh(self._belonging, siblings, self._is_absent)

    @cached_property
    def _is_close_up(self) -> bool:
        """Whether one thing fills the image, so that nothing else would be looked for; a table has things on it."""
        return any(
            self._share_of_area(thing) >= _CLOSE_UP
            and (kind := self._ontology.kind_for_name(thing.name)) is not None
            and is_any(kind, _LARGE, self._ontology)
            and not self._ontology.is_a(kind, "table")
            for thing in self._scene.objects
        )

    @property
    def _alone(self) -> frozenset[str]:
        """Animals of which one is here: a herd may be of two kinds, but a horse on the beach is with nobody."""
        ontology = self._ontology
        often = Counter(
            ontology.kind_for_name(one.name)
            for one in self._scene.objects
            for _ in range(1 + self._scene.is_group(one))
        )
        return frozenset(kind for kind in self.kinds if often[kind] == 1 and ontology.is_a(kind, "animal"))

    @property
    def _ridden(self) -> frozenset[str]:
        """Animals that people sit on: riders leave the herd behind."""
        if self._habits.is_drawn:
            return frozenset()  # No animal makes another likely there.
        ontology = self._ontology
        kinds = {one.id: ontology.kind_for_name(one.name) for one in self._scene.objects}
        people = [one.box for one in self._scene.objects if (kind := kinds[one.id]) and ontology.is_a(kind, _PERSON)]
        return frozenset(
            kind
            for one in self._scene.objects
            if (kind := kinds[one.id]) is not None
            and ontology.is_a(kind, "animal")
            and any(_sits_on(person, one.box) for person in people)
        )

    def _share_of_area(self, thing: SceneObject) -> float:
        return thing.box.w * thing.box.h / (self._scene.graph.width * self._scene.graph.height)

    @cached_property
    def absent_people(self) -> list[str]:
        """Kinds of people that are not annotated here; but in a close-up nobody wonders about a question for them."""
        if self._is_close_up or self._is_still_life:
            return []
        return [kind for kind in self._habits.absent.usual_people(self.kinds, self._location) if self._is_absent(kind)]

    @property
    def _is_still_life(self) -> bool:
        """Whether there is a table and what is on it and nothing else, or one of these fills the image: bowls of food.

        They are near enough to be seen: a clock far away is in the street.
        """
        if self._habits.is_drawn:
            return False
        ontology = self._ontology
        shares: dict[str, float] = {}
        alone = True
        for thing in self._scene.objects:
            kind = ontology.kind_for_name(thing.name)
            if kind is not None and sort_of_place(kind, ontology) in _OF_STILL_LIFES:
                shares[kind] = shares.get(kind, 0.0) + self._share_of_area(thing)
            elif kind is None or not ontology.is_a(kind, "table"):
                alone = False
        return max(shares.values(), default=0.0) >= (_SMALLEST_STILL_LIFE if alone else _LARGEST_STILL_LIFE)

    def _is_absent(self, kind: str) -> bool:
        # What may be there unseen by the annotators can be neither affirmed nor denied.
        return (
            kind not in self.kinds
            and self._ontology.kinds[kind].askable
            and not self._scene.objects_of_kind(kind)
            and not self._scene.may_be_unannotated(kind)
            and self._has_room_for(kind)
            and self._has_wearer_for(kind)
            and self._has_way_for(kind)
        )

    def is_at_home(self, kind: str) -> bool:
        """Whether what is annotated here goes with the rest."""
        known = self._at_home.get(kind)
        if known is None:
            known = self._at_home[kind] = self._habits.setting.is_at_home(kind, self._telling_kinds, self._location)
        return known

    def is_part_of_another(self, kind: str) -> bool:
        """Whether something here has such parts, as a car has wheels: nobody asks for these alone."""
        return self._ontology.is_a(kind, "part") and any(
            kind in self._ontology.possible_parts(one) for one in self._wholes if one != kind
        )

    @cached_property
    def _wholes(self) -> tuple[str, ...]:
        return tuple(kind for kind in self.kinds if is_any(kind, _WITH_PARTS, self._ontology))

    @cached_property
    def _telling_kinds(self) -> frozenset[str]:
        """The kinds that tell where this is.

        Where there are many refrigerators or bottles, they tell of no kitchen; nor does a tiny thing that is alone.
        """
        ontology = self._ontology
        often = Counter(ontology.kind_for_name(one.name) for one in self._scene.objects)
        found = frozenset(
            kind
            for kind in self.kinds
            if often[kind] < (_MANY_BOTTLES if kind == _BOTTLE else _MANY_FIXTURES)
            or not (kind == _BOTTLE or ontology.rooms(kind))
        )
        alone = [kind for kind in found if self._habits.setting.tells(kind)]
        if len(alone) != 1 or self._location is not None:
            return found
        largest = max(
            self._share_of_area(one) for one in self._scene.objects if ontology.kind_for_name(one.name) == alone[0]
        )
        return found if largest >= _SMALLEST_ALONE else found - set(alone)

    def _has_wearer_for(self, kind: str) -> bool:
        """Whether what is worn or carried could be so by somebody who is here: no man wears a dress."""
        people = [one for one in self.kinds if self._ontology.is_a(one, "person")]
        if self._ontology.is_a(kind, "clothing"):
            return any(self._habits.relations.wears(one, kind) for one in people)
        return bool(people) or not is_any(kind, _CARRIED, self._ontology)

    def _has_way_for(self, kind: str) -> bool:
        """Whether a vehicle moves on what those here move on: no train is looked for in a street of cars."""
        way = way_of(kind, self._ontology)
        return self._habits.is_drawn or way is None or not self._ways or way in self._ways

    @cached_property
    def _ways(self) -> frozenset[str]:
        return frozenset(way for kind in self.kinds if (way := way_of(kind, self._ontology)) is not None)

    def _has_room_for(self, kind: str) -> bool:
        """Whether a fixture of a room could be here: the room or another of its fixtures is."""
        rooms = self._ontology.rooms(kind)
        return not rooms or not rooms.isdisjoint(self._rooms)

    @cached_property
    def _rooms(self) -> frozenset[str]:
        """The rooms that all fixtures here are of; where there is none, those that any is of."""
        names = [*self._telling_kinds, *([self._location] if self._location is not None else [])]
        known = [rooms for name in names if (rooms := self._ontology.rooms(name))]
        return frozenset.intersection(*known) or frozenset().union(*known) if known else frozenset()

    @cached_property
    def _belonging(self) -> dict[str, float]:
        return self._habits.setting.belonging(self._telling_kinds, self._location, ABSENCE)

    def could_be(self, kind: str) -> bool:
        """Whether something here could be of a kind, were it not of another."""
        return kind in self.kinds or kind in self._offered

    @cached_property
    def _offered(self) -> frozenset[str]:
        return frozenset(self._habits.setting.belonging(self._telling_kinds, self._location, OFFER))

    def go_together(self, first: str, second: str) -> bool:
        """Whether two kinds may be in a relation: both are here, or they may well be in one image."""
        kinds = self.kinds
        return (first in kinds and second in kinds) or self._habits.pairs.go_together(first, second, self._location)

    def are_alternatives(self, first: str, second: str) -> bool:
        """Whether people would ask for one of two kinds or the other."""
        return self._habits.pairs.are_alternatives(first, second) and self.go_together(first, second)

    def are_several(self, kind: str) -> bool:
        """Whether people would ask for several of an absent kind."""
        return self._habits.absent.are_several(kind)

    def values(self, kind: str, rng: Random, most: int) -> list[str]:
        """Values that the kind is known to take and that go with what is here, in a drawn order."""
        drawn = self._habits.values.natural(kind, rng, most + _SPARE)
        return [value for value in drawn if self.fits(value) and self._habits.looks.is_said_of(value, kind)][:most]

    def fits(self, value: str) -> bool:
        """Whether a value goes with what is here: no skateboarding in a kitchen."""
        known = self._fits.get(value)
        if known is None:
            known = self._fits[value] = self._goes_with_gear(value) and self._habits.setting.suits(
                value, self.kinds, self._location
            )
        return known

    def _goes_with_gear(self, value: str) -> bool:
        gear = gear_of(value, self._ontology)
        return self._plausibility.of_value(value, self.kinds) >= _LEAST_FIT and (
            not gear or not gear.isdisjoint(self.kinds) or not gear.isdisjoint(self._belonging)
        )


def _sits_on(person: Box, animal: Box) -> bool:
    """Whether somebody is above an animal and upon it, by the boxes."""
    over = min(person.right, animal.right) - max(person.x, animal.x)
    return 2 * over >= person.w and person.y < animal.y < person.bottom < animal.bottom
