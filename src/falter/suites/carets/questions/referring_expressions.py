"""Naming a thing so that "the ..." can only mean it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from falter.generation.askable import rules
from falter.generation.askable.naming import UNSAID, asked_alone, is_nameable, tells_of_a_moment
from falter.generation.askable.placement import SIDES, is_any, is_near_its_surface, is_placed_by_words
from falter.generation.english import Ontology
from falter.generation.scene import Number, ObjectDescription, Related, Scene, SceneObject
from falter.suites.carets.questions.landmarks import (
    beside,
    is_only_one_called,
    is_placed_by,
    landmarks,
    nameable_landmark,
)

_USUAL_CLOTHES = rules.words("usual-clothes", "a relation to them")
_WORN_UNASKED = rules.words("usual-clothes", "asked for alone")
_IN_PAIRS = rules.words("in-pairs")
_BELOW = rules.words("below-relations", "what lives")
_LIVING = rules.words("living")
_COLOR = "color"
_BY_ONE = rules.words("by-one")
_FOR_ONE = rules.words("for-one")
_ON_GROUND_ALONE = rules.group("on-ground-alone")
_UNDER_EVERYTHING = rules.group("under-everything")


def sounds_natural(described: ObjectDescription, ontology: Ontology) -> bool:
    """Whether people would ask if there is such a thing, described like this."""
    related = described.relation
    if related is None:
        return _may_be_asked_for(described.kind, described.number, ontology)
    # Who is somewhere or holds something is described enough without "standing" or "sad".
    for value in described.attributes:
        if tells_of_a_moment(value, ontology):
            return False
    target = related.to
    return _may_be_related(described.kind, described.number, related.name, target.kind, target.number, ontology)


@lru_cache(maxsize=8192)
def _may_be_asked_for(kind: str, number: Number, ontology: Ontology) -> bool:
    """Whether people ask if there is such a thing, of which they say no relation: nearly everybody has a shirt on."""
    asked = asked_alone(kind, ontology) and not _is_half_a_pair(kind, number, ontology)
    return asked and not is_any(kind, _WORN_UNASKED, ontology)


@lru_cache(maxsize=65536)
def _may_be_related(
    kind: str, number: Number, relation: str, target: str, target_number: Number, ontology: Ontology
) -> bool:
    """Whether people ask if there is a thing with such a relation to another."""
    if not asked_alone(kind, ontology) or _is_half_a_pair(kind, number, ontology):
        return False
    several_to_one = (number, target_number) == ("plural", "singular")
    if several_to_one and relation in _BY_ONE:
        return False
    if relation in _BELOW and is_any(target, _LIVING, ontology):
        return False
    if _is_half_a_pair(target, target_number, ontology):
        return False
    if is_near_its_surface(kind, relation, target, ontology):
        return False
    if several_to_one and is_any(target, _FOR_ONE, ontology):
        return False
    return is_placed_by_words(kind, relation, target, ontology) and not tells_little(relation, target, ontology)


def _is_half_a_pair(kind: str, number: Number, ontology: Ontology) -> bool:
    """Whether one of two that are worn together is spoken of: "a man wearing a ski"."""
    return number == "singular" and is_any(kind, _IN_PAIRS, ontology)


def plain(thing: SceneObject, ontology: Ontology) -> ObjectDescription | None:
    """A thing by its name alone, or None when the name is not in the vocabulary or nobody would ask by it."""
    return _plain(thing.name, ontology)


@lru_cache(maxsize=8192)
def _plain(name: str, ontology: Ontology) -> ObjectDescription | None:
    lexeme = ontology.lexeme(name)
    if lexeme is None or not is_nameable(lexeme[0], ontology):
        return None
    return ObjectDescription(lexeme[0], number=lexeme[1])


def speakable_attributes(thing: SceneObject, kind: str, ontology: Ontology) -> Sequence[str]:
    """The annotated attributes that people would say before such a noun: not one of two colors."""
    return _speakable(thing.attributes, kind, ontology) if thing.attributes else ()


@lru_cache(maxsize=8192)
def _speakable(attributes: tuple[str, ...], kind: str, ontology: Ontology) -> tuple[str, ...]:
    colors = ontology.families[_COLOR].values
    had = [value for value in attributes if value in colors]
    unsaid = (*UNSAID, *had) if len(had) > 1 else UNSAID
    return tuple([value for value in attributes if value not in unsaid and ontology.is_natural(value, kind)])


def too_many(one: ObjectDescription, relation: str, target: ObjectDescription, ontology: Ontology) -> bool:
    """Whether one thing would be said to have several of what it has one of at a time: "a boy wearing hats"."""
    singly = ontology.relations[relation].one_at_a_time
    return (one.number, target.number) == ("singular", "plural") and any(
        ontology.is_a(target.kind, kind) for kind in singly
    )


@lru_cache(maxsize=16384)
def tells_little(relation: str, kind: str, ontology: Ontology) -> bool:
    """Whether a relation holds of nearly everyone: wearing a shirt, being on the floor; or who sweeps the grass."""
    if relation in _ON_GROUND_ALONE and ontology.is_a(kind, "ground"):
        return True
    if relation == "wearing":
        return any(ontology.is_a(kind, usual) for usual in _USUAL_CLOTHES)
    return kind in _UNDER_EVERYTHING


def relation_targets(thing: SceneObject, scene: Scene, ontology: Ontology) -> list[Related]:
    """The relations of a thing that are annotated or follow from the boxes, with what they lead to.

    A definite target is named so that nothing else can be meant; where that cannot be done, the relation is not used.
    """
    known = _targets_by_object(scene, ontology)
    if thing.id not in known:
        known[thing.id] = _find_targets(thing, scene, ontology)
    return known[thing.id]


@lru_cache(maxsize=4)
def _targets_by_object(scene: Scene, ontology: Ontology) -> dict[str, list[Related]]:  # noqa: ARG001
    """What is known so far of a scene, by the ids of its objects."""
    return {}


def _find_targets(thing: SceneObject, scene: Scene, ontology: Ontology) -> list[Related]:
    named = plain(thing, ontology)
    known = landmarks(scene, ontology)
    found: dict[Related, None] = {}
    for relation in thing.relations:
        record = ontology.relations.get(relation.name)
        if record is None or not record.askable:
            continue
        if record.definite:
            landmark = known.get(relation.target)
            target = None if landmark is None else landmark.described
        else:
            target = nameable_landmark(scene.graph.objects[relation.target], ontology)
        if target is None or (named is not None and too_many(named, relation.name, target, ontology)):
            continue
        if tells_little(relation.name, target.kind, ontology):
            continue
        if named is not None and not is_placed_by_words(named.kind, relation.name, target.kind, ontology):
            continue
        beyond = scene.graph.objects[relation.target]
        if relation.name in SIDES and not is_placed_by(thing, beyond, scene, ontology):
            continue
        found[Related(relation.name, target)] = None
    found |= dict.fromkeys(beside(thing, scene, ontology))
    return list(found)


def targets_among_several(thing: SceneObject, scene: Scene, ontology: Ontology) -> list[Related]:
    """The annotated relations of a thing to something that may not be the only one: "a bowl on a table"."""
    named = plain(thing, ontology)
    if named is None:
        return []
    known = landmarks(scene, ontology)
    found: dict[Related, None] = {}
    for relation in thing.relations:
        record = ontology.relations.get(relation.name)
        if record is None or not record.askable or not record.definite or relation.target in known:
            continue
        beyond = scene.graph.objects[relation.target]
        target = nameable_landmark(beyond, ontology)
        if (
            target is not None
            and one_of_several(named.kind, relation.name, target, scene, ontology)
            and is_placed_by_words(named.kind, relation.name, target.kind, ontology)
            # A lamp is near a sofa, not a sofa near a lamp.
            and thing.box.w * thing.box.h <= beyond.box.w * beyond.box.h
        ):
            found[Related(relation.name, target)] = None
    return list(found)


def one_of_several(kind: str, relation: str, target: ObjectDescription, scene: Scene, ontology: Ontology) -> bool:
    """Whether people would say "on a table" where nothing tells that there is just one.

    They would not say "in a room", nor "a building behind a window", which is a part of it. Where all is annotated,
    what is not the only one is named by more words, or not at all.
    """
    return (
        "objects" not in scene.graph.complete
        and relation not in SIDES
        and target.number == "singular"
        and asked_alone(target.kind, ontology)
        and not tells_little(relation, target.kind, ontology)
        and target.kind not in ontology.possible_parts(kind)
        and kind not in ontology.possible_parts(target.kind)
    )


def references(
    thing: SceneObject, kind: str, form: str, scene: Scene, ontology: Ontology
) -> Iterator[ObjectDescription]:
    """Definite descriptions by a kind that pick out this thing alone, in as few words as that takes.

    What is the only one of its kind is named by the kind alone. Of several, one is named by an attribute or by a
    relation, and by both where neither would do. What is the only one that is called so, beside something that might
    be called so too, is not named at all: beside a girl "the woman" leaves a doubt, "the woman near the tree" is odd.
    """
    named = plain(thing, ontology)
    if named is None:
        return
    number = named.number if ontology.kinds[kind].number == "count" or kind == named.kind else "mass"

    def picks_out(attributes: tuple[str, ...], related: Related | None) -> ObjectDescription | None:
        described = ObjectDescription(kind, attributes, related, number, definite=True)
        return described if scene.resolve(described) == (thing,) else None

    alone = picks_out((), None)
    if alone is not None:
        if form != "related":
            yield alone
        return
    if is_only_one_called(thing, kind, scene, ontology):
        return
    values = speakable_attributes(thing, kind, ontology)
    if kind != named.kind and ontology.is_a(kind, "person"):
        # "the walking adult" and "the sad adult" are not said; "the walking woman" is.
        values = [value for value in values if not tells_of_a_moment(value, ontology)]
    by_values = [found for value in values if (found := picks_out((value,), None)) is not None]
    if form != "related":
        yield from by_values
        return
    # "the dog near the dog" leaves open which is which.
    targets = [one for one in relation_targets(thing, scene, ontology) if not (one.to.definite and one.to.kind == kind)]
    by_relations = [found for related in targets if (found := picks_out((), related)) is not None]
    yield from by_relations
    if by_values or by_relations:
        return
    for related in targets:
        for value in values:
            found = picks_out((value,), related)
            if found is not None:
                yield found
