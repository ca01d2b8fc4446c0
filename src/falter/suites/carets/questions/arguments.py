"""Arguments of questions: descriptions of what is there, and plausible descriptions of what is not."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from falter.generation.askable.naming import tells_of_a_moment
from falter.generation.askable.placement import SIDES
from falter.generation.askable.source_habits import SourceHabits
from falter.generation.english import Ontology
from falter.generation.scene import Number, ObjectDescription, Related, Scene
from falter.suites.carets.questions.draws import sample, shuffle
from falter.suites.carets.questions.landmarks import absent_beside, draw_number
from falter.suites.carets.questions.referring_expressions import (
    one_of_several,
    plain,
    relation_targets,
    speakable_attributes,
    targets_among_several,
    too_many,
)
from falter.suites.carets.questions.surroundings import Surroundings

Form = str
"""``single`` or ``related``."""

_TARGETS = 6
_ATTRIBUTE_SHARE = 0.5
_VALUES = 6
_SIDES = frozenset(SIDES)


def present_objects(scene: Scene, form: Form, ontology: Ontology, rng: Random) -> list[ObjectDescription]:
    """Descriptions taken from the scene, in a drawn order; whether they hold for sure, the scene says when asked."""
    make = _true_related if form == "related" else _true_single
    found = list(dict.fromkeys(make(scene, ontology)))
    shuffle(found, rng)
    return found


def absent_objects(
    scene: Scene,
    form: Form,
    ontology: Ontology,
    habits: SourceHabits,
    surroundings: Surroundings,
    rng: Random,
) -> list[ObjectDescription]:
    """Plausible descriptions of what is not there, in a drawn order; the scene has the last word on each."""
    if form == "related":
        made = _false_related(scene, ontology, habits, surroundings, rng)
    else:
        made = _false_single(scene, ontology, surroundings, rng)
    found = list(dict.fromkeys(made))
    shuffle(found, rng)
    return found


def _true_single(scene: Scene, ontology: Ontology) -> Iterator[ObjectDescription]:
    counts: dict[str, int] = {}
    for thing in scene.objects:
        named = plain(thing, ontology)
        if named is None:
            continue
        counts[named.kind] = counts.get(named.kind, 0) + 1
        yield named
        for value in speakable_attributes(thing, named.kind, ontology):
            yield ObjectDescription(named.kind, (value,), None, named.number)
            if _may_be_plural(named, scene, ontology):
                yield ObjectDescription(named.kind, (value,), None, "plural")
    for kind, count in counts.items():
        if count >= 2 and ontology.kinds[kind].number == "count" and not ontology.kinds[kind].unique:
            yield ObjectDescription(kind, number="plural")


def _true_related(scene: Scene, ontology: Ontology) -> Iterator[ObjectDescription]:
    for thing in scene.objects:
        named = plain(thing, ontology)
        if named is None:
            continue
        for related in (
            *relation_targets(thing, scene, ontology),
            *targets_among_several(thing, scene, ontology),
        ):
            if _same(named.kind, related.to):
                continue
            # Plurals too, or "are there any ..." would always be answered with no.
            both = _may_be_plural(named, scene, ontology)
            numbers: tuple[Number, ...] = ("singular", "plural") if both else (named.number,)
            for number in numbers:
                yield ObjectDescription(named.kind, (), related, number)
                for value in speakable_attributes(thing, named.kind, ontology):
                    yield ObjectDescription(named.kind, (value,), related, number)


def _may_be_plural(named: ObjectDescription, scene: Scene, ontology: Ontology) -> bool:
    """Whether things of a kind that one is named by may be several here."""
    return (
        named.number == "singular"
        and not ontology.kinds[named.kind].unique
        and len(scene.objects_of_kind(named.kind)) > 1
    )


def _same(kind: str, target: ObjectDescription) -> bool:
    # "a dog near the dog" sounds as if there were two, and as if there were one; "a man holding a man" is as odd.
    return target.kind == kind


def _in_some_number(kind: str, ontology: Ontology, surroundings: Surroundings, rng: Random) -> ObjectDescription:
    return ObjectDescription(kind, number=draw_number(kind, ontology, surroundings.are_several, rng))


def _false_single(
    scene: Scene, ontology: Ontology, surroundings: Surroundings, rng: Random
) -> Iterator[ObjectDescription]:
    for kind in surroundings.absent_kinds(rng):
        one = _in_some_number(kind, ontology, surroundings, rng)
        yield one
        if rng.random() < _ATTRIBUTE_SHARE:
            for value in surroundings.values(kind, rng, 1):
                # Nobody looks for a standing giraffe, or an unlit traffic light, where there is none.
                if not tells_of_a_moment(value, ontology):
                    yield ObjectDescription(kind, (value,), None, one.number)
    for thing in scene.objects:
        present = plain(thing, ontology)
        if present is None:
            continue
        for value in surroundings.values(present.kind, rng, _VALUES):
            if value not in thing.attributes:
                yield ObjectDescription(present.kind, (value,), None, present.number)


def _false_related(
    scene: Scene, ontology: Ontology, habits: SourceHabits, surroundings: Surroundings, rng: Random
) -> Iterator[ObjectDescription]:
    here: dict[str, ObjectDescription] = {}
    sides: set[tuple[str, str]] = set()
    for thing in scene.objects:
        named = plain(thing, ontology)
        if named is not None:
            here.setdefault(named.kind, named)
            if scene.graph.complete >= _SIDES:
                found = relation_targets(thing, scene, ontology)
                sides |= {(one.name, one.to.kind) for one in found if one.name in _SIDES}
    beside = [pair for pair in sides if pair[1] in here]
    absent = surroundings.absent_kinds(rng)
    yield from absent_beside(scene, ontology, dict(sorted(here.items())), absent, surroundings.are_several, rng)
    for kind in (*absent, *sorted(here)):
        pairs = habits.relations.to_any(kind, here.keys())
        # Anything that could be here could be beside what others are beside.
        if beside:
            pairs = sorted({*pairs, *beside})
        for name, target_kind in sample(pairs, _TARGETS, rng):
            one = here.get(kind) or _in_some_number(kind, ontology, surroundings, rng)
            definite = ontology.relations[name].definite
            target = ObjectDescription(target_kind, (), None, here[target_kind].number, definite=definite)
            if definite and scene.resolve(target) is None and one_of_several(kind, name, target, scene, ontology):
                target = ObjectDescription(target_kind, (), None, target.number)
            if _same(kind, target) or not surroundings.go_together(kind, target_kind):
                continue
            if too_many(one, name, target, ontology):
                continue
            yield ObjectDescription(kind, (), Related(name, target), one.number)
            if rng.random() < _ATTRIBUTE_SHARE:
                # Of what is there, most of what it might be is unknown rather than false.
                for value in surroundings.values(kind, rng, _VALUES if kind in here else 1):
                    if kind in here or not tells_of_a_moment(value, ontology):
                        yield ObjectDescription(kind, (value,), Related(name, target), one.number)
