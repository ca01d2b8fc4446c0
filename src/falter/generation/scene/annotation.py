"""What an annotation leaves open: things nobody annotated, things annotated twice, things that are only depicted.

Also what it says without saying it: attributes that a relation implies, and the kinds of all things of a scene at once,
as numbers in which each kind of the ontology is one bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property
from typing import NamedTuple

import msgspec

from falter.generation.scene.graph import Box, SceneGraph, SceneObject
from falter.generation.scene.ontology_protocol import SceneOntology, TruthValue

KindTest = Callable[[SceneObject, str], TruthValue]

_WEARING = "wearing"
_WITHIN = 0.5
"""How much of its box a coat or a wheel has in common with the person or the car that it belongs to; chosen by hand,
not measured."""


class Unannotated:
    """Kinds that may be in an image unseen by the annotators, and annotated things that tell of them.

    ``parts`` are the bits of the kinds that a part of an annotated thing may be, where they are known.
    """

    def __init__(
        self,
        graph: SceneGraph,
        objects: tuple[SceneObject, ...],
        ontology: SceneOntology,
        is_of_kind: KindTest,
        parts: int | None,
    ) -> None:
        self._graph = graph
        self._ontology = ontology
        self._is_of_kind = is_of_kind
        self._objects = objects
        self._parts = parts
        self._exact = "objects" in graph.complete
        self.is_free = not self._exact and graph.categories is None
        """Whether annotators named whatever they saw."""
        self._known: dict[str, bool] = {}
        self._another: dict[str, bool] = {}
        self._wearers: dict[str, tuple[SceneObject, ...]] = {}
        self._wholes: dict[str, tuple[SceneObject, ...]] = {}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(sorted({thing.name for thing in self._objects}))

    def may_have(self, kind: str) -> bool:
        """Whether a thing of this kind may be in the image without being annotated."""
        known = self._known.get(kind)
        if known is None:
            known = self._known[kind] = self._is_unlisted(kind) or self._is_likely(kind)
        return known

    def _is_unlisted(self, kind: str) -> bool:
        """Whether annotators had a list of categories to look for that does not cover this kind."""
        categories = self._graph.categories
        return categories is not None and not self._exact and not self._ontology.is_covered(kind, categories)

    def _is_likely(self, kind: str) -> bool:
        """Whether something says that one may be there: the habits of annotators, or what is annotated."""
        bit = self._ontology.kind_bits.get(kind)
        if bit is None or self._unseen_bits & bit:
            return True
        if self._exact:
            return False
        named = self._ontology.kind_for_name(kind)
        return self._ontology.often_unannotated(kind) or any(named in kinds for kinds in self._unseen)

    def may_have_another(self, kind: str) -> bool:
        """Whether a second thing of a kind may be there unannotated, once one is annotated."""
        known = self._another.get(kind)
        if known is None:
            # Nobody annotates the sky twice; a second window is another matter. Who had a list and annotated a truck
            # may have passed over a tractor, but "the vehicle" is still the truck.
            may_have = self._is_likely(kind) or (self.is_free and self._has_several_wearers(kind))
            known = self._another[kind] = may_have and not self._ontology.is_unique(kind)
        return known

    @cached_property
    def another_bits(self) -> int | None:
        """The kinds of ``may_have_another``; None where more than bits tells of them."""
        return self._unseen_bits & ~self._ontology.unique_bits if self._exact else None

    def _has_several_wearers(self, kind: str) -> bool:
        """Whether several are there who may each have one: "the apron" of one cook says nothing of the other's."""
        wearers = [
            thing
            for other in self._ontology.implies_nearby(kind)
            for thing in self._objects
            if self._is_of_kind(thing, other) is not False
        ]
        return len(wearers) > 1 or any(self._ontology.grammatical_number(thing.name) == "plural" for thing in wearers)

    @cached_property
    def _unseen_bits(self) -> int:
        """The kinds of which something may be there though nobody annotated it: parts, and what things tell of."""
        by_name, found = self._ontology.bits_by_name, self._parts or 0
        for name in self._names if self._parts is None else ():
            bits = by_name[name]
            if bits is not None:
                found |= bits.parts
        for other in () if self._exact else self._suggested:
            bits = by_name[other]
            if bits is not None:
                found |= bits.possible | bits.parts
        return found

    @cached_property
    def _unseen(self) -> tuple[Set[str], ...]:
        """More such kinds, where annotators may have left something out: wholes, and the contents of rooms."""
        ontology = self._ontology
        found = [ontology.possible_wholes(part) for part in self._stray_parts]
        if self.is_free:
            found += [ontology.room_contents(room) for room in sorted(self._rooms)]
        return tuple(filter(None, found))

    @cached_property
    def _rooms(self) -> Set[str]:
        """The rooms that the annotation tells of, by what is in one room alone, else by what is in several."""
        names = (*self._names, *filter(None, [self._graph.location]))
        told = [rooms for name in names if (rooms := self._ontology.rooms(name))]
        sure = {room for rooms in told if len(rooms) == 1 for room in rooms}
        return sure.union(*(rooms for rooms in told if sure.isdisjoint(rooms)))

    @cached_property
    def _suggested(self) -> tuple[str, ...]:
        """What annotated things tell of though nobody annotated it: a hat's wearer, a car's driver, a plate's table."""
        ontology = self._ontology
        told = dict.fromkeys(
            other
            for name in self._names
            for other in (*ontology.implies_nearby(name), *ontology.occupants(name), *ontology.stands_on(name))
        )
        return tuple(other for other in told if all(self._is_of_kind(thing, other) is False for thing in self._objects))

    @cached_property
    def _stray_parts(self) -> tuple[str, ...]:
        """Annotated things that are part of nothing annotated."""
        ontology = self._ontology
        parts = {name: ontology.possible_parts(name) for name in self._names}
        kinds = {name: ontology.kind_for_name(name) for name in self._names}
        return tuple(
            part for part in self._names if not any(kinds[part] in parts[name] for name in self._names if name != part)
        )

    @cached_property
    def has_stand_ins(self) -> bool:
        """Whether some annotated thing stands for an unannotated one of some kind."""
        return self.is_free and bool(self._unexplained or self._detached)

    @property
    def has_wearers(self) -> bool:
        """Whether some annotated thing stands for an unannotated one that has it: a coat that nobody wears."""
        return self.is_free and bool(self._unexplained)

    def wearers(self, kind: str) -> tuple[SceneObject, ...]:
        """Annotated things that stand for an unannotated thing of this kind: a coat that nobody annotated wears."""
        if not self.is_free:
            return ()
        known = self._wearers.get(kind)
        if known is None:
            named = self._ontology.kind_for_name(kind)
            known = self._wearers[kind] = tuple(
                thing for thing, kinds in self._unexplained if named is None or named in kinds
            )
        return known

    @cached_property
    def _unexplained(self) -> tuple[tuple[SceneObject, Set[str]], ...]:
        return tuple(self._find_unexplained())

    def _find_unexplained(self) -> Iterator[tuple[SceneObject, Set[str]]]:
        # Where the graph says who wears what, a coat that nobody wears tells of nobody.
        if _WEARING in self._graph.complete:
            return
        for thing in self._objects:
            for other in self._ontology.implies_nearby(thing.name):
                others = [one for one in self._objects if self._is_of_kind(one, other) is not False]
                if not any(thing.box.share_within(one.box) >= _WITHIN or self._is_worn(thing, one) for one in others):
                    yield thing, self._ontology.possible_kinds(other)

    def _is_worn(self, thing: SceneObject, wearer: SceneObject) -> bool:
        ontology = self._ontology
        return any(
            relation.target == thing.id and ontology.relation_holds(relation.name, _WEARING)
            for relation in wearer.relations
        ) or any(
            relation.target == wearer.id and ontology.inverse_relation_holds(relation.name, _WEARING)
            for relation in thing.relations
        )

    def wholes(self, kind: str) -> tuple[SceneObject, ...]:
        """Annotated parts that are on nothing annotated, and that may be part of a thing of this kind."""
        if not self.is_free:
            return ()
        known = self._wholes.get(kind)
        if known is None:
            named = self._ontology.kind_for_name(kind)
            known = self._wholes[kind] = tuple(
                part for part, kinds in self._detached if named is None or named in kinds
            )
        return known

    @cached_property
    def _detached(self) -> tuple[tuple[SceneObject, Set[str]], ...]:
        ontology = self._ontology
        parts = {name: ontology.possible_parts(name) for name in self._names}
        found = []
        for thing in self._objects:
            wholes = ontology.possible_wholes(thing.name)
            kind = ontology.kind_for_name(thing.name)
            others = [one for one in self._objects if one is not thing and kind in parts[one.name]]
            if wholes and not any(thing.box.share_within(one.box) >= _WITHIN for one in others):
                found.append((thing, wholes))
        return tuple(found)


_SAME_BOX = 0.5
"""The share of what two boxes cover together that both cover, from which on they may be of one thing.

Chosen by hand, not measured.
"""
_ANYTHING = "thing"
"""The kind that tells nothing."""


def find_doubles(graph: SceneGraph, things: Sequence[SceneObject], ontology: SceneOntology) -> frozenset[str]:
    """The ids of things that may be an earlier one again: of a common kind, in nearly the same box.

    Where all objects are annotated, each is annotated once. A group is several things by its name already.
    """
    if "objects" in graph.complete:
        return frozenset()
    vague = ontology.kind_bits.get(_ANYTHING, 0)
    found: set[str] = set()
    earlier: list[tuple[Box, int]] = []
    for thing in things:
        bits = ontology.bits_by_name[thing.name]
        if bits is None or bits.is_group:
            continue
        box, sure = thing.box, bits.sure & ~vague
        if any(sure & others and _is_same_box(box, other) for other, others in earlier):
            found.add(thing.id)
        earlier.append((box, sure))
    return frozenset(found)


def _is_same_box(box: Box, other: Box) -> bool:
    width = min(box.x + box.w, other.x + other.w) - max(box.x, other.x)
    height = min(box.y + box.h, other.y + other.h) - max(box.y, other.y)
    if width <= 0 or height <= 0:
        return False
    both = width * height
    return both >= _SAME_BOX * (box.w * box.h + other.w * other.h - both)


_WITHIN_MIRROR = 0.9
"""How much of its box a thing must have in common with a mirror to be taken for a reflection; chosen by hand, not
measured."""
_NO_IMITATIONS: frozenset[str] = frozenset()


def find_imitations(graph: SceneGraph, relations: Set[str], ontology: SceneOntology) -> frozenset[str]:
    """The ids of such things: a stuffed dog by its attribute, a man in a mirror by what he is said to be in.

    ``relations`` are all that the graph names.
    """
    things = graph.objects.values()
    imitating, showing = ontology.imitating_values, ontology.names_showing_images
    found = {
        thing.id
        for thing in things
        if not imitating.isdisjoint(thing.attributes) and ontology.is_imitation(thing.name, thing.attributes)
    }
    frames = [thing for thing in things if thing.name in showing]
    images = {name: image for name in relations if (image := ontology.image_relations.get(name)) is not None}
    is_shown = bool(images) and (bool(frames) or "always" in images.values())
    if not (found or frames or is_shown):
        return _NO_IMITATIONS
    for thing in things if is_shown else ():
        for relation in thing.relations:
            image = images.get(relation.name)
            if image is None:
                continue
            pair = (thing, graph.objects[relation.target])
            shown, shows = pair[::-1] if image == "second" else pair
            if image == "always" or shows.name in showing:
                found |= {shown.id} if ontology.may_be_imitated(shown.name) else set()
    if frames and "objects" not in graph.complete:
        found |= _shown_within(frames, graph, ontology)
    return frozenset(found)


def _shown_within(frames: Sequence[SceneObject], graph: SceneGraph, ontology: SceneOntology) -> set[str]:
    """What lies within a mirror or a picture by its box, though nobody said that it is in there."""
    return {
        thing.id
        for thing in graph.objects.values()
        if ontology.may_be_imitated(thing.name)
        and any(thing is not frame and thing.box.share_within(frame.box) >= _WITHIN_MIRROR for frame in frames)
    }


def with_told_attributes(graph: SceneGraph, relations: Set[str], ontology: SceneOntology) -> tuple[SceneObject, ...]:
    """The objects of a graph, with what their relations tell of them: a dog that is "lying on" a sofa is lying.

    ``relations`` are all that the graph names. What another attribute excludes is not added, so that an annotation that
    contradicts itself is left as it is.
    """
    things = graph.objects.values()
    if ontology.telling_words.isdisjoint([relation.partition(" ")[0] for relation in relations]):
        return tuple(things)
    return tuple([_with_told(thing, ontology) if thing.relations else thing for thing in things])


def _with_told(thing: SceneObject, ontology: SceneOntology) -> SceneObject:
    by_relation = ontology.told_by_relations(thing.name)
    told = {value for relation in thing.relations if (value := by_relation[relation.name]) is not None}
    if not told:
        return thing
    added = [
        value
        for value in sorted(told.difference(thing.attributes))
        if not any(ontology.exclude_attributes(value, other) for other in (*thing.attributes, *told))
    ]
    return msgspec.structs.replace(thing, attributes=(*thing.attributes, *added)) if added else thing


class KindBits(NamedTuple):
    """Which kinds are there, by what the names of the annotated things say."""

    some: int
    """Kinds of which a thing surely is."""
    several: int
    """Kinds of which there surely are two things, or a group."""
    possible: int
    """Kinds of which a thing is or may be."""
    shared: int
    """Kinds of which more than one thing is or may be."""
    parts: int
    """Kinds that an unseen part of a thing may be."""


def kind_bits(
    things: Iterable[SceneObject], ontology: SceneOntology, doubles: Set[str] = frozenset()
) -> KindBits | None:
    """The kinds of some things; None where a name is not in the vocabulary, for such a thing may be anything.

    A thing among the ``doubles`` may be another one again.
    """
    some = several = possible = shared = parts = 0
    bits_by_name = ontology.bits_by_name
    for thing in things:
        bits = bits_by_name[thing.name]
        if bits is None:
            return None
        sure, may_be, part, is_group = bits
        if is_group:
            several |= sure
        elif thing.id not in doubles:
            several |= some & sure
        some |= sure
        shared |= possible & may_be
        possible |= may_be
        parts |= part
    return KindBits(some, several, possible, shared, parts)
