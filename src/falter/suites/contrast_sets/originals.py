"""Originals where a source has scenes but no questions: questions of the six templates, written from a scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from falter.data.items import YES_NO
from falter.generation.askable import rules
from falter.generation.askable.naming import is_worn, values_to_say
from falter.generation.askable.placement import SIDES
from falter.generation.askable.scene_things import Reference, SceneThings
from falter.generation.english.noun_phrases import Determiner, NounPhrases
from falter.generation.english.question_reader import QuestionReader
from falter.generation.scene import (
    AttributeOf,
    Exists,
    Number,
    ObjectDescription,
    Or,
    Query,
    Related,
    RelationHolds,
    SideOf,
)
from falter.generation.sources.protocol import Question
from falter.suites.contrast_sets.changes import OPPOSITES
from falter.world.world_data import SurfaceForm, question_forms

_MOST = 30
"""Originals of one template that are written about one image."""
_TRIED = 150
_NUMBERS: tuple[Number, ...] = ("singular", "singular", "singular", "plural")
_NEAR = rules.words("asked-near")
_DETERMINERS: dict[str, Determiner] = {"the": "the", "a": "a", "bare": ""}


class _Asked(NamedTuple):
    """What a question is to mean, the things it names, and the relation between them."""

    query: Query
    things: dict[str, ObjectDescription]
    relation: str = ""
    opposite: Query | None = None
    """The same with the opposite relation."""


class OriginalWriter:
    """Writes questions about one scene after another, and reads each back."""

    def __init__(self, reader: QuestionReader, seed: int) -> None:
        self._reader = reader
        self._phrases: NounPhrases = reader.grammar.phrases
        self._seed = seed
        forms = question_forms()
        self._forms = {
            "side": _simple(forms.side),
            "color": _simple(forms.color),
            "or": _simple((*forms.either.singular, *forms.either.plural)),
            "near": _simple((*forms.near.singular, *forms.near.plural)),
            "relation": _simple(forms.position),
        }

    def write(self, things: SceneThings, tests: Sequence[str]) -> list[Question]:
        """The questions of some tests, no two of them with the same meaning."""
        found: dict[Query, Question] = {}
        for test in (one for one in _CANDIDATES if one in tests):
            rng = Random(f"{self._seed}|originals|{things.scene.graph.image_id}|{test}")
            made = 0
            for asked in _CANDIDATES[test](things, rng):
                if asked.query in found or asked.opposite in found:
                    continue
                question = self._question(test, asked, things, rng, made)
                if question is not None:
                    found[asked.query] = question
                    made += 1
                if made == _MOST:
                    break
        return list(found.values())

    def _question(self, test: str, asked: _Asked, things: SceneThings, rng: Random, number: int) -> Question | None:
        answer = things.answer(asked.query)
        if answer is None:
            return None
        forms = list(self._forms["relation" if test == "relation-object" else test])
        rng.shuffle(forms)
        for form in forms:
            text = self._write(form, asked)
            read = None if text is None else self._reader.read(text)
            if text is not None and read is not None and read.meaning == asked.query:
                image = things.scene.graph.image_id
                return Question(id=f"{image}-{test}-{number}", image_id=image, text=text, answer=answer)
        return None

    def _write(self, form: SurfaceForm, asked: _Asked) -> str | None:
        words: dict[str, str] = {}
        for slot, shape in form.shapes.items():
            one = asked.things.get(slot)
            if one is None or one.definite != (shape == "the"):
                return None
            if shape == "bare" and not fits_bare(form.text, slot, one):
                return None
            words[slot] = self._phrases.render(replace(one, definite=False), _DETERMINERS[shape])
        plural = {slot: one.number == "plural" for slot, one in asked.things.items()}
        if form.text.startswith(("Is there", "Are there")) and form.text.startswith("Are") != plural["x"]:
            return None
        return form.write(words, plural, asked.relation)


def fits_bare(form: str, slot: str, one: ObjectDescription) -> bool:
    """Whether a noun without an article can stand there: "any dogs", "any water", "either a dog or cat".

    "Is there any dog?" is said, "Do you see any dog?" hardly is.
    """
    if one.number == "singular" and ("either any" in form or ("any" in form and not form.startswith("Is there any"))):
        return False
    after_any = f"any {{bare {slot}}}" in form
    shares = slot == "y" and ("{a x}" in form or "any {bare x}" in form)
    return one.number != "singular" or after_any or shares


def _simple(forms: Sequence[str]) -> tuple[SurfaceForm, ...]:
    """The forms that name things by noun and attributes, and do not ask for a part of the image."""
    shaped = (SurfaceForm(text).with_shapes(lambda: "the") for text in forms)
    return tuple(one for one in shaped if set(one.shapes.values()) <= _DETERMINERS.keys() and "part of" not in one.text)


def _in_turn(first: Sequence[_Asked], second: Sequence[_Asked], rng: Random) -> Iterator[_Asked]:
    """Questions with the one answer and with the other by turns."""
    turns = [first, second] if rng.random() < 0.5 else [second, first]
    return (one for one in chain.from_iterable(zip_longest(*turns)) if one is not None)


def _reserved_last(asked: Sequence[_Asked], things: SceneThings) -> list[_Asked]:
    """The questions with an answer that others have not; those that the others can best be changed to come last."""
    answers = {one.query: things.answer(one.query) for one in asked}
    settled = [one for one in asked if answers[one.query] is not None]
    often = Counter(answers[one.query] for one in settled)
    if len(often) < 2:
        return []
    reserved = {answer: next(one for one in settled if answers[one.query] == answer) for answer in list(often)[:2]}
    last = list(reserved.values())
    return [*(one for one in settled if one not in last), *last]


def _sides(things: SceneThings, rng: Random) -> Iterator[_Asked]:
    asked = [_Asked(SideOf(one.description), {"x": one.description}) for one in things.visible]
    rng.shuffle(asked)
    qualified = [_Asked(SideOf(one), {"x": one}) for one in _qualified(things.visible, things)]
    rng.shuffle(qualified)
    kept = _reserved_last(asked, things)
    kept += qualified if kept else []
    left, right = ([one for one in kept if things.answer(one.query) == side] for side in ("left", "right"))
    yield from _in_turn(left, right, rng)


def _qualified(references: Sequence[Reference], things: SceneThings) -> Iterator[ObjectDescription]:
    """Things that the noun alone picks out, with an attribute before it: "the brown dog" of one dog.

    Of what may be asked for its color, its material or size: a pattern or "snowy" would tell of colors.
    """
    families = things.ontology.families
    told = [*families["material"].values, *families["size"].values] if references is things.colored else None
    for one in references:
        plain = one.description
        if plain.attributes or plain.number == "plural":
            continue
        values = values_to_say(one.thing, plain.kind, things.ontology)
        values = [value for value in values if told is None or value in told]
        if values:
            yield replace(plain, attributes=(values[0],))


def _colors(things: SceneThings, rng: Random) -> Iterator[_Asked]:
    described = [one.description for one in things.colored]
    asked = [_Asked(AttributeOf(one, ("color",)), {"x": one}) for one in described]
    qualified = [_Asked(AttributeOf(one, ("color",)), {"x": one}) for one in _qualified(things.colored, things)]
    rng.shuffle(asked)
    kept = _reserved_last(asked, things)
    yield from [*kept, *qualified] if kept else ()


def _either(things: SceneThings, rng: Random) -> Iterator[_Asked]:
    ontology = things.ontology
    present, absent = list(things.present), list(things.absent)
    cells: dict[str, list[_Asked]] = {"yes": [], "no": []}
    for _ in range(_TRIED if absent else 0):
        other = rng.choice(absent)
        there = rng.choice(present) if present and len(cells["yes"]) <= len(cells["no"]) else None
        first = rng.choice(absent) if there is None else there.kind
        if not ontology.are_disjoint(first, other):
            continue
        number = rng.choice(_NUMBERS) if there is None else there.number
        pair = [things.in_number(kind, number) for kind in (first, other)]
        rng.shuffle(pair)
        if pair[0].number != pair[1].number:
            continue
        asked = _Asked(Or((Exists(pair[0]), Exists(pair[1]))), {"x": pair[0], "y": pair[1]})
        answer = things.answer(asked.query)
        if answer is not None:
            cells[answer].append(asked)
    yield from _in_turn(cells["yes"], cells["no"], rng)


def _near(things: SceneThings, rng: Random) -> Iterator[_Asked]:
    ontology = things.ontology
    cells: dict[str, list[_Asked]] = {"yes": [], "no": []}
    kinds = [*dict.fromkeys((one.kind, one.number) for one in things.present)]
    kinds += [(kind, "singular") for kind in things.absent]
    kinds += [(one.kind, one.number) for one in things.present_parts]
    for landmark in things.named:
        for kind, number in kinds:
            one = things.in_number(kind, number)
            if not ontology.are_disjoint(kind, landmark.description.kind):
                continue
            if landmark.description.number == "plural" and ontology.kinds[landmark.description.kind].number == "count":
                continue
            for relation in _NEAR:
                query = Exists(replace(one, relation=Related(relation, landmark.description)))
                answer = things.answer(query)
                if answer is not None:
                    cells[answer].append(_Asked(query, {"x": one, "y": landmark.description}, relation))
                    break
    near = {one.things["y"] for one in cells["yes"]}
    denied = [one for one in cells["no"] if one.things["y"] in near]
    rng.shuffle(cells["yes"])
    rng.shuffle(denied)
    yield from _in_turn(cells["yes"], denied[: max(len(cells["yes"]), 1)] if cells["yes"] else [], rng)


def _opposites(things: SceneThings, rng: Random) -> Iterator[_Asked]:
    """What is where, where the opposite is settled too: beside, above or behind each other."""
    relations = list(OPPOSITES)
    placed = [one.description for one in things.placed]
    some = [one for one in things.present if one.number == "singular" and not is_worn(one.kind, things.ontology)]
    found = list(_relations(things, rng, relations, placed, (*placed, *some)))
    settled = [one for one in found if one.opposite is not None and things.answer(one.opposite) is not None]
    # Two things are asked about once; what is left is the same the other way round.
    once: dict[frozenset[str], _Asked] = {}
    for one in settled:
        once.setdefault(frozenset(thing.kind for thing in one.things.values()), one)
    first = list(once.values())
    yield from _by_answer([*first, *(one for one in settled if one not in first)], things, rng)


def _objects_of_relations(things: SceneThings, rng: Random) -> Iterator[_Asked]:
    """What is to the left or right of what, or of what is not there."""
    absent = [things.in_number(kind, "singular") for kind in things.absent]
    placed = [one.description for one in things.placed]
    single = [one for one in (*things.present, *absent) if one.number == "singular"]
    some = [one for one in single if not is_worn(one.kind, things.ontology)]
    yield from _by_answer(list(_relations(things, rng, SIDES, placed, some)), things, rng)


def _by_answer(asked: Sequence[_Asked], things: SceneThings, rng: Random) -> Iterator[_Asked]:
    yes, no = ([one for one in asked if things.answer(one.query) == answer] for answer in YES_NO)
    return _in_turn(yes, no, rng)


def _relations(
    things: SceneThings,
    rng: Random,
    relations: Sequence[str],
    subjects: Sequence[ObjectDescription],
    targets: Sequence[ObjectDescription],
) -> Iterator[_Asked]:
    """Questions about every two kinds in a drawn relation that is settled, "the" before "a"."""
    disjoint = things.ontology.are_disjoint
    pairs = [(one, other) for one in subjects for other in targets if disjoint(one.kind, other.kind)]
    rng.shuffle(pairs)
    pairs.sort(key=lambda pair: not pair[1].definite)
    asked_of: set[tuple[str, str]] = set()
    for subject, target in pairs:
        if (subject.kind, target.kind) in asked_of:
            continue
        for relation in rng.sample(relations, len(relations)):
            query = _holds(subject, relation, target)
            if things.answer(query) is not None:
                asked_of.add((subject.kind, target.kind))
                opposite = _holds(subject, OPPOSITES[relation], target)
                yield _Asked(query, {"x": subject, "y": target}, relation, opposite)
                break


def _holds(subject: ObjectDescription, relation: str, target: ObjectDescription) -> Query:
    if target.definite:
        return RelationHolds(subject, relation, target)
    return Exists(replace(target, relation=Related(relation, subject, inverse=True)))


_CANDIDATES = {
    "side": _sides,
    "color": _colors,
    "or": _either,
    "near": _near,
    "relation": _opposites,
    "relation-object": _objects_of_relations,
}
