"""A scene graph read with word ontology: what it says for sure, and where it cannot tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property, partial

from falter.generation.scene.annotation import (
    KindBits,
    Unannotated,
    find_doubles,
    find_imitations,
    kind_bits,
    with_told_attributes,
)
from falter.generation.scene.graph import (
    ObjectDescription,
    Related,
    SceneGraph,
    SceneObject,
    is_before,
    is_left_of,
    on_side,
)
from falter.generation.scene.ontology_protocol import SceneOntology, TruthValue, conjunction, disjunction, negate

REFERENTS = "referents"
"""In ``complete``: what "the ..." may mean is annotated, as GQA's own questions take it."""

_LOCATIONS = ("indoors", "outdoors")
_SAME = "same "
"""Relations such as "same color", which attributes settle."""
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


def _is_of_kind(images: frozenset[str], ontology: SceneOntology, thing: SceneObject, kind: str) -> TruthValue:
    verdict = ontology.is_of_kind(thing.name, kind)
    if thing.id not in images:
        return verdict
    return None if verdict is not False or ontology.is_kind_of_imitation(kind) else False


def _between(thing: SceneObject, target: SceneObject) -> list[str]:
    """The relations annotated from one thing to another."""
    at = target.id
    return [relation.name for relation in thing.relations if relation.target == at]


class Scene:
    """Grounds descriptions in the annotation of one image, under closed-world limits.

    An object that nobody annotated is absent, except where it may be part of an annotated one (the tire of a car), may
    be what an annotated one is called more generally (an animal may be a dog), may be what one tells of (a coat, a
    person), is of a sort that annotators leave out (the sky) or that has no clear limits (a device), or was not among
    the categories that they looked for. Images and imitations of things are neither the things nor their absence. What
    lies behind or below everything (the floor) has no left and right. Attributes and relations that nobody annotated
    are unknown, except where another annotated one excludes them or the graph declares that sort complete.
    """

    def __init__(self, graph: SceneGraph, ontology: SceneOntology) -> None:
        self.graph = graph
        self.ontology = ontology
        self.relations = frozenset([relation.name for thing in graph.objects.values() for relation in thing.relations])
        """The names of all relations annotated."""
        self.objects: tuple[SceneObject, ...] = with_told_attributes(graph, self.relations, ontology)
        self._of_kind: dict[str, tuple[tuple[SceneObject, TruthValue], ...]] = {}
        self._objects_for: dict[ObjectDescription, tuple[tuple[SceneObject, TruthValue], ...]] = {}
        self._nameable: dict[str, bool] = {}
        self._held: dict[tuple[str, str, str], TruthValue] = {}
        self._resolved: dict[ObjectDescription, tuple[SceneObject, ...] | None] = {}
        self._existing: dict[ObjectDescription, TruthValue] = {}

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
        """Each thing with the kinds that it may be; None where it may be anything."""
        ontology = self.ontology
        kinds = {name: ontology.possible_kinds(name) if ontology.kind_for_name(name) else None for name in self.names}
        return tuple((thing, None if thing.id in self._images else kinds[thing.name]) for thing in self.objects)

    @cached_property
    def kind_bits(self) -> KindBits | None:
        """The kinds of all things at once; None where some thing may be anything."""
        return None if self._images else kind_bits(self.objects, self.ontology, self._doubles)

    @cached_property
    def _doubles(self) -> frozenset[str]:
        """The ids of things that may be another one annotated again: they make no second one."""
        return find_doubles(self.graph, self.objects, self.ontology)

    def _number_of(self, things: Sequence[SceneObject]) -> int:
        """How many there are at least of some annotated things; a group counts as two."""
        number = 0
        for thing in things:
            if self.is_group(thing):
                number += 2
            elif not number or thing.id not in self._doubles:
                number += 1
        return number

    def may_be_there(self, kind: str) -> bool:
        """Whether an annotated thing may be of a kind."""
        bits = self.kind_bits
        bit = None if bits is None else self.ontology.kind_bits.get(kind)
        return bool(self.objects_of_kind(kind)) if bits is None or bit is None else bits.possible & bit != 0

    def objects_of_kind(self, kind: str) -> tuple[tuple[SceneObject, TruthValue], ...]:
        """The annotated things that are or may be of a kind, with which of the two it is."""
        known = self._of_kind.get(kind)
        if known is None:
            bits = self.kind_bits
            bit = None if bits is None else self.ontology.kind_bits.get(kind)
            if bits is None or bit is None:
                known = self._look_for_kind(kind)
            else:
                known = self._of_this_bit(bit) if bits.possible & bit else ()
            self._of_kind[kind] = known
        return known

    def _of_this_bit(self, bit: int) -> tuple[tuple[SceneObject, TruthValue], ...]:
        """The things that are or may be of one kind, where each name says of which kinds its thing is."""
        by_name = self.ontology.bits_by_name
        return tuple(
            [
                (thing, True if bits.sure & bit else None)
                for thing in self.objects
                if (bits := by_name[thing.name]) is not None and bits.possible & bit
            ]
        )

    def _look_for_kind(self, kind: str) -> tuple[tuple[SceneObject, TruthValue], ...]:
        named = self.ontology.kind_for_name(kind)
        return tuple(
            [
                (thing, self.is_of_kind(thing, kind))
                for thing, kinds in self._may_be
                if kinds is None or named is None or named in kinds
            ]
        )

    def is_of_kind(self, thing: SceneObject, kind: str) -> TruthValue:
        """Whether an annotated thing is of a kind; an image or an imitation of something settles nothing."""
        return _is_of_kind(self._images, self.ontology, thing, kind)

    @cached_property
    def _images(self) -> frozenset[str]:
        return find_imitations(self.graph, self.relations, self.ontology)

    @cached_property
    def _unannotated(self) -> Unannotated:
        # It knows nothing of the scene, which is let go of as soon as nobody uses it.
        is_of_kind = partial(_is_of_kind, self._images, self.ontology)
        bits = self.kind_bits
        parts = None if bits is None else bits.parts
        return Unannotated(self.graph, self.objects, self.ontology, is_of_kind, parts)

    def may_be_unannotated(self, kind: str) -> bool:
        """Whether a thing of this kind may be in the image without being annotated."""
        return self._unannotated.may_have(kind)

    def fits(self, thing: SceneObject, description: ObjectDescription) -> TruthValue:
        """Whether one annotated thing fits a description (its number aside)."""
        return self._fits_further(thing, self.is_of_kind(thing, description.kind), description)

    def fits_besides(self, thing: SceneObject, description: ObjectDescription) -> TruthValue:
        """Whether a thing fits all that a description says besides its kind."""
        return self._fits_further(thing, True, description)

    def objects_for(self, description: ObjectDescription) -> tuple[tuple[SceneObject, TruthValue], ...]:
        """Each annotated thing that may be of the description's kind, and whether it fits the rest.

        Things that tell of an unannotated one are among them, unsettled: a coat where a person is asked for.
        """
        known = self._objects_for.get(description)
        if known is None:
            known = self._objects_for[description] = tuple(
                [
                    (thing, self._fits_further(thing, verdict, description))
                    for thing, verdict in self.objects_of_kind(description.kind)
                ]
                + [(thing, None) for thing in self._stand_ins(description)]
            )
        return known

    @cached_property
    def has_stand_ins(self) -> bool:
        """Whether annotated things tell of others that nobody annotated: a coat, of a person."""
        return self._unannotated.has_stand_ins

    def _stand_ins(self, description: ObjectDescription) -> list[SceneObject]:
        """Annotated things in whose position an unannotated one may fit the description."""
        if not self._unannotated.is_free:
            return []
        related = description.relation
        if related is None:
            return list(self._unannotated.wearers(description.kind))
        things = (*self._unannotated.wearers(description.kind), *self._unannotated.wholes(description.kind))
        # All else that a wearer or a whole may be doing is open, whatever the coat or the wheel does.
        return [
            thing for thing in things if related.name not in _SIDEWAYS or self._related(thing, related) is not False
        ]

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
            yield self.on_side(thing, description.side)

    def on_side(self, thing: SceneObject, side: str) -> TruthValue:
        """Whether a thing is on that side of the image."""
        if side in ("left", "right") and self.ontology.is_backdrop(thing.name):
            return None
        return on_side(thing.box, side, self.graph)

    def _related(self, thing: SceneObject, related: Related) -> TruthValue:
        if related.to.definite:
            targets = self.resolve(related.to)
            if targets is None:
                return None
            return self.stands(thing, related.name, targets, inverse=bool(related.inverse))
        found = self._related_to_some(thing, related)
        if found is False and related.name not in self.graph.complete and self.may_be_unannotated(related.to.kind):
            return None
        return found

    def _related_to_some(self, thing: SceneObject, related: Related) -> TruthValue:
        verdicts = [
            (target, False if fits is False else conjunction((fits, self._stands(thing, related, target))))
            for target, fits in self._targets(related.to)
            if target is not thing
        ]
        if related.to.number != "plural":
            return disjunction(verdict for _, verdict in verdicts)
        least = self._number_of([target for target, verdict in verdicts if verdict])
        return True if least >= 2 else (None if any(verdict is not False for _, verdict in verdicts) else False)

    def stands(
        self, thing: SceneObject, relation: str, targets: Sequence[SceneObject], *, inverse: bool = False
    ) -> TruthValue:
        """Whether a thing has a relation to each of some others; ``inverse``: they have it to the thing."""
        if len(targets) == 1:
            return self.holds(targets[0], relation, thing) if inverse else self.holds(thing, relation, targets[0])
        verdicts = {
            self.holds(target, relation, thing) if inverse else self.holds(thing, relation, target)
            for target in targets
        }
        return verdicts.pop() if len(verdicts) == 1 else None

    def _stands(self, thing: SceneObject, related: Related, target: SceneObject) -> TruthValue:
        if related.inverse:
            return self.holds(target, related.name, thing)
        return self.holds(thing, related.name, target)

    def _targets(self, description: ObjectDescription) -> tuple[tuple[SceneObject, TruthValue], ...]:
        found = self.objects_for(description)
        if description.relation is None:
            found += tuple((part, None) for part in self._unannotated.wholes(description.kind))
        return found

    def is_group(self, thing: SceneObject) -> bool:
        """Whether a thing is annotated as several: "people", "trees"."""
        bits = self.ontology.bits_by_name[thing.name]
        return bits is not None and bits.is_group

    def holds(self, thing: SceneObject, relation: str, target: SceneObject) -> TruthValue:
        """Whether a relation holds from one annotated thing to another."""
        key = (thing.id, relation, target.id)
        if key not in self._held:
            self._held[key] = self._look_whether_it_holds(thing, relation, target)
        return self._held[key]

    def _look_whether_it_holds(self, thing: SceneObject, relation: str, target: SceneObject) -> TruthValue:
        if thing is target:
            return False
        ontology = self.ontology
        if relation.startswith(_SAME):
            family = (relation.removeprefix(_SAME),)
            values = [ontology.only_value(one.attributes, family) for one in (thing, target)]
            return None if None in values else values[0] == values[1]
        sideways = _SIDEWAYS.get(relation)
        if sideways is not None and (ontology.is_backdrop(thing.name) or ontology.is_backdrop(target.name)):
            return None
        said = [ontology.relation_holds(name, relation) for name in _between(thing, target)]
        said += [ontology.inverse_relation_holds(name, relation) for name in _between(target, thing)]
        undecided = False
        if sideways is not None:
            first, second = (thing.box, target.box) if sideways else (target.box, thing.box)
            undecided = is_before(first, second)
            beside = is_left_of(first, second)
            # The box of a group tells too little of its members, but enough to contradict an annotation.
            if negate(beside) in said or not (self.is_group(thing) or self.is_group(target)):
                said.append(beside)
        if True in said:
            # An annotation that contradicts itself, or the boxes, settles nothing.
            return None if False in said else True
        return False if False in said or (relation in self.graph.complete and not undecided) else None

    def kind_exists(self, bare: ObjectDescription) -> TruthValue:
        """Whether there is a thing of a kind of which nothing else is said."""
        bits = self.kind_bits
        bit = None if bits is None or self.has_stand_ins else self.ontology.kind_bits.get(bare.kind)
        if bits is None or bit is None:
            return self.exists(bare)
        if (bits.several if bare.number == "plural" else bits.some) & bit:
            return True
        return None if bits.possible & bit or self.may_be_unannotated(bare.kind) else False

    def exists(self, description: ObjectDescription) -> TruthValue:
        """Whether there is such a thing (in the plural: at least two); unknown where what it presupposes is."""
        known = self._existing
        if description not in known:
            known[description] = self._look_whether_it_exists(description)
        return known[description]

    def _look_whether_it_exists(self, description: ObjectDescription) -> TruthValue:
        if not self.presuppositions_hold(description):
            return None
        return self.settle_existence(description, self.objects_for(description))

    def settle_existence(
        self, description: ObjectDescription, verdicts: Iterable[tuple[SceneObject, TruthValue]]
    ) -> TruthValue:
        """Whether there is such a thing, given for each annotated one whether it fits."""
        fitting: list[SceneObject] = []
        may_fit = False
        for thing, verdict in verdicts:
            if verdict:
                fitting.append(thing)
            may_fit = may_fit or verdict is not False
        # With just one, "are there any dogs?" is yes to some people and no to others.
        if fitting and (description.number != "plural" or self._number_of(fitting) >= 2):
            return True
        return None if may_fit or self.may_be_unannotated(description.kind) else False

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
        known = self._resolved.get(description, ())
        # Nothing that is picked out is empty.
        if known == ():
            known = self._resolved[description] = self._resolve(description)
        return known

    def may_be_named(self, kind: str) -> bool:
        """Whether "the ..." of a kind, with attributes or without, means nothing that nobody annotated."""
        known = self._nameable.get(kind)
        if known is None:
            known = self._nameable[kind] = self._may_be_picked_out(kind) and not self._unannotated.wearers(kind)
        return known

    @cached_property
    def unnamed_bits(self) -> int | None:
        """The bits of the kinds that may not be named; None where more than bits tells of them."""
        if self._unannotated.has_wearers:
            return None
        return 0 if REFERENTS in self.graph.complete else self._unannotated.another_bits

    def _may_be_picked_out(self, kind: str) -> bool:
        unnamed, bit = self.unnamed_bits, self.ontology.kind_bits.get(kind)
        if unnamed is not None and bit is not None:
            return not unnamed & bit
        return REFERENTS in self.graph.complete or not self._unannotated.may_have_another(kind)

    def is_told_apart(self, thing: SceneObject, value: str, alike: Sequence[tuple[SceneObject, TruthValue]]) -> bool:
        """Whether one thing has an attribute for sure, and no other that is or may be of its kind may have it."""
        has, complete = self.ontology.has_attribute, self.graph.complete
        for other, _ in alike:
            if value in other.attributes and other is not thing:
                return False
        for other, verdict in alike:
            if has(other.attributes, value, complete) is not (other is thing) or (verdict is None and other is thing):
                return False
        return True

    def _resolve(self, description: ObjectDescription) -> tuple[SceneObject, ...] | None:
        if not self._may_be_picked_out(description.kind):
            return None
        if description.relation is not None and not self.presuppositions_hold(description.relation.to):
            return None
        if description.number != "plural":
            return self._resolve_one(description)
        verdicts = self.objects_for(description)
        if any(verdict is None for _, verdict in verdicts):
            return None
        found = tuple(thing for thing, verdict in verdicts if verdict)
        groups = sum(self.is_group(thing) for thing in found)
        several = not groups and self._number_of(found) >= 2
        return found if several or (len(found) == 1 and groups) else None

    def _resolve_one(self, description: ObjectDescription) -> tuple[SceneObject, ...] | None:
        """The one thing that fits; the first that may fit besides settles that there is none."""
        found: SceneObject | None = None
        says_more = description.attributes or description.relation or description.without or description.side
        for thing, verdict in self.objects_of_kind(description.kind):
            fits = self._fits_further(thing, verdict, description) if says_more else verdict
            if fits is None or (fits and found is not None):
                return None
            if fits:
                found = thing
        if found is None or self.is_group(found) or self._stand_ins(description):
            return None
        return (found,)

    def count(self, description: ObjectDescription) -> CountRange:
        """How many things fit a description; a group counts as at least two."""
        fitting: list[SceneObject] = []
        most: int | None = 0
        for thing, verdict in self.objects_for(description):
            if verdict is False:
                continue
            group = self.is_group(thing)
            if verdict:
                fitting.append(thing)
            most = None if group or most is None else most + 1
        if self.may_be_unannotated(description.kind):
            most = None
        return CountRange((self._number_of(fitting), most))
