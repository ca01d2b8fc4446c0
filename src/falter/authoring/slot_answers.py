"""The answers of a question for all that may take the place of one of its nouns, without a query for each.

What does not change is worked out once: which things the other noun means, and which of them stand in the relation. The
answers are those of the query that the changed question means; a test compares them, and an audit builds the queries.
Where a question has a form that is not among these, or a scene has things that stand for others, there is no such
function, and queries are evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from falter.authoring.perturbing import DescribedSlot
from falter.authoring.scene_things import SceneThings
from falter.english import Parse
from falter.scene import AttributeOf, Exists, ObjectDescription, Or, Related, RelationHolds, SceneObject, SideOf
from falter.scene.logic import TruthValue

__all__ = ["SlotAnswers", "is_plain", "slot_answers"]

Answer = Callable[[ObjectDescription], str | None]
_WORDS = {True: "yes", False: "no", None: None}


class SlotAnswers(NamedTuple):
    """The answer for a description in a slot, and what the question relates then; no kind stands for the new one."""

    answer: Answer
    subject: str | None = None
    relation: str | None = None
    target: str | None = None
    always: str | None = None
    """The answer, where it is the same whatever the new noun is."""


def is_plain(one: ObjectDescription) -> bool:
    """Whether a description names a kind and says nothing else of it."""
    return not one.attributes and one.relation is None and not one.without and not one.side


def slot_answers(parse: Parse, place: DescribedSlot, things: SceneThings) -> SlotAnswers | None:
    """The answers for descriptions in one place; None where queries have to be evaluated."""
    old = place.description
    match parse.meaning:
        case SideOf(of=asked, axis="horizontal"):
            return _of_value(asked, old, things.side_of, things.side_of_thing, things)
        case AttributeOf(of=asked, families=("color",)):
            return _of_value(asked, old, things.color_of, things.color_of_thing, things)
        # What is said before the first noun holds of the second too, which is then another description.
        case Or(of=(Exists(of=first), Exists(of=second))) if old is first or old == second:
            return _of_either(old, second if old is first else first, things)
        case RelationHolds(of=first, relation=name, to=second):
            if old is first:
                return SlotAnswers(_holding(name, second, things, is_subject=True), None, name, second.kind)
            if old is second:
                return SlotAnswers(_holding(name, first, things, is_subject=False), first.kind, name, None)
        case Exists(of=asked) if asked.relation is not None and not asked.definite:
            return _of_related(asked, asked.relation, old, things)
    return None


def _of_value(
    asked: ObjectDescription,
    old: ObjectDescription,
    of_described: Answer,
    of_thing: Callable[[SceneObject], str | None],
    things: SceneThings,
) -> SlotAnswers | None:
    """The answers of "which side" and "what color" for another X, or for another Y in "the X Rel the Y"."""
    if old is asked:
        return SlotAnswers(of_described)
    related, scene = asked.relation, things.scene
    if related is None or related.to is not old or asked.number == "plural" or scene.has_stand_ins:
        return None
    may_be = scene.objects_for(replace(asked, relation=None))
    relation, inverse = related.name, bool(related.inverse)
    is_settled = scene.resolve(asked) is not None

    def answer(new: ObjectDescription) -> str | None:
        targets = scene.resolve(new)
        if targets is None or not is_settled:
            return None
        stand = [
            (thing, _both(sure, scene.stands(thing, relation, targets, inverse=inverse))) for thing, sure in may_be
        ]
        found = [thing for thing, verdict in stand if verdict]
        if len(found) != 1 or any(verdict is None for _, verdict in stand) or scene.is_group(found[0]):
            return None
        return of_thing(found[0])

    kinds = (None, related.name, asked.kind) if inverse else (asked.kind, related.name, None)
    return SlotAnswers(answer, *kinds)


def _of_either(old: ObjectDescription, other: ObjectDescription, things: SceneThings) -> SlotAnswers | None:
    """The answers of "X or Y": what is there besides settles them, or leaves them to the new one."""
    if old.definite or old.relation is not None or old.side or other.relation is not None:
        return None
    beside, scene = things.exists(other), things.scene
    if beside:
        return SlotAnswers(lambda new: "yes", always="yes")  # noqa: ARG005
    # Where the other is not settled, only what is there settles the question.
    words = {True: "yes", False: "no" if beside is False else None, None: None}
    if is_plain(old):
        exists = things.kind_exists
        return SlotAnswers(lambda new: words[exists(new)])

    def answer(new: ObjectDescription) -> str | None:
        if scene.has_stand_ins or scene.may_be_there(new.kind):
            return words[things.exists(replace(old, kind=new.kind, number=new.number))]
        return words[None if scene.may_be_unannotated(new.kind) else False]

    return SlotAnswers(answer)


def _holding(relation: str, fixed: ObjectDescription, things: SceneThings, *, is_subject: bool) -> Answer:
    """The answers of "Is the X Rel the Y?" for another X, or for another Y."""
    scene = things.scene
    others = scene.resolve(fixed)

    def answer(new: ObjectDescription) -> str | None:
        found = scene.resolve(new)
        if found is None or others is None:
            return None
        firsts, seconds = (found, others) if is_subject else (others, found)
        if len(firsts) == 1 and len(seconds) == 1:
            return _WORDS[scene.holds(firsts[0], relation, seconds[0])]
        verdicts = {scene.holds(first, relation, second) for first in firsts for second in seconds}
        return _WORDS[verdicts.pop()] if len(verdicts) == 1 else None

    return answer


def _of_related(
    asked: ObjectDescription, related: Related, old: ObjectDescription, things: SceneThings
) -> SlotAnswers | None:
    """The answers of "Is there an X Rel the Y?" and "Is the Y Rel an X?" for another X, or for another Y."""
    alone = replace(asked, relation=None)
    if not related.to.definite or things.scene.has_stand_ins:
        return None
    if old is related.to:
        answer, kind, other = _near_another(asked, alone, related, things), asked.kind, None
    elif is_plain(alone) and (old is asked or old == alone):
        answer, kind, other = _another_near(related, things), None, related.to.kind
    else:
        return None
    return SlotAnswers(answer, *((other, related.name, kind) if related.inverse else (kind, related.name, other)))


def _near_another(asked: ObjectDescription, alone: ObjectDescription, related: Related, things: SceneThings) -> Answer:
    scene, relation, inverse = things.scene, related.name, bool(related.inverse)
    may_be = scene.objects_for(alone)

    def answer(new: ObjectDescription) -> str | None:
        targets = scene.resolve(new)
        if targets is None:
            return None
        stand = [
            (thing, _both(sure, scene.stands(thing, relation, targets, inverse=inverse))) for thing, sure in may_be
        ]
        return _WORDS[scene.settle_existence(asked, stand)]

    return answer


def _another_near(related: Related, things: SceneThings) -> Answer:
    scene, relation, inverse = things.scene, related.name, bool(related.inverse)
    targets = scene.resolve(related.to)

    def answer(new: ObjectDescription) -> str | None:
        if targets is None:
            return None
        may_be = scene.objects_of_kind(new.kind)
        if not may_be:
            return None if scene.may_be_unannotated(new.kind) else "no"
        stand = [
            (thing, _both(sure, scene.stands(thing, relation, targets, inverse=inverse))) for thing, sure in may_be
        ]
        return _WORDS[scene.settle_existence(new, stand)]

    return answer


def _both(first: TruthValue, second: TruthValue) -> TruthValue:
    if first is False or second is False:
        return False
    return None if first is None or second is None else True
