"""A question with its answer and its program, and the phrases that all forms of questions share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from falter.scene import ObjectDescription, Query, SceneObject
from falter.world.question_sampler import Asker, Described
from falter.world.world_data import knowledge

__all__ = ["Asked", "Form", "Step", "be", "first_of", "id_of", "mention", "said", "select", "then", "with_family"]


class Step(NamedTuple):
    """One operation of a question's program."""

    operation: str
    argument: str
    dependencies: tuple[int, ...] = ()


class Asked(NamedTuple):
    """A question, its answer, its program, and how GQA would file it."""

    text: str
    answer: str
    full_answer: str
    program: tuple[Step, ...]
    detailed: str
    semantic: str
    structural: str
    local: str
    group: str | None = None
    mentions: tuple[tuple[str, str], ...] = ()


Form = Callable[[Asker, str], Asked | None]
"""Is told which answer would keep the set even, and gives a question, or None where the scene does not allow one."""


def be(selection: ObjectDescription) -> str:
    """Is or are."""
    return "are" if selection.number == "plural" else "is"


def said(asker: Asker, query: Query, wanted: str) -> bool:
    """Whether the scene gives this answer."""
    return asker.answer(query) == wanted


def id_of(thing: SceneObject | None) -> str:
    """An object's id as programs write it."""
    return "-" if thing is None else thing.id


def first_of(asker: Asker, kind: str) -> SceneObject | None:
    """A thing of a kind, for a program to point at."""
    return next((thing for thing in asker.scene.objects if asker.ontology.is_a(thing.name, kind)), None)


def select(one: Described) -> tuple[Step, ...]:
    """The steps that pick a described thing."""
    steps = [Step("select", f"{one.thing.name} ({one.thing.id})")]
    for word in one.selection.attributes:
        steps.append(Step("filter", word, (len(steps) - 1,)))
    return tuple(steps)


def then(steps: tuple[Step, ...], operation: str, argument: str) -> tuple[Step, ...]:
    """A program with one more step, which works on the last."""
    return (*steps, Step(operation, argument, (len(steps) - 1,)))


def mention(asker: Asker, *described: Described) -> tuple[tuple[str, str], ...]:
    """The words that stand for things, with the things' ids."""
    return tuple((asker.write(one.selection), one.thing.id) for one in described)


def with_family(asker: Asker, besides: tuple[str, ...] = ()) -> tuple[Described, str, str] | None:
    """A thing with a name of its own, and a family and word to ask about that its name does not give away."""
    one = asker.notable_one([each for each in asker.described if asker.families_of(each.thing)])
    if one is None:
        return None
    named = {knowledge().family_of(word) for word in one.selection.attributes}
    families = [family for family in asker.families_of(one.thing) if family not in named and family not in besides]
    family = asker.pick(families)
    word = None if family is None else asker.word_of(one.thing, family)
    return None if family is None or word is None else (one, family, word)
