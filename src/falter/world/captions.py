"""Captions of scenes: who does what, with a second clause and a pronoun, and how many there are of something.

They are written in COCO's format, and with their foils in that of FOIL it!.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from falter.data.word_forms import number_to_word
from falter.generation.askable import rules
from falter.generation.scene import ObjectDescription, SceneObject
from falter.world.compose import WorldScene
from falter.world.questions import QuestionSampler, copula
from falter.world.world_data import PEOPLE, load_world_data

_MOST = 3
_PRONOUNS = {"man": "he", "boy": "he", "woman": "she", "girl": "she"}
_STATES = ("mood", "color", "pattern", "opening", "material")
_WEARING = "wearing"
_WORN = ("hat", "scarf", "helmet")
_WORN_BY_ALL = ("shirt", "pants")
_DOING = rules.words("doing-relations", "with clothes")
_FOIL_TRIES = 30


class _Slot(NamedTuple):
    """The kind of a noun, and kinds that could stand there as well."""

    kind: str
    others: tuple[str, ...]


class WorldCaption(NamedTuple):
    """A caption, with the nouns in it by the words that say them."""

    text: str
    nouns: dict[str, _Slot]


class NounFoil(NamedTuple):
    """A caption with one noun replaced, and both nouns."""

    text: str
    word: str
    foil_word: str


def caption_scene(scene: WorldScene, seed: int) -> list[WorldCaption]:
    """Up to three captions; each says of the scene graph what it holds."""
    sampler = QuestionSampler(scene, random.Random(f"captions {seed} {scene.index}"))
    made = {one.text: one for one in (*_two_clauses(sampler), *_groups(sampler))}
    return list(made.values())[:_MOST] or [_plain(sampler)]


def _two_clauses(sampler: QuestionSampler) -> Iterator[WorldCaption]:
    """A man is riding a horse and he is wearing a hat."""
    objects = sampler.world.graph.objects
    found = []
    for one in sampler.things:
        said = [
            (each.name, objects[each.target])
            for each in one.relations
            if sampler.ontology.relations[each.name].relation_class in _DOING
            and not sampler.ontology.is_a(objects[each.target].name, "place")
        ]
        if said:
            found.append((one, said))
    sampler.rng.shuffle(found)
    # What somebody does is told before what he wears.
    found.sort(key=lambda entry: all(name == _WEARING for name, _ in entry[1]))
    for one, said in found[:2]:
        (relation, target), *others = sorted(sampler.rng.sample(said, len(said)), key=lambda each: each[0] == _WEARING)
        subject, thing = sampler.select(one.name), sampler.select(target.name)
        first = f"{sampler.write(subject, 'a')} {copula(subject)} {relation} {sampler.write(thing, 'a')}"
        nouns = {
            sampler.write(subject, "a"): _Slot(subject.kind, _other_agents(relation)),
            sampler.write(thing, "a"): _Slot(thing.kind, _other_patients(relation)),
        }
        second = _second_clause(sampler, one, subject, thing, others, nouns)
        yield WorldCaption(_sentence(first if second is None else f"{first} and {second}"), nouns)


def _second_clause(
    sampler: QuestionSampler,
    one: SceneObject,
    subject: ObjectDescription,
    thing: ObjectDescription,
    others: list[tuple[str, SceneObject]],
    nouns: dict[str, _Slot],
) -> str | None:
    pronoun = _pronoun(sampler, subject)
    if pronoun is None or pronoun == _pronoun(sampler, thing):
        return None
    state = next((word for family in _STATES if (word := sampler.family_word(one, family)) is not None), None)
    if others and (state is None or sampler.rng.random() < 0.6):
        relation, target = others[0]
        words = sampler.write(sampler.select(target.name), "a")
        if words not in nouns:
            nouns[words] = _Slot(target.name, _other_patients(relation))
            return f"{pronoun} {copula(subject)} {relation} {words}"
    if state is None or not sampler.ontology.attributes.is_predicative(state):
        return None
    return f"{pronoun} {copula(subject)} {state}"


def _other_agents(relation: str) -> tuple[str, ...]:
    verb = load_world_data().verbs.get(relation)
    return PEOPLE if verb is None else _by_weight(verb.agents)


def _other_patients(relation: str) -> tuple[str, ...]:
    verb = load_world_data().verbs.get(relation)
    return _WORN if verb is None else _by_weight(verb.patients)


def _by_weight(kinds: Mapping[str, float]) -> tuple[str, ...]:
    """Kinds, as often as the world has them: foils then name them as often as captions."""
    return tuple(kind for kind, weight in kinds.items() for _ in range(max(1, round(weight))))


def _pronoun(sampler: QuestionSampler, description: ObjectDescription) -> str | None:
    if copula(description) == "are":
        return "they"
    kind = description.kind
    return _PRONOUNS.get(kind, None if sampler.ontology.is_a(kind, "person") else "it")


def _groups(sampler: QuestionSampler) -> Iterator[WorldCaption]:
    """There are three dogs and a tree."""
    for group in sampler.world.counted_groups:
        kind = group.kind
        if sampler.number(kind) != "singular" or sampler.counts[kind] != group.count:
            continue
        words = sampler.write(sampler.select(kind, plural=True))
        alone = [one for one in sampler.described if sampler.counts[one.thing.name] == 1 and one.thing.name != kind]
        alone = [one for one in alone if not sampler.ontology.is_unique(one.thing.name)]
        other = sampler.notable_one([one for one in alone if sampler.number(one.thing.name) == "singular"])
        nouns = {words: _Slot(kind, tuple(sampler.likely))}
        text = f"there are {number_to_word(group.count)} {words}"
        if other is not None:
            named = sampler.write(sampler.select(other.thing.name), "a")
            nouns[named] = _Slot(other.thing.name, tuple(sampler.likely))
            text = f"{text} and {named}"
        yield WorldCaption(_sentence(text), nouns)


def _plain(sampler: QuestionSampler) -> WorldCaption:
    kind = sampler.present_kind()
    words = sampler.write(sampler.select(kind, plural=sampler.counts[kind] > 1), "a")
    return WorldCaption(_sentence(words), {words: _Slot(kind, tuple(sampler.likely))})


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def foil_noun(caption: WorldCaption, scene: WorldScene, seed: int) -> NounFoil | None:
    """The caption with a noun replaced by another of its sort that the scene has none of; None where there is none."""
    rng = random.Random(f"foil {seed} {scene.index} {caption.text}")
    sampler = QuestionSampler(scene, rng)
    ontology = sampler.ontology
    for _ in range(_FOIL_TRIES):
        words, (kind, others) = rng.choice(sorted(caption.nouns.items()))
        other = rng.choice(others)
        shared = set(ontology.kinds[kind].parent_names) & set(ontology.kinds[other].parent_names)
        absent = all(ontology.are_disjoint(other, name) for name in sampler.counts)
        same_pronoun = _pronoun(sampler, sampler.select(other)) == _pronoun(sampler, sampler.select(kind))
        same_number = sampler.number(other) == sampler.number(kind)
        if (
            kind in _WORN_BY_ALL
            or ontology.is_unique(other)
            or not (shared and absent and same_pronoun and same_number)
        ):
            continue
        plural = not words.startswith(("a ", "an "))
        said = sampler.write(sampler.select(other, plural=plural), "" if plural else "a")
        lowered = f"{caption.text[0].lower()}{caption.text[1:]}"
        if lowered.count(words) == 1:
            return NounFoil(_sentence(lowered.replace(words, said).removesuffix(".")), kind, other)
    return None


_ORIGINAL = "ORIG"
"""What FOIL it! gives as words of a caption that is no foil."""


class CaptionRecords(NamedTuple):
    """The annotations of one scene for either file."""

    captions: list[dict[str, Any]]
    foils: list[dict[str, Any]]


def caption_records(scene: WorldScene, seed: int) -> CaptionRecords:
    """The captions of a scene, each with a foil where there is one."""
    image = int(scene.image_id)
    records = CaptionRecords([], [])
    for index, caption in enumerate(caption_scene(scene, seed)):
        number = image * 10 + index
        record = {"image_id": image, "id": number, "caption": caption.text}
        records.captions.append(record)
        foil = foil_noun(caption, scene, seed)
        if foil is not None:
            words = {"target_word": _ORIGINAL, "foil_word": _ORIGINAL}
            records.foils.append({**record, **words, "foil": False, "foil_id": number * 10})
            words = {"target_word": foil.word, "foil_word": foil.foil_word}
            records.foils.append({**record, **words, "caption": foil.text, "foil": True, "foil_id": number * 10 + 1})
    return records
