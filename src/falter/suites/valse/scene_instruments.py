"""The instruments that scenes give: those of VALSE, and binding, negation and comparison.

Each proposes contrasts of a scene:

- existence and negation: "There is a dog." and "The car is red." against their denials
- plurality, counting and comparison: how many there are, and of which there are more
- attributes, actions and binding: "The car is red.", "There is a red car and a blue bus."
- relations ("The dog is to the left of the cat.") and actant swap ("The dog is chasing the boy.")"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from random import Random

from msgspec.structs import replace

from falter.generation.askable import rules
from falter.generation.askable.likeness import near_in_meaning
from falter.generation.askable.naming import is_worn
from falter.generation.askable.placement import SIDES
from falter.generation.askable.scene_things import SceneThings
from falter.generation.english.open_slots import SlotValue
from falter.generation.scene import And, HasAttribute, ObjectDescription, Related, RelationHolds
from falter.suites.valse.scene_foils import (
    ALIKE,
    CaptionWriter,
    Contrast,
    FoiledScene,
    Proposer,
    SceneFoilMaker,
    SceneStatement,
    SourceFacts,
    share_a_word,
)

_FORMS = {
    **{pair: form for form, pair in rules.groups("opposites").items()},
    **dict.fromkeys(rules.groups("opposites-of-support").values(), "support"),
}
"""Opposite positions, with the form of sentence that they are counted as."""
_LIVING = rules.words("swapped-living")
_MUTUAL = rules.group("mutual")
_DONE = rules.words("doing-relations", "without clothes")


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
        between = [one for one in facts.relations(x.kind, y.kind, "spatial", "contact") if one not in SIDES]
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


_BOUND = rules.words("bound-looks")
_BOUND_STATES = rules.words("bound-states")


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
        for name in SIDES:
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


_MOST = 20
_NEAR = rules.whole("miscounted")
_TOLD_APART = rules.whole("told-apart-from")
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
    return abs(first - second) > (1 if max(first, second) > _TOLD_APART else 0)


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


EXISTENCE = SceneFoilMaker("scene-existence", "existence", 534, propose_existence)
PLURALITY = SceneFoilMaker("scene-plurality", "plurality", 1000, propose_plurality)
BALANCED = SceneFoilMaker("scene-counting-balanced", "counting", 1000, propose_counting(0, 20))
SMALL = SceneFoilMaker("scene-counting-small", "counting", 1000, propose_counting(0, 3))
ADVERSARIAL = SceneFoilMaker("scene-counting-adversarial", "counting", 756, propose_adversarial, both_ways=False)
RELATIONS = SceneFoilMaker("scene-relations", "relations", 614, propose_relations)
ATTRIBUTES = SceneFoilMaker("scene-attributes", "attributes", 614, propose_attributes)
ACTION_REPLACEMENT = SceneFoilMaker("scene-action-replacement", "actions", 779, propose_action_replacement)
ACTANT_SWAP = SceneFoilMaker("scene-actant-swap", "actions", 1042, propose_actant_swap)
BINDING = SceneFoilMaker("scene-binding", "binding", 1000, propose_binding)
NEGATION = SceneFoilMaker("scene-negation", "negation", 1000, propose_negation)
COMPARISON = SceneFoilMaker("scene-comparison", "comparison", 1000, propose_comparison)
