"""A scene graph read with word ontology: what it says for sure, and where it cannot tell."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import cached_property

from falter.scene.description import ObjectDescription, Related
from falter.scene.geometry import is_before, is_left_of, on_side
from falter.scene.graph import SceneGraph, SceneObject
from falter.scene.logic import TruthValue, conjunction, disjunction, negate
from falter.scene.ontology_protocol import SceneOntology
from falter.scene.told_attributes import with_told_attributes

__all__ = ["CountRange", "Scene"]

_LOCATIONS = ("indoors", "outdoors")
_SIDEWAYS = {"to the left of": True, "to the right of": False}


class CountRange(tuple[int, int | None]):
    """How many things fit: at least ``least``, at most ``most`` (None where no limit is known)."""

    __slots__ = ()

    @property
    def least(self) -> int:
        return self[0]

    @property
    def most(self) -> int | None:
        return self[1]


class Scene:
    """Grounds descriptions in the annotation of one image, under closed-world limits.

    An object that nobody annotated is absent, except where it may be part of an annotated one (the tire of a car), may
    be what an annotated one is called more generally (an animal may be a dog), or is of a sort that annotators leave
    out (the sky). Attributes and relations that nobody annotated are unknown, except where another annotated one
    excludes them or the graph declares that sort complete.
    """

    def __init__(self, graph: SceneGraph, ontology: SceneOntology) -> None:
        self.graph = graph
        self.ontology = ontology
        self.objects: tuple[SceneObject, ...] = with_told_attributes(graph, ontology)
        self._hides: dict[str, bool] = {}
        self._of_kind: dict[str, tuple[tuple[SceneObject, TruthValue], ...]] = {}
        self._objects_for: dict[ObjectDescription, tuple[tuple[SceneObject, TruthValue], ...]] = {}
        self._resolved: dict[ObjectDescription, tuple[SceneObject, ...] | None] = {}

    def aspect(self, name: str) -> str | None:
        """What is annotated of the whole image: its place ("kitchen"), its location (indoors), its weather."""
        if name == "weather":
            return self.graph.weather
        return self.graph.location if (self.graph.location in _LOCATIONS) == (name == "location") else None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The distinct names annotated, sorted."""
        return tuple(sorted({thing.name for thing in self.objects}))

    @cached_property
    def _may_be(self) -> tuple[tuple[SceneObject, Set[str] | None], ...]:
        """Each thing with the kinds that it may be; None where its name is not known and it may be anything."""
        ontology = self.ontology
        kinds = {name: ontology.possible_kinds(name) if ontology.kind_for_name(name) else None for name in self.names}
        return tuple((thing, kinds[thing.name]) for thing in self.objects)

    def objects_of_kind(self, kind: str) -> tuple[tuple[SceneObject, TruthValue], ...]:
        """The annotated things that are or may be of a kind, with which of the two it is."""
        known = self._of_kind.get(kind)
        if known is None:
            named = self.ontology.kind_for_name(kind)
            known = self._of_kind[kind] = tuple(
                [
                    (thing, self.ontology.is_of_kind(thing.name, kind))
                    for thing, kinds in self._may_be
                    if kinds is None or named is None or named in kinds
                ]
            )
        return known

    def may_be_unannotated(self, kind: str) -> bool:
        """Whether a thing of this kind may be in the image without being annotated."""
        known = self._hides.get(kind)
        if known is None:
            known = self._hides[kind] = self._look_for_hidden(kind)
        return known

    def _look_for_hidden(self, kind: str) -> bool:
        named = self.ontology.kind_for_name(kind)
        if named is None or (not self._exact and self.ontology.often_unannotated(kind)):
            return True
        return any(named in kinds for kinds in self._unseen)

    @property
    def _exact(self) -> bool:
        return "objects" in self.graph.complete

    @cached_property
    def _unseen(self) -> tuple[Set[str], ...]:
        """Sets of kinds of which something may be there though nobody annotated it."""
        ontology = self.ontology
        parts = [ontology.possible_parts(name) for name in self.names]
        if not self._exact:
            parts += [ontology.possible_kinds(other) for other in self._suggested]
            parts += [ontology.possible_parts(other) for other in self._suggested]
            parts += [ontology.possible_wholes(part) for part in self._stray_parts]
        return tuple(filter(None, parts))

    @cached_property
    def _suggested(self) -> tuple[str, ...]:
        """What the annotated things tell of though nobody annotated it, such as a hat's wearer."""
        told = (other for name in self.names for other in self.ontology.implies_nearby(name))
        return tuple(other for other in dict.fromkeys(told) if not self.objects_of_kind(other))

    @cached_property
    def _stray_parts(self) -> tuple[str, ...]:
        """Annotated things that are part of nothing annotated."""
        ontology = self.ontology
        parts = {name: ontology.possible_parts(name) for name in self.names}
        kinds = {name: ontology.kind_for_name(name) for name in self.names}
        return tuple(
            part for part in self.names if not any(kinds[part] in parts[name] for name in self.names if name != part)
        )

    def _may_be_another(self, kind: str) -> bool:
        """Whether a second thing of a kind may be there unannotated, once one is annotated."""
        # Nobody annotates the sky twice; a second window is another matter.
        return self.may_be_unannotated(kind) and not self.ontology.is_unique(kind)

    def fits(self, thing: SceneObject, description: ObjectDescription) -> TruthValue:
        """Whether one annotated thing fits a description (its number aside)."""
        return self._fits_further(thing, self.ontology.is_of_kind(thing.name, description.kind), description)

    def objects_for(self, description: ObjectDescription) -> tuple[tuple[SceneObject, TruthValue], ...]:
        """Each annotated thing that may be of the description's kind, and whether it fits the rest."""
        known = self._objects_for.get(description)
        if known is None:
            known = self._objects_for[description] = tuple(
                [
                    (thing, self._fits_further(thing, verdict, description))
                    for thing, verdict in self.objects_of_kind(description.kind)
                ]
            )
        return known

    def _fits_further(self, thing: SceneObject, result: TruthValue, description: ObjectDescription) -> TruthValue:
        if result is False:
            return False
        for value in description.attributes:
            has = self.ontology.has_attribute(thing.attributes, value, self.graph.complete)
            if has is False:
                return False
            if has is None:
                result = None
        if description.without or description.side:
            result = conjunction((result, *self._excluded_or_placed(thing, description)))
            if result is False:
                return False
        if description.relation is not None:
            related = self._related(thing, description.relation)
            if related is False:
                return False
            if related is None:
                result = None
        return result

    def _excluded_or_placed(self, thing: SceneObject, description: ObjectDescription) -> Iterator[TruthValue]:
        for value in description.without or ():
            yield negate(self.ontology.has_attribute(thing.attributes, value, self.graph.complete))
        if description.side:
            yield on_side(thing.box, description.side, self.graph)

    def _related(self, thing: SceneObject, related: Related) -> TruthValue:
        if related.to.definite:
            targets = self.resolve(related.to)
            if targets is None:
                return None
            verdicts = {self._stands(thing, related, target) for target in targets}
            return verdicts.pop() if len(verdicts) == 1 else None
        found = self._related_to_some(thing, related)
        if found is False and related.name not in self.graph.complete and self.may_be_unannotated(related.to.kind):
            return None
        return found

    def _related_to_some(self, thing: SceneObject, related: Related) -> TruthValue:
        verdicts = [
            (target, False if fits is False else conjunction((fits, self._stands(thing, related, target))))
            for target, fits in self.objects_for(related.to)
            if target is not thing
        ]
        if related.to.number != "plural":
            return disjunction(verdict for _, verdict in verdicts)
        least = sum(2 if self._is_group(target) else 1 for target, verdict in verdicts if verdict)
        return True if least >= 2 else (None if any(verdict is not False for _, verdict in verdicts) else False)

    def _stands(self, thing: SceneObject, related: Related, target: SceneObject) -> TruthValue:
        if related.inverse:
            return self.holds(target, related.name, thing)
        return self.holds(thing, related.name, target)

    def _is_group(self, thing: SceneObject) -> bool:
        return self.ontology.grammatical_number(thing.name) == "plural"

    @cached_property
    def _between(self) -> dict[tuple[str, str], list[str]]:
        """The relations annotated from one thing to another."""
        found: dict[tuple[str, str], list[str]] = {}
        for thing in self.objects:
            for relation in thing.relations:
                found.setdefault((thing.id, relation.target), []).append(relation.name)
        return found

    def holds(self, thing: SceneObject, relation: str, target: SceneObject) -> TruthValue:
        """Whether a relation holds from one annotated thing to another."""
        if thing is target:
            return False
        ontology = self.ontology
        between = self._between
        said = {ontology.relation_holds(name, relation) for name in between.get((thing.id, target.id), ())}
        for name in between.get((target.id, thing.id), ()):
            said.add(ontology.inverse_relation_holds(name, relation))
        undecided = False
        if relation in _SIDEWAYS:
            pair = (thing, target) if _SIDEWAYS[relation] else (target, thing)
            undecided = is_before(pair[0].box, pair[1].box)
            beside = is_left_of(pair[0].box, pair[1].box)
            # The box of a group tells too little of its members, but enough to contradict an annotation.
            if negate(beside) in said or not (self._is_group(thing) or self._is_group(target)):
                said.add(beside)
        if True in said:
            # An annotation that contradicts itself, or the boxes, settles nothing.
            return None if False in said else True
        return False if False in said or (relation in self.graph.complete and not undecided) else None

    def presuppositions_hold(self, description: ObjectDescription) -> bool:
        """Whether every "the ..." inside a description picks out something."""
        if description.definite and self.resolve(description) is None:
            return False
        return description.relation is None or self.presuppositions_hold(description.relation.to)

    def resolve(self, description: ObjectDescription) -> tuple[SceneObject, ...] | None:
        """The things that "the ..." picks out, or None when that is not settled.

        In the singular just one annotated thing must fit and no other may; in the plural one group, annotated as such
        or as at least two things.
        """
        if description not in self._resolved:
            self._resolved[description] = self._resolve(description)
        return self._resolved[description]

    def _resolve(self, description: ObjectDescription) -> tuple[SceneObject, ...] | None:
        if description.relation is not None and not self.presuppositions_hold(description.relation.to):
            return None
        verdicts = self.objects_for(description)
        if any(verdict is None for _, verdict in verdicts) or self._may_be_another(description.kind):
            return None
        found = tuple(thing for thing, verdict in verdicts if verdict)
        groups = sum(self._is_group(thing) for thing in found)
        if description.number == "plural":
            return found if (len(found) >= 2 and not groups) or (len(found) == 1 and groups) else None
        return found if len(found) == 1 and not groups else None

    def count(self, description: ObjectDescription) -> CountRange:
        """How many things fit a description; a group counts as at least two."""
        least = 0
        most: int | None = 0
        for thing, verdict in self.objects_for(description):
            if verdict is False:
                continue
            group = self._is_group(thing)
            if verdict:
                least += 2 if group else 1
            most = None if group or most is None else most + 1
        if self.may_be_unannotated(description.kind):
            most = None
        return CountRange((least, most))
