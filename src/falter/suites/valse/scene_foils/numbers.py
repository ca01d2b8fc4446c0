"""Plurality, counting and comparison: how many there are, and of which there are more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from falter.authoring.scene_things import SceneThings
from falter.authoring.speakable import is_worn, near_in_meaning
from falter.english.slots import SlotValue
from falter.scene import ObjectDescription
from falter.suites.valse.scene_foils.contrast import (
    ALIKE,
    CaptionWriter,
    Contrast,
    FoiledScene,
    Proposer,
    SceneStatement,
    share_a_word,
)

__all__ = ["propose_adversarial", "propose_comparison", "propose_counting", "propose_plurality"]

_MOST = 20
_NEAR = 3
"""How far a number may be off; a picture of nine is not taken for one of two."""
_COMPARED = {"more": "caption_number.more", "fewer": "caption_number.fewer", "as many": "caption_number.as-many"}


def _counted(things: SceneThings) -> list[str]:
    """Kinds that are there and can be counted; not what everybody wears."""
    kinds = dict.fromkeys(one.kind for one in things.present if one.number != "mass")
    ontology = things.ontology
    return [kind for kind in kinds if ontology.kinds[kind].number == "count" and not is_worn(kind, ontology)]


def propose_plurality(scene: FoiledScene) -> Iterator[Contrast]:
    """Exactly one against a number of them."""
    things, writer = scene.things, scene.writer
    for kind in _counted(things):
        one, several = (things.in_number(kind, number) for number in ("singular", "plural"))
        yield Contrast(
            writer.say("caption_number.one", x=one),
            writer.say("caption_number.several", x=several),
            ("exactly one", "a number of"),
        )


def propose_counting(least: int, most: int) -> Proposer:
    """A number against another, both within limits."""

    def propose(scene: FoiledScene) -> Iterator[Contrast]:
        things, writer = scene.things, scene.writer
        absent = [kind for kind in things.absent if things.ontology.kinds[kind].number == "count"]
        for kind in (*_counted(things), *(absent if least == 0 else ())):
            count = things.scene.count(things.in_number(kind, "plural"))
            if count.least != count.most or not least <= count.least <= most:
                continue
            for other in range(max(least, count.least - _NEAR), min(most, count.least + _NEAR) + 1):
                if other != count.least and _apart(other, count.least):
                    yield _numbers(things, writer, kind, (count.least, other))

    return propose


def propose_adversarial(scene: FoiledScene) -> Iterator[Contrast]:
    """Four and more against none to three."""
    things, writer, rng = scene.things, scene.writer, scene.rng
    for kind in _counted(things):
        count = things.scene.count(things.in_number(kind, "plural"))
        if count.least == count.most and 4 <= count.least <= _MOST:
            yield _numbers(things, writer, kind, (count.least, rng.randrange(4)))


def _apart(first: int, second: int) -> bool:
    """Whether nobody takes the one number for the other: from four on, one is a miscount."""
    return abs(first - second) > (1 if max(first, second) > 4 else 0)


def _numbers(things: SceneThings, writer: CaptionWriter, kind: str, numbers: tuple[int, int]) -> Contrast:
    first, second = (
        writer.say("caption_number.exactly", x=things.in_number(kind, "singular" if n == 1 else "plural"), n=n)
        for n in numbers
    )
    return Contrast(first, second, (str(numbers[0]), str(numbers[1])))


def propose_comparison(scene: FoiledScene) -> Iterator[Contrast]:
    """More, fewer or as many of one kind as of another; both are there."""
    things, writer, rng = scene.things, scene.writer, scene.rng
    kinds = [things.in_number(kind, "plural") for kind in _counted(things)]
    for pair in combinations(kinds, 2):
        x, y = sorted(pair, key=lambda one: one.kind) if rng.random() < 0.5 else sorted(pair, key=_reversed_key)
        if share_a_word(x, y) or not things.ontology.are_disjoint(x.kind, y.kind):
            continue
        if near_in_meaning(x.kind, y.kind, things.ontology) < ALIKE:
            continue
        for how, other in combinations(_COMPARED, 2):
            yield Contrast(_compared(writer, x, how, y), _compared(writer, x, other, y), (how, other))


def _reversed_key(one: ObjectDescription) -> tuple[int, ...]:
    return tuple(-ord(letter) for letter in one.kind)


def _compared(writer: CaptionWriter, x: SlotValue, how: str, y: SlotValue) -> SceneStatement:
    return writer.say(_COMPARED[how], x=x, y=y)
