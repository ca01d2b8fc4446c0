"""Existence and negation: "There is a dog." and "The car is red." against their denials."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from random import Random

from msgspec.structs import replace

from falter.authoring.scene_things import SceneThings
from falter.authoring.speakable import near_in_meaning
from falter.scene import ObjectDescription, Related
from falter.suites.valse.scene_foils.attributes import values_said
from falter.suites.valse.scene_foils.contrast import ALIKE, CaptionWriter, Contrast, FoiledScene, share_a_word
from falter.suites.valse.scene_foils.source_facts import SourceFacts

__all__ = ["propose_existence", "propose_negation"]

_MOST_SCOPES = 40


def propose_existence(scene: FoiledScene) -> Iterator[Contrast]:
    """A kind that is there, or could be; with an attribute too: "There is a red ball." / "There is no red ball."."""
    things, writer, facts = scene.things, scene.writer, scene.facts
    absent = [things.in_number(kind, number) for kind in things.absent for number in ("singular", "plural")]
    for one in dict.fromkeys((*things.present, *absent)):
        yield _denied(writer, one, "plain")
    for one in things.present:
        if one.number == "singular":
            for value in facts.values(one.kind, "color"):
                if facts.ontology.is_natural(value, one.kind):
                    yield _denied(writer, replace(one, attributes=(value,)), "attribute")


def _denied(writer: CaptionWriter, one: ObjectDescription, form: str) -> Contrast:
    template = "caption_existence." + ("there" if one.relation is None else "related")
    return Contrast(writer.say(template, x=one), writer.say(f"{template}.negated", x=one), ("some", "no"), form)


def propose_negation(scene: FoiledScene) -> Iterator[Contrast]:
    """What something is, is not, does and wears; and of two kinds, which one is there."""
    things, writer, facts, rng = scene.things, scene.writer, scene.facts, scene.rng
    for one in things.named:
        for template, value in values_said(one.description, facts):
            yield Contrast(
                writer.say(f"caption_attribute.{template}", x=one.description, p=value),
                writer.say(f"caption_attribute.{template}.negated", x=one.description, p=value),
                (value, f"not {value}"),
                "attribute",
            )
    yield from _worn(things, writer, facts)
    yield from _beside(things, writer)
    yield from _but_no(things, writer, rng)


def _worn(things: SceneThings, writer: CaptionWriter, facts: SourceFacts) -> Iterator[Contrast]:
    """Whether somebody wears or holds something: "There is no boy wearing a hat."."""
    for one in things.present:
        if one.number != "singular":
            continue
        for kind in sorted({*(other.kind for other in things.present), *things.absent} - {one.kind}):
            for name in facts.relations(one.kind, kind, "wearing", "holding"):
                to = things.in_number(kind, "singular")
                yield _denied(writer, replace(one, relation=Related(name, to)), "related")


def _beside(things: SceneThings, writer: CaptionWriter) -> Iterator[Contrast]:
    for first, second in permutations(things.placed, 2):
        x, y = first.description, second.description
        if share_a_word(x, y):
            continue
        for name in ("to the left of", "to the right of"):
            yield Contrast(
                writer.say("caption_relation.is", x=x, r=name, y=y),
                writer.say("caption_relation.is.negated", x=x, r=name, y=y),
                (name, f"not {name}"),
                "relation",
            )


def _but_no(things: SceneThings, writer: CaptionWriter, rng: Random) -> Iterator[Contrast]:
    """One kind is there and the other is not: "There is a table but no chair."."""
    there = [one for one in things.present if one.number == "singular"]
    for _ in range(_MOST_SCOPES if there and things.absent else 0):
        x, y = rng.choice(there), things.in_number(rng.choice(things.absent), "singular")
        near = near_in_meaning(x.kind, y.kind, things.ontology) >= ALIKE
        if near and y.number == "singular" and not share_a_word(x, y):
            yield Contrast(
                writer.say("caption_pair.but-no", x=x, y=y),
                writer.say("caption_pair.but-no", x=y, y=x),
                (f"{x.kind}, no {y.kind}", f"{y.kind}, no {x.kind}"),
                "scope",
            )
