"""Relations and actant swap: "The dog is to the left of the cat.", "The dog is chasing the boy."."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

from falter.authoring.scene_things import SceneThings
from falter.scene import ObjectDescription, RelationHolds
from falter.suites.valse.scene_foils.contrast import CaptionWriter, Contrast, FoiledScene, share_a_word

__all__ = ["propose_actant_swap", "propose_actions", "propose_relations"]

_SIDES = ("to the left of", "to the right of")
_FORMS = {
    _SIDES: "side",
    ("in front of", "behind"): "depth",
    ("above", "below"): "height",
    ("on top of", "under"): "support",
    ("on", "under"): "support",
}
"""Opposite positions, with the form of sentence that they are counted as."""
_LIVING = ("person", "animal")
_MUTUAL = frozenset({"hugging", "kissing", "talking to", "playing with", "facing", "touching", "greeting", "meeting"})
"""What two do to each other, whoever is named first."""
_DONE = ("action", "holding")


def _pairs(things: SceneThings) -> Iterator[tuple[ObjectDescription, ObjectDescription]]:
    for first, second in permutations(things.visible, 2):
        if not share_a_word(first.description, second.description):
            yield first.description, second.description


def propose_relations(scene: FoiledScene) -> Iterator[Contrast]:
    """A relation against its opposite; or, between two kinds of which the source says both, against another.

    One of the two must be known to hold.
    """
    things, facts = scene.things, scene.facts
    placed = {one.description for one in things.placed}
    for x, y in _pairs(things):
        between = [one for one in facts.relations(x.kind, y.kind, "spatial", "contact") if one not in _SIDES]
        opposites = tuple(_FORMS) if {x, y} <= placed else ()
        others = [pair for pair in combinations(between, 2) if pair not in opposites and pair[::-1] not in opposites]
        for pair in (*opposites, *others):
            if "yes" in (things.answer(RelationHolds(x, name, y)) for name in pair):
                yield _related(scene.writer, x, pair[0], y, pair[1], _FORMS.get(pair, "replacement"))


def _related(
    writer: CaptionWriter, x: ObjectDescription, name: str, y: ObjectDescription, other: str, form: str
) -> Contrast:
    first, second = (writer.say("caption_relation.is", x=x, r=one, y=y) for one in (name, other))
    return Contrast(first, second, (name, other), form)


def propose_actions(scene: FoiledScene) -> Iterator[Contrast]:
    """What somebody does to something against what the source says that others do to it."""
    things, writer, facts = scene.things, scene.writer, scene.facts
    for x, y in _pairs(things):
        for first, second in combinations(facts.relations(x.kind, y.kind, *_DONE), 2):
            if "yes" in (things.answer(RelationHolds(x, name, y)) for name in (first, second)):
                yield _related(writer, x, first, y, second, "relation")


def propose_actant_swap(scene: FoiledScene) -> Iterator[Contrast]:
    """Who does something against to whom it is done: two of whom other images of the source have it the other way."""
    things, writer, facts = scene.things, scene.writer, scene.facts
    living = [
        one.description
        for one in things.visible
        if any(things.ontology.is_a(one.description.kind, above) for above in _LIVING)
    ]
    for x, y in combinations(living, 2):
        both_ways = {*facts.relations(x.kind, y.kind, *_DONE)} & {*facts.relations(y.kind, x.kind, *_DONE)}
        for name in sorted(both_ways - _MUTUAL) if not share_a_word(x, y) else ():
            if things.ontology.relations[name].symmetric:
                continue
            if "yes" in (things.answer(RelationHolds(one, name, other)) for one, other in ((x, y), (y, x))):
                yield Contrast(
                    writer.say("caption_relation.is", x=x, r=name, y=y),
                    writer.say("caption_relation.is", x=y, r=name, y=x),
                    (f"{x.kind} {name} {y.kind}", f"{y.kind} {name} {x.kind}"),
                    name,
                )
