"""GQA's questions whether one thing is to the left of another, in front of it or behind it."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from falter.scene import Exists, ObjectDescription, Query, Related, RelationHolds
from falter.world.gqa_question import GqaQuestion, ProgramStep, copula, first_object, has_answer, program_id, then
from falter.world.question_sampler import DescribedObject
from falter.world.references import (
    ReferringSampler,
    can_be_asked_for,
    is_plural,
    mentions_of,
    program_of,
    says_noun,
    stands,
)
from falter.world.surface_forms import SurfaceForm, question_forms

__all__ = ["verify_position"]

_SIDEWAYS = ("to the left of", "to the right of")
_IN_DEPTH = ("in front of", "behind")
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
    relations = rng.sample(_SIDEWAYS if sideways else _IN_DEPTH, 2)
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
