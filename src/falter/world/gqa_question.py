"""A question of GQA with its answer and program, and what all question forms share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from falter.scene import ObjectDescription, Query, SceneObject
from falter.world.question_sampler import DescribedObject, QuestionSampler
from falter.world.world_data import load_world_data

__all__ = [
    "GqaQuestion",
    "ProgramStep",
    "QuestionForm",
    "copula",
    "first_object",
    "has_answer",
    "mention",
    "program_id",
    "select",
    "then",
    "with_family",
]


class ProgramStep(NamedTuple):
    """One operation of a question's program."""

    operation: str
    argument: str
    dependencies: tuple[int, ...] = ()


class GqaQuestion(NamedTuple):
    """A question, its answer, its program and its types in GQA."""

    text: str
    answer: str
    full_answer: str
    program: tuple[ProgramStep, ...]
    detailed: str
    semantic: str
    structural: str
    local: str
    group: str | None = None
    mentions: tuple[tuple[str, str], ...] = ()


QuestionForm = Callable[[QuestionSampler, str], GqaQuestion | None]
"""Takes the answer that keeps the set balanced; returns a question, or None where the scene does not allow one."""


def copula(description: ObjectDescription) -> str:
    """Is or are."""
    return "are" if description.number == "plural" else "is"


def has_answer(sampler: QuestionSampler, query: Query, wanted: str) -> bool:
    """Whether the scene gives this answer."""
    return sampler.answer(query) == wanted


def program_id(thing: SceneObject | None) -> str:
    """An object's id as programs write it."""
    return "-" if thing is None else thing.id


def first_object(sampler: QuestionSampler, kind: str) -> SceneObject | None:
    """An object of a kind, for a program to refer to."""
    return next((thing for thing in sampler.scene.objects if sampler.ontology.is_a(thing.name, kind)), None)


def select(one: DescribedObject) -> tuple[ProgramStep, ...]:
    """The program steps that select a described object."""
    steps = [ProgramStep("select", f"{one.thing.name} ({one.thing.id})")]
    for word in one.description.attributes:
        steps.append(ProgramStep("filter", word, (len(steps) - 1,)))
    return tuple(steps)


def then(steps: tuple[ProgramStep, ...], operation: str, argument: str) -> tuple[ProgramStep, ...]:
    """A program with one more step, which depends on the last."""
    return (*steps, ProgramStep(operation, argument, (len(steps) - 1,)))


def mention(sampler: QuestionSampler, *described: DescribedObject) -> tuple[tuple[str, str], ...]:
    """The phrases that refer to objects, with the objects' ids."""
    return tuple((sampler.write(one.description), one.thing.id) for one in described)


def with_family(sampler: QuestionSampler, besides: tuple[str, ...] = ()) -> tuple[DescribedObject, str, str] | None:
    """A described object, with a family and word to ask about that its description does not contain."""
    one = sampler.notable_one([each for each in sampler.described if sampler.word_families(each.thing)])
    if one is None:
        return None
    named = {load_world_data().find_family(word) for word in one.description.attributes}
    families = [family for family in sampler.word_families(one.thing) if family not in named and family not in besides]
    family = sampler.pick(families)
    word = None if family is None else sampler.family_word(one.thing, family)
    return None if family is None or word is None else (one, family, word)
