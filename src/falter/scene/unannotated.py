"""What may be in an image though nobody annotated it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from functools import cached_property

from falter.scene.graph import SceneGraph, SceneObject
from falter.scene.logic import TruthValue
from falter.scene.ontology_protocol import SceneOntology

__all__ = ["Unannotated"]

KindTest = Callable[[SceneObject, str], TruthValue]

_WEARING = "wearing"
_WITHIN = 0.5
"""How much of its box a coat or a wheel has in common with the person or the car that it belongs to."""


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
