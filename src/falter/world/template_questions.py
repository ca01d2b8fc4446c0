"""GQA's questions about sides, positions, colors, one of two things and nearness, in many surface forms.

Positions are whether one thing is to the left of another, in front of it or behind it.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from falter.generation.askable import rules
from falter.generation.askable.placement import SIDES
from falter.generation.scene import Exists, HasAttribute, ObjectDescription, Or, Query, Related, RelationHolds, SideOf
from falter.world.questions import (
    DescribedObject,
    GqaQuestion,
    ProgramStep,
    copula,
    first_object,
    has_answer,
    program_id,
    then,
)
from falter.world.references import (
    ReferringSampler,
    can_be_asked_for,
    is_plural,
    mentions_of,
    program_of,
    says_noun,
    stands,
)
from falter.world.world_data import SurfaceForm, load_world_data, question_forms

_NEAR = ("near", "near", "near", "near", "next to", "beside")
_SHARED = ("color", "size", "material")
_ATTRIBUTE = 0.5


def query_side(sampler: ReferringSampler, wanted: str) -> GqaQuestion | None:
    """On which side of the picture is the dog?"""
    side = "left" if wanted == "yes" else "right"
    forms = question_forms()
    form = forms.pick(forms.side, sampler.rng)
    one = sampler.notable_one(
        [one for one in sampler.of_shape(form.shapes["x"]) if has_answer(sampler, SideOf(one.definite()), side)]
    )
    if one is None:
        return None
    words = sampler.refer(one, form.shapes["x"])
    text = form.write({"x": words}, {"x": is_plural(one.description)})
    full = f"{words.capitalize()} {copula(one.description)} on the {side} of the image."
    program = then(program_of(sampler, one), "query", "hposition")
    local, mentions = f"10q-{one.thing.name}_hposition", mentions_of(sampler, one)
    return GqaQuestion(text, side, full, program, "positionQuery", "attr", "query", local, None, mentions)


def query_color(sampler: ReferringSampler, _: str) -> GqaQuestion | None:
    """What color is the shirt the man is wearing?"""
    forms = question_forms()
    form = forms.pick(forms.color, sampler.rng)
    find_family = load_world_data().find_family
    one = sampler.notable_one(
        [
            one
            for one in sampler.of_shape(form.shapes["x"])
            if sampler.family_word(one.thing, "color")
            and all(find_family(word) != "color" for word in one.description.attributes)
        ]
    )
    color = None if one is None else sampler.family_word(one.thing, "color")
    if one is None or color is None or not has_answer(sampler, HasAttribute(one.definite(), color), "yes"):
        return None
    text = form.write({"x": sampler.refer(one, form.shapes["x"])}, {"x": is_plural(one.description)})
    noun = sampler.write(sampler.select(one.thing.name), "the")
    full = f"{noun.capitalize()} {copula(one.description)} {color}."
    program = then(program_of(sampler, one), "query", "color")
    local, mentions = f"10q-{one.thing.name}_color", mentions_of(sampler, one)
    return GqaQuestion(text, color, full, program, "directOf", "attr", "query", local, "color", mentions)


def exists_either(sampler: ReferringSampler, wanted: str) -> GqaQuestion | None:
    """Do you see any white cars or buses?"""
    rng = sampler.rng
    plural = rng.random() < 0.5
    forms = question_forms()
    form = forms.pick(forms.either.plural if plural else forms.either.singular, rng)
    # What is said of the first holds of the second: "any white cars or buses".
    attributed = form.shapes["y"] == "bare" and rng.random() < _ATTRIBUTE
    kinds = [
        sampler.present_kind() if wanted == "yes" or attributed else sampler.absent_kind(),
        sampler.present_kind() if wanted == "yes" and rng.random() < 0.4 else sampler.absent_kind(),
    ]
    rng.shuffle(kinds)
    if any(sampler.ontology.is_a(one, other) for one, other in (kinds, kinds[::-1])):
        return None
    shared = _shared_word(sampler, kinds, wanted) if attributed else None
    if attributed and shared is None:
        return None
    values = () if shared is None else (shared[1],)
    parts = [sampler.select(kind, *values, plural=plural) for kind in kinds]
    if any(not can_be_asked_for(sampler, part, plural=plural) for part in parts):
        return None
    found = [sampler.answer(Exists(part)) for part in parts]
    if not has_answer(sampler, Or((Exists(parts[0]), Exists(parts[1]))), wanted):
        return None
    written = [sampler.write(part, _article(form, slot)) for part, slot in zip(parts, "xy", strict=True)]
    if form.shapes["y"] == "bare":
        written[1] = sampler.write(replace(parts[1], attributes=()))
    text = form.write(dict(zip("xy", written, strict=True)), dict.fromkeys("xy", plural))
    if wanted == "yes":
        shown = parts[found.index("yes")]
        full = f"Yes, there {copula(shown)} {sampler.write(shown, 'a')}."
    else:
        names = [sampler.write(sampler.select(kind, *values, plural=True)) for kind in kinds]
        full = f"No, there are no {' or '.join(names)}."
    program = _either_program(sampler, kinds, shared)
    name = f"exist{'' if shared is None else 'Attr'}Or{'' if wanted == 'yes' else 'C'}"
    local = f"09existOr-{'_'.join(sorted(kinds))}"
    return GqaQuestion(text, wanted, full, program, name, "obj", "logical", local)


def _shared_word(sampler: ReferringSampler, kinds: list[str], wanted: str) -> tuple[str, str] | None:
    """A family that both kinds have, and a word of it that one of them has here; for "no", another word."""
    family = sampler.rng.choice(_SHARED)
    if not all(sampler.ontology.family_applies_to(family, kind) for kind in kinds):
        return None
    words = [word for thing in sampler.things if thing.name in kinds and (word := sampler.family_word(thing, family))]
    # Where there is a large and a small one, every word of the family holds.
    if not words or (wanted == "no" and set(load_world_data().families[family].values) <= set(words)):
        return None
    return family, sampler.rng.choice(words) if wanted == "yes" else sampler.other_word(family, *words)


def _either_program(
    sampler: ReferringSampler, kinds: list[str], shared: tuple[str, str] | None
) -> tuple[ProgramStep, ...]:
    steps: list[ProgramStep] = []
    for kind in kinds:
        steps.append(ProgramStep("select", f"{kind} ({program_id(first_object(sampler, kind))})"))
        if shared is not None:
            steps.append(ProgramStep(f"filter {shared[0]}", shared[1], (len(steps) - 1,)))
        steps.append(ProgramStep("exist", "?", (len(steps) - 1,)))
    half = len(steps) // 2
    return (*steps, ProgramStep("or", "", (half - 1, 2 * half - 1)))


def _article(form: SurfaceForm, slot: str) -> str:
    return "a" if form.shapes[slot] == "a" else ""


def exists_near(sampler: ReferringSampler, wanted: str) -> GqaQuestion | None:
    """Are there any cats near the boat?"""
    rng = sampler.rng
    plural = rng.random() < 0.5
    forms = question_forms()
    form = forms.pick(forms.near.plural if plural else forms.near.singular, rng)
    near = sampler.pick(sampler.near)
    target = sampler.pick(
        [one for one in sampler.of_shape(form.shapes["y"]) if near is not None and one.thing.id == near.target]
    )
    if near is None or target is None:
        return None
    relation = rng.choice(_NEAR)
    kind = sampler.absent_kind() if wanted == "no" else near.subject.name
    description = sampler.select(kind, plural=plural, relation=Related(relation, target.definite()))
    if (
        not stands(kind)
        or says_noun(target, kind)
        or not can_be_asked_for(sampler, description, plural=plural)
        or not has_answer(sampler, Exists(description), wanted)
    ):
        return None
    alone = replace(description, relation=None)
    place = sampler.refer(target, form.shapes["y"])
    phrases = {"x": sampler.write(alone, _article(form, "x")), "y": place}
    text = form.write(phrases, {"x": plural, "y": is_plural(target.description)}, relation)
    found = program_id(first_object(sampler, kind)) if wanted == "yes" else "-"
    steps = then(program_of(sampler, target), "relate", f"{kind},{relation},s ({found})")
    full = _there_is(sampler, alone, f"{relation} {place}", wanted)
    detailed = "existRelS" if wanted == "yes" else "existRelSC"
    local, mentions = f"13-{target.thing.name}_{kind}", mentions_of(sampler, target)
    return GqaQuestion(text, wanted, full, then(steps, "exist", "?"), detailed, "rel", "verify", local, None, mentions)


def _there_is(sampler: ReferringSampler, description: ObjectDescription, where: str, wanted: str) -> str:
    some = sampler.write(description, "a") if wanted == "yes" else f"no {sampler.write(description)}"
    return f"{wanted.capitalize()}, there {copula(description)} {some} {where}."


_IN_DEPTH = rules.words("opposites", "depth")
_SIDEWAYS_FIRST = 0.8


class _Place(NamedTuple):
    """What a position is compared with: its words, the query, the program and GQA's names for it."""

    words: str
    plural: bool
    query: Query
    program: tuple[ProgramStep, ...]
    local: str
    described: tuple[DescribedObject, ...]


def verify_position(sampler: ReferringSampler, wanted: str) -> GqaQuestion | None:
    """Is the boy to the right of the man? Is she to the left of a bag?"""
    rng, forms = sampler.rng, question_forms()
    form = forms.pick(forms.position, rng)
    one = sampler.notable_one(sampler.of_shape(form.shapes["x"]))
    some = form.shapes["y"] == "a"
    other = None if some else sampler.notable_one(sampler.of_shape(form.shapes["y"]))
    if one is None or (other is None and not some):
        return None
    here = sorted({thing.name for thing in sampler.things})
    kind = rng.choice(here) if wanted == "yes" or rng.random() < 0.5 else sampler.absent_kind()
    sideways = rng.random() < _SIDEWAYS_FIRST
    if not sideways and not (stands(one.thing.name) and stands(kind if other is None else other.thing.name)):
        return None
    relations = rng.sample(SIDES if sideways else _IN_DEPTH, 2)
    for relation in relations:
        place = (
            _beside_some(sampler, one, relation, kind)
            if other is None
            else _beside_one(sampler, form, (one, other), relation)
        )
        if place is not None and has_answer(sampler, place.query, wanted):
            break
    else:
        return None
    words = sampler.refer(one, form.shapes["x"])
    plural = {"x": is_plural(one.description), "y": place.plural}
    text = form.write({"x": words, "y": place.words}, plural, relation)
    verb = copula(one.description)
    if wanted == "yes":
        full = f"Yes, {words} {verb} {relation} {place.words}."
    else:
        full = f"No, {words} {verb} not {relation} {place.words}."
    detailed = "relVerify" if wanted == "yes" else ("relVerifyCo" if some else "relVerifyCr")
    mentions = mentions_of(sampler, *place.described)
    return GqaQuestion(text, wanted, full, place.program, detailed, "rel", "verify", place.local, None, mentions)


def _beside_one(
    sampler: ReferringSampler, form: SurfaceForm, pair: tuple[DescribedObject, DescribedObject], relation: str
) -> _Place | None:
    """The position in relation to a certain thing."""
    one, other = pair
    if says_noun(other, one.thing.name) or says_noun(one, other.thing.name):
        return None
    # The last step of a program knows one of the two by its noun alone.
    if _is_plain(one.description):
        step = f"{one.thing.name},{relation},s ({one.thing.id})"
        program = then(program_of(sampler, other), "verify rel", step)
    elif _is_plain(other.description):
        step = f"{other.thing.name},{relation},o ({other.thing.id})"
        program = then(program_of(sampler, one), "verify rel", step)
    else:
        return None
    return _Place(
        words=sampler.refer(other, form.shapes["y"]),
        plural=is_plural(other.description),
        query=RelationHolds(one.definite(), relation, other.definite()),
        program=program,
        local=f"13-{other.thing.name}_{one.thing.name}",
        described=(one, other),
    )


def _beside_some(sampler: ReferringSampler, one: DescribedObject, relation: str, kind: str) -> _Place | None:
    """The position in relation to some thing of a kind."""
    some = sampler.select(kind)
    if not can_be_asked_for(sampler, some, plural=False) or says_noun(one, kind):
        return None
    query = Exists(replace(some, relation=Related(relation, one.definite(), inverse=True)))
    found = program_id(first_object(sampler, kind)) if has_answer(sampler, query, "yes") else "-"
    return _Place(
        words=sampler.write(some, "a"),
        plural=False,
        query=query,
        program=then(program_of(sampler, one), "verify rel", f"{kind},{relation},o ({found})"),
        local=f"13-{one.thing.name}_{kind}",
        described=(one,),
    )


def _is_plain(description: ObjectDescription) -> bool:
    return not description.attributes and description.relation is None
