"""Changes of questions that no template reads, but whose program says what they ask.

Only a noun is replaced, or left by right: words that stand once in the text, and that the program names. What the text
says besides is not understood, so nothing else of it changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from falter.authoring.perturbing import Atom
from falter.authoring.scene_things import SceneThings
from falter.authoring.speakable import near_in_meaning
from falter.english.rewriting import SentenceEditor
from falter.scene import ObjectDescription, Query, Related
from falter.scene.query_parts import descriptions_of
from falter.suites.contrast_sets.differences import differing_atoms

__all__ = ["ProgramChange", "program_changes"]

_SIDES = {"left": "right", "right": "left"}
T = TypeVar("T")


class ProgramChange(NamedTuple):
    """A changed text, what it asks, and the scene's answer."""

    text: str
    query: Query
    answer: str
    atom: Atom
    before: str
    after: str


def program_changes(
    text: str, query: Query, gold: str, atoms: tuple[Atom, ...], things: SceneThings, editor: SentenceEditor
) -> Iterator[ProgramChange]:
    """The changes of one atom after which the scene gives another answer, the nearest in meaning first."""
    proposed = [*(_objects(text, query, things, editor) if "object" in atoms else ())]
    proposed += [*(_opposites(text, query, editor) if "relation" in atoms else ())]
    for changed, other, atom, before, after in proposed:
        answer = things.answer(other)
        if answer is not None and answer != gold and differing_atoms(query, other) == (atom,):
            yield ProgramChange(changed, other, answer, atom, before, after)


Proposed = tuple[str, Query, Atom, str, str]


def _objects(text: str, query: Query, things: SceneThings, editor: SentenceEditor) -> Iterator[Proposed]:
    ontology = things.ontology
    described = [one for one in dict.fromkeys(descriptions_of(query)) if one.kind in ontology.kinds]
    for old in described:
        said = _as_said(text, old, editor)
        if said is None:
            continue
        others = [one.kind for one in described]
        there = [one.description for one in things.visible] if old.definite else things.present
        kinds = {one.kind for one in there}.union(() if old.definite else things.absent)
        apart = [kind for kind in kinds if all(ontology.are_disjoint(kind, other) for other in others)]
        for kind in sorted(apart, key=lambda kind: (-near_in_meaning(old.kind, kind, ontology), kind)):
            number = things.in_number(kind, said.number).number
            changed = editor.replace_noun(text, said, replace(said, kind=kind, number=number))
            if changed is not None:
                new = replace(old, kind=kind, number=number)
                yield changed, _with(query, old, new), "object", old.kind, kind


def _as_said(text: str, old: ObjectDescription, editor: SentenceEditor) -> ObjectDescription | None:
    """The description in the number in which the text has its noun; None where it stands there never or twice."""
    found = [one for number in ("singular", "plural", "mass") if editor.names(text, one := replace(old, number=number))]
    if old in found:
        return old
    return found[0] if len(found) == 1 else None


def _opposites(text: str, query: Query, editor: SentenceEditor) -> Iterator[Proposed]:
    names = {name for name in _relations_of(query) for side in _SIDES if name == f"to the {side} of"}
    if len(names) != 1:
        return
    (name,) = names
    side = "left" if "left" in name else "right"
    opposite = name.replace(side, _SIDES[side])
    changed = editor.replace_words(text, side, _SIDES[side])
    if changed is not None and _SIDES[side] not in text.lower().split():
        yield changed, _with(query, name, opposite), "relation", name, opposite


def _relations_of(part: object) -> Iterator[str]:
    if isinstance(part, Related):
        yield part.name
    if isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            value = getattr(part, name)
            if name == "relation" and isinstance(value, str):
                yield value
            else:
                yield from _relations_of(value)
    elif isinstance(part, tuple):
        for one in part:
            yield from _relations_of(one)


def _with(part: T, old: object, new: object) -> T:
    """A query with one part replaced wherever it stands."""
    if part == old and type(part) is type(old):
        return new  # type: ignore[return-value]
    if isinstance(part, msgspec.Struct):
        fields = {name: _with(getattr(part, name), old, new) for name in part.__struct_fields__}
        return replace(part, **fields)
    if isinstance(part, tuple):
        return tuple(_with(one, old, new) for one in part)  # type: ignore[return-value]
    return part
