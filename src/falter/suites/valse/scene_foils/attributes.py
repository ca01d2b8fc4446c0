"""Attributes, actions and binding: "The car is red." and "There is a red car and a blue bus."."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from msgspec.structs import replace

from falter.authoring.scene_things import SceneThings
from falter.authoring.speakable import is_worn
from falter.scene import And, HasAttribute, ObjectDescription
from falter.suites.valse.scene_foils.contrast import CaptionWriter, Contrast, FoiledScene, share_a_word
from falter.suites.valse.scene_foils.relations import propose_actions
from falter.suites.valse.scene_foils.source_facts import SourceFacts

__all__ = ["propose_action_replacement", "propose_attributes", "propose_binding", "values_said"]

_BOUND = ("color", "pattern", "size", "material")
_BOUND_STATES = ("pose", "mood", "action", "opening", "light", "contents")


def values_said(one: ObjectDescription, facts: SourceFacts) -> Iterator[tuple[str, str]]:
    """Values that something may be said to have, each with the template that says so."""
    ontology = facts.ontology
    for name, family in ontology.families.items():
        if not family.askable or not family.exclusive or not ontology.family_applies_to(name, one.kind):
            continue
        for value in facts.values(one.kind, name):
            if ontology.is_natural(value, one.kind) and ontology.attributes.is_predicative(value):
                yield ("made-of" if name == "material" else "is"), value


def _replaced(things: SceneThings, writer: CaptionWriter, facts: SourceFacts, *, doing: bool) -> Iterator[Contrast]:
    """Two values of one family, where doings are wanted, or where they are not."""
    ontology = facts.ontology
    for one in things.named:
        for (template, value), (_, other) in combinations(values_said(one.description, facts), 2):
            shared = {*ontology.attributes.families_by_value[value]} & {*ontology.attributes.families_by_value[other]}
            if not shared or any(ontology.families[name].doing for name in shared) != doing:
                continue
            if "yes" in (things.answer(HasAttribute(one.description, said)) for said in (value, other)):
                yield Contrast(
                    writer.say(f"caption_attribute.{template}", x=one.description, p=value),
                    writer.say(f"caption_attribute.{template}", x=one.description, p=other),
                    (value, other),
                    min(shared),
                )


def propose_attributes(scene: FoiledScene) -> Iterator[Contrast]:
    """What something is like against what others of its kind are like."""
    things, writer, facts = scene.things, scene.writer, scene.facts
    yield from _replaced(things, writer, facts, doing=False)


def propose_action_replacement(scene: FoiledScene) -> Iterator[Contrast]:
    """What somebody does against what others do."""
    things, writer, facts = scene.things, scene.writer, scene.facts
    yield from _replaced(things, writer, facts, doing=True)
    yield from propose_actions(scene)


def propose_binding(scene: FoiledScene) -> Iterator[Contrast]:
    """Two things with two values against the same with the values swapped."""
    things, writer, facts = scene.things, scene.writer, scene.facts
    there = [one for one in things.present if one.number == "singular" and not is_worn(one.kind, things.ontology)]
    for x, y in combinations(there, 2):
        if share_a_word(x, y):
            continue
        for family in _BOUND:
            for first, second in _shared_values(x, y, family, facts):
                if not any(
                    things.exists(_with(x, one)) and things.exists(_with(y, other))
                    for one, other in ((first, second), (second, first))
                ):
                    continue
                yield Contrast(
                    writer.say("caption_pair.both", x=_with(x, first), y=_with(y, second)),
                    writer.say("caption_pair.both", x=_with(x, second), y=_with(y, first)),
                    (f"{first} {x.kind}, {second} {y.kind}", f"{second} {x.kind}, {first} {y.kind}"),
                    family,
                )
    plain = [one.description for one in things.named if not one.description.attributes]
    for x, y in combinations(plain, 2):
        for family in _BOUND_STATES if not share_a_word(x, y) else ():
            for first, second in _shared_values(x, y, family, facts):
                ways = (
                    And((HasAttribute(x, one), HasAttribute(y, other)))
                    for one, other in ((first, second), (second, first))
                )
                if "yes" not in map(things.answer, ways):
                    continue
                yield Contrast(
                    writer.say("caption_attribute.both", x=x, p=first, y=y, q=second),
                    writer.say("caption_attribute.both", x=x, p=second, y=y, q=first),
                    (f"{x.kind} {first}, {y.kind} {second}", f"{x.kind} {second}, {y.kind} {first}"),
                    family,
                )


def _shared_values(
    x: ObjectDescription, y: ObjectDescription, family: str, facts: SourceFacts
) -> Iterator[tuple[str, str]]:
    """Two values that things of either kind have in the source and that exclude each other."""
    ontology = facts.ontology
    values = [value for value in facts.values(x.kind, family) if value in facts.values(y.kind, family)]
    natural = [value for value in values if all(ontology.is_natural(value, one.kind) for one in (x, y))]
    for first, second in combinations(natural, 2):
        if not ontology.attributes.overlap(first, second):
            yield first, second


def _with(one: ObjectDescription, value: str) -> ObjectDescription:
    return replace(one, attributes=(value,))
