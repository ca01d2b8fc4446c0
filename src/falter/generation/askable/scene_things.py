"""What a scene offers to be asked about: things that can be named, kinds that are there, kinds that could be."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from math import log
from typing import NamedTuple

from msgspec.structs import replace

from falter.generation.askable import rules
from falter.generation.askable.doings import carried_in
from falter.generation.askable.naming import (
    SELDOM_ALONE,
    asked_for,
    is_part,
    may_be_asked_for_color,
    named,
    parts_of,
    speech_of_kinds,
    values_to_say,
)
from falter.generation.askable.source_habits import SourcePrior
from falter.generation.cooccurrence import Plausibility
from falter.generation.english import Ontology
from falter.generation.scene import AttributeOf, Exists, ObjectDescription, Query, Scene, SceneObject, SideOf
from falter.generation.scene.graph import horizontal_sides, side_of
from falter.generation.scene.ontology_protocol import TruthValue

_COLOR = ("color",)
_TELL_NO_SETTING = rules.words("tells-no-setting", "ranked")
_COUNTED = rules.whole("counted-images")
_COMMONNESS = rules.number("commonness", "ranked")
_LEAST_ABSENT = rules.whole("least-absent")
_MOST_ABSENT = rules.whole("most-absent", "ranked")
_ONE_EACH = rules.group("one-each")
_WIDEST = rules.number("widest-with-a-side", "of the image")
_WIDEST_GROUND = rules.number("widest-with-a-side", "ground of the image")
_SMALLEST = rules.number("smallest-found", "of the image")


@lru_cache(maxsize=8192)
def _tells_setting(kind: str, ontology: Ontology) -> bool:
    return not any(ontology.is_a(kind, above) for above in _TELL_NO_SETTING)


@lru_cache(maxsize=8192)
def _asked_words(name: str, ontology: Ontology) -> tuple[ObjectDescription, ...]:
    """The words for a kind that people ask for, in the number of its name and in the plural."""
    plain = named(name, ontology)
    if plain is None or not asked_for(plain.kind, ontology):
        return ()
    return (plain, replace(plain, number="plural")) if plain.number == "singular" else (plain,)


class DefiniteWords(NamedTuple):
    """The words for the only thing of a name, and for all of them where there are several."""

    kind: str
    bit: int
    number: str
    alone: ObjectDescription
    group: ObjectDescription | None


class _DefiniteWords(dict[str, DefiniteWords | None]):
    """The definite words for each annotated name that the vocabulary has, worked out when first asked."""

    def __init__(self, ontology: Ontology) -> None:
        super().__init__()
        self._ontology = ontology

    def __missing__(self, name: str) -> DefiniteWords | None:
        plain, found = named(name, self._ontology), None
        if plain is not None:
            alone = replace(plain, definite=True)
            group = replace(alone, number="plural") if plain.number == "singular" else None
            found = DefiniteWords(plain.kind, self._ontology.kind_bits[plain.kind], plain.number, alone, group)
        if self._ontology.knows(name):
            self[name] = found
        return found


@lru_cache(maxsize=8)
def _definite_words(ontology: Ontology) -> _DefiniteWords:
    return _DefiniteWords(ontology)


class Reference(NamedTuple):
    """A thing, and words that pick it out alone."""

    thing: SceneObject
    description: ObjectDescription


class SceneThings:
    """What can be named in one scene; everything is worked out when it is first needed."""

    def __init__(self, scene: Scene, ontology: Ontology, prior: SourcePrior) -> None:
        self.scene = scene
        self.ontology = ontology
        self._prior = prior
        self._answers: dict[Query, str | None] = {}
        self._exists: dict[ObjectDescription, TruthValue] = {}
        self._sides: dict[ObjectDescription, str | None] = {}
        self._colors: dict[ObjectDescription, str | None] = {}
        self._kind_exists: dict[tuple[str, str], TruthValue] = {}
        self._fits: dict[str, float] = {}
        self._plausible: dict[str, float] = {}
        self._together: dict[str, Mapping[str, float]] = {}
        self._in_number: dict[str, list[ObjectDescription]] = {}
        self._present_in: dict[str, list[ObjectDescription]] = {}

    def answer(self, query: Query) -> str | None:
        """The scene's answer to a query, worked out once."""
        known = self._answers.get(query, "")
        if known == "":
            known = self._answers[query] = query.answer(self.scene)
        return known

    def exists(self, described: ObjectDescription) -> TruthValue:
        """Whether there is such a thing, worked out once."""
        if described not in self._exists:
            self._exists[described] = Exists(described).evaluate(self.scene)
        return self._exists[described]

    def kind_exists(self, bare: ObjectDescription) -> TruthValue:
        """Whether there is a thing of a kind of which nothing else is said, worked out once."""
        key = (bare.kind, bare.number)
        if key not in self._kind_exists:
            self._kind_exists[key] = self.scene.kind_exists(bare)
        return self._kind_exists[key]

    @cached_property
    def plausibility(self) -> Plausibility:
        """By counts in which this image has no part."""
        return self._prior.without(self.scene.graph)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds that are annotated."""
        lexemes = (self.ontology.lexeme(name) for name in self.scene.names)
        return frozenset(lexeme[0] for lexeme in lexemes if lexeme is not None)

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Each thing that can be named alone, by its kind, else by its kind and an attribute; groups too."""
        found: dict[tuple[str, str, str], Reference] = {}
        scene, ontology = self.scene, self.ontology
        words_for, bits, unnamed = _definite_words(ontology), scene.kind_bits, scene.unnamed_bits
        for thing in scene.objects:
            words = words_for[thing.name]
            if words is None:
                continue
            kind, bit, number, described, group = words
            if not scene.may_be_named(kind) if unnamed is None else unnamed & bit:
                continue
            if bits is not None and not bits.shared & bit:
                # Nothing else may be of its kind.
                found[kind, number, ""] = Reference(thing, described)
                continue
            alike = scene.objects_of_kind(kind)
            if len(alike) > 1:
                alike = tuple([one for one in alike if one[1] is not False])
            if len(alike) == 1 and alike[0][1]:
                found[kind, number, ""] = Reference(thing, described)
                continue
            for value in values_to_say(thing, kind, ontology):
                if scene.is_told_apart(thing, value, alike):
                    found[kind, number, value] = Reference(thing, replace(described, attributes=(value,)))
                    break
            if group is None or (kind, "plural", "") in found or scene.may_be_unannotated(kind):
                continue
            if None not in [verdict for _, verdict in alike] and scene.resolve(group):
                found[kind, "plural", ""] = Reference(thing, group)
        return tuple(found.values())

    def _is_part(self, kind: str) -> bool:
        """Whether a kind is a part of what is annotated, of which there may be more: the tires of a car."""
        if not is_part(kind, self.ontology):
            return False
        part_of = [whole for whole in self.kinds if any(kind in self._with_wider(part) for part in self._parts(whole))]
        if kind not in _ONE_EACH or not part_of:
            return bool(part_of)
        wholes = [whole for whole in part_of if not is_part(whole, self.ontology)]
        names = [self.ontology.kind_for_name(thing.name) for thing in self.scene.objects]
        return sum(names.count(whole) for whole in wholes) > 1

    def _parts(self, whole: str) -> frozenset[str]:
        return parts_of(whole, self.ontology)

    def _with_wider(self, part: str) -> tuple[str, ...]:
        return (part, *self.ontology.descendants.get(part, ()))

    @cached_property
    def visible(self) -> tuple[Reference, ...]:
        """What can be named, and of which it can be said where it is: no backdrop, no place, nothing tiny or wide."""
        graph = self.scene.graph
        widest, widest_ground = _WIDEST * graph.width, _WIDEST_GROUND * graph.width
        smallest = _SMALLEST * (graph.width * graph.height)
        of_kind, found = speech_of_kinds(self.ontology), []
        for one in self.named:
            thing, described = one
            _, _, wide, high = thing.box
            if wide <= widest and wide * high >= smallest and described.number != "mass":
                speech = of_kind[described.kind]
                if speech.asked_for or (speech.is_ground and wide <= widest_ground):
                    found.append(one)
        return tuple(found)

    @cached_property
    def named(self) -> tuple[Reference, ...]:
        """What can be named and is no part of something else, nor of one of several persons, nor one of many."""
        of_kind, is_exact, found = speech_of_kinds(self.ontology), self._prior.is_exact, []
        for one in self.references:
            described = one.description
            kind = described.kind
            speech = of_kind[kind]
            if not (is_exact or kind not in SELDOM_ALONE):
                continue
            if speech.is_plain or not (
                (speech.is_part and self._is_part(kind)) or (speech.nearby and self._is_of_several(described))
            ):
                found.append(one)
        return tuple(found)

    @cached_property
    def colored(self) -> tuple[Reference, ...]:
        """What can be named by words that do not tell its color, where things of its kind have one."""
        return tuple(one for one in self.named if may_be_asked_for_color(one.description, self.ontology))

    @cached_property
    def sides(self) -> tuple[tuple[str, ObjectDescription, str], ...]:
        """What is on a side of the image: its kind, the words for it, and the side."""
        visible = self.visible
        sides = horizontal_sides([one.thing.box for one in visible], self.scene.graph)
        # Several things are looked up by their description.
        answered = [
            (one, self.side_of(one) if one.number == "plural" else side)
            for (_, one), side in zip(visible, sides, strict=True)
        ]
        return tuple([(one.kind, one, answer) for one, answer in answered if answer is not None])

    @cached_property
    def colors(self) -> tuple[tuple[str, ObjectDescription, str], ...]:
        """What has one color that the words for it do not tell: its kind, these words, and the color."""
        only_value = self.ontology.only_value
        answered = [
            (one, self.color_of(one) if one.number == "plural" else only_value(thing.attributes, _COLOR))
            for thing, one in self.colored
        ]
        return tuple([(one.kind, one, answer) for one, answer in answered if answer is not None])

    def side_of(self, described: ObjectDescription) -> str | None:
        """The side of the image where something is, worked out once."""
        if described not in self._sides:
            self._sides[described] = SideOf(described).answer(self.scene)
        return self._sides[described]

    def side_of_thing(self, thing: SceneObject) -> str | None:
        """The side of the image where a thing is."""
        return side_of(thing.box, "horizontal", self.scene.graph)

    def color_of(self, described: ObjectDescription) -> str | None:
        """The one color of something, worked out once."""
        if described not in self._colors:
            self._colors[described] = AttributeOf(described, _COLOR).answer(self.scene)
        return self._colors[described]

    def color_of_thing(self, thing: SceneObject) -> str | None:
        """The one color of a thing."""
        return self.ontology.only_value(thing.attributes, _COLOR)

    def _is_of_several(self, described: ObjectDescription) -> bool:
        """Whether several are there who may each have one: "the boot" of one rider says nothing of the other's."""
        if described.attributes:
            return False
        owners = 0
        for other in self.ontology.implies_nearby(described.kind):
            owners += len([1 for _, verdict in self.scene.objects_of_kind(other) if verdict is not False])
        return owners > 1

    @cached_property
    def placed(self) -> tuple[Reference, ...]:
        """What is somewhere by itself, besides: nothing that is worn or held."""
        carried, of_kind = carried_in(self.scene), speech_of_kinds(self.ontology)
        return tuple(
            [one for one in self.visible if one.thing.id not in carried and not of_kind[one.description.kind].is_worn]
        )

    @cached_property
    def present_parts(self) -> tuple[ObjectDescription, ...]:
        """Parts that are surely there: of these it can be said what they are near, and not how many there are."""
        plain = [named(thing.name, self.ontology) for thing in self.scene.objects]
        parts = [one for one in plain if one is not None and one.number == "singular" and self._is_part(one.kind)]
        return tuple(one for one in dict.fromkeys(parts) if asked_for(one.kind, self.ontology) and self.exists(one))

    @cached_property
    def present(self) -> tuple[ObjectDescription, ...]:
        """Kinds that are surely there and that people ask for, in the number in which they are."""
        found: dict[ObjectDescription, None] = {}
        of_kind = speech_of_kinds(self.ontology)
        for name in dict.fromkeys([thing.name for thing in self.scene.objects]):
            words = _asked_words(name, self.ontology)
            if words and not (of_kind[words[0].kind].is_part and self._is_part(words[0].kind)):
                for one in words:
                    found[one] = None
        bits, bit_of = self.scene.kind_bits, self.ontology.kind_bits
        if bits is None or self.scene.has_stand_ins:
            return tuple([one for one in found if self.kind_exists(one)])
        some, several = bits.some, bits.several
        return tuple([one for one in found if (several if one.number == "plural" else some) & bit_of[one.kind]])

    @cached_property
    def absent(self) -> tuple[str, ...]:
        """Kinds that are surely not there and could well be beside what is, the most plausible first."""
        scene, kinds = self.scene, self.kinds
        may_be_unannotated = scene.may_be_unannotated
        bits, bit_of = scene.kind_bits, self.ontology.kind_bits
        possible = None if bits is None else bits.possible

        def is_absent(kind: str) -> bool:
            there = (kind in kinds or scene.objects_of_kind(kind)) if possible is None else possible & bit_of[kind]
            return not there and not may_be_unannotated(kind)

        found = self.plausibility.most_plausible(
            kinds,
            is_absent,
            least=_LEAST_ABSENT,
            most=_MOST_ABSENT,
            among=self._prior.askable,
            fitting=None if self._prior.is_exact else self._prior.belonging(self._telling, self.plausibility),
        )
        # A few are found in any case, however implausible: of those seen more seldom than by chance none is denied.
        return tuple(found if self._prior.is_exact else [kind for kind in found if self.plausible(kind) >= 0])

    @cached_property
    def _telling(self) -> tuple[str, ...]:
        """What tells of the setting: not people, nor what they wear."""
        ontology = self.ontology
        return tuple(
            kind
            for kind in sorted(self.kinds)
            if self.plausibility.frequency(kind) >= _COUNTED and _tells_setting(kind, ontology)
        )

    def fit(self, kind: str) -> float:
        """How well a kind fits the image: it goes with what is there, is common, or is there itself."""
        known = self._fits.get(kind)
        if known is None:
            common = _COMMONNESS * log(1 + self.plausibility.frequency(kind))
            known = self._fits[kind] = self.plausible(kind) + common + (kind in self.kinds)
        return known

    def plausible(self, kind: str) -> float:
        """How plausible a kind is beside what is there."""
        known = self._plausible.get(kind)
        if known is None:
            known = self._plausible[kind] = self.plausibility.of_kind(kind, self.kinds)
        return known

    def together(self, kind: str, other: str) -> float:
        """How plausible two kinds are together."""
        return self.plausibility.of_two(kind, other)

    def together_with(self, other: str) -> Mapping[str, float]:
        """How plausible each kind is together with another kind."""
        known = self._together.get(other)
        if known is None:
            known = self._together[other] = self.plausibility.with_each(other)
        return known

    def kinds_in(self, number: str) -> list[ObjectDescription]:
        """The kinds that may be asked for, each in a number: those that are there, and those that could be."""
        known = self._in_number.get(number)
        if known is None:
            absent = [self.in_number(kind, number) for kind in self.absent]
            known = self._in_number[number] = [*self.present_in(number), *absent]
        return known

    def present_in(self, number: str) -> list[ObjectDescription]:
        """The kinds that are there and may be asked for, each in a number."""
        known = self._present_in.get(number)
        if known is None:
            kinds = dict.fromkeys([one.kind for one in self.present])
            known = self._present_in[number] = [self.in_number(kind, number) for kind in kinds]
        return known

    def in_number(self, kind: str, number: str) -> ObjectDescription:
        """A kind in a number, or in the only one that its noun has."""
        return _in_number(kind, self.ontology.kinds[kind].number, number)


@lru_cache(maxsize=8192)
def _in_number(kind: str, own: str, number: str) -> ObjectDescription:
    if own != "count":
        return ObjectDescription(kind, number="mass" if own == "mass" else "plural")
    return ObjectDescription(kind, number="plural" if number == "plural" else "singular")
