"""Arguments of questions: descriptions of what is there, and plausible descriptions of what is not."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from falter.english import Ontology
from falter.scene import Number, Related, Scene, SceneObject, Selection
from falter.suites.carets.habits import Habits, speakable

__all__ = ["Form", "false_things", "true_things"]

Form = str
"""``single`` or ``related``."""

_ABSENT_KINDS = 24
_TARGETS = 6
_PLURAL_SHARE = 0.3
_ATTRIBUTE_SHARE = 0.5


def true_things(scene: Scene, form: Form, ontology: Ontology, rng: Random) -> list[Selection]:
    """Descriptions taken from the scene, in a drawn order; whether they hold for sure, the scene says when asked."""
    make = _true_related if form == "related" else _true_single
    found = list(dict.fromkeys(make(scene, ontology)))
    rng.shuffle(found)
    return found


def false_things(scene: Scene, form: Form, ontology: Ontology, habits: Habits, rng: Random) -> list[Selection]:
    """Plausible descriptions of what is not there, in a drawn order; the scene has the last word on each."""
    make = _false_related if form == "related" else _false_single
    found = list(dict.fromkeys(make(scene, ontology, habits, rng)))
    rng.shuffle(found)
    return found


def _plain(thing: SceneObject, ontology: Ontology) -> Selection | None:
    lexeme = ontology.lexeme(thing.name)
    return None if lexeme is None else Selection(lexeme[0], number=lexeme[1])


def _known_attributes(thing: SceneObject, kind: str, ontology: Ontology) -> list[str]:
    return [value for value in thing.attributes if speakable(value, kind, ontology)]


def _true_single(scene: Scene, ontology: Ontology) -> Iterator[Selection]:
    counts: dict[str, int] = {}
    for thing in scene.objects:
        plain = _plain(thing, ontology)
        if plain is None:
            continue
        counts[plain.kind] = counts.get(plain.kind, 0) + 1
        yield plain
        for value in _known_attributes(thing, plain.kind, ontology):
            yield Selection(plain.kind, (value,), None, plain.number)
            if plain.number == "singular":
                yield Selection(plain.kind, (value,), None, "plural")
    for kind, count in counts.items():
        if count >= 2 and ontology.kinds[kind].number == "count":
            yield Selection(kind, number="plural")


def _true_related(scene: Scene, ontology: Ontology) -> Iterator[Selection]:
    for thing in scene.objects:
        plain = _plain(thing, ontology)
        if plain is None:
            continue
        for relation in thing.relations:
            target = scene.graph.objects[relation.target]
            for described in _targets(target, relation.name, ontology):
                if _same(plain, described):
                    continue
                # Plurals too, or "are there any ..." would always be answered with no.
                numbers: tuple[Number, ...] = ("singular", "plural") if plain.number == "singular" else (plain.number,)
                for number in numbers:
                    related = Related(relation.name, described)
                    yield Selection(plain.kind, (), related, number)
                    for value in _known_attributes(thing, plain.kind, ontology):
                        yield Selection(plain.kind, (value,), related, number)


def _targets(target: SceneObject, relation: str, ontology: Ontology) -> Iterator[Selection]:
    record = ontology.relations.get(relation)
    plain = _plain(target, ontology)
    if record is not None and plain is not None:
        yield Selection(plain.kind, (), None, plain.number, definite=record.definite)


def _same(thing: Selection, target: Selection) -> bool:
    # "a dog near the dog" sounds as if there were two, and as if there were one.
    return target.definite and target.kind == thing.kind


def _numbers(kind: str, ontology: Ontology, rng: Random) -> Selection:
    record = ontology.kinds[kind]
    if record.number != "count":
        return Selection(kind, number="mass" if record.number == "mass" else "plural")
    plural = not record.sole and rng.random() < _PLURAL_SHARE
    return Selection(kind, number="plural" if plural else "singular")


def _false_single(scene: Scene, ontology: Ontology, habits: Habits, rng: Random) -> Iterator[Selection]:
    for kind in _absent(scene, ontology, habits, rng):
        plain = _numbers(kind, ontology, rng)
        yield plain
        values = habits.usual_attributes.get(kind, ())
        if values and rng.random() < _ATTRIBUTE_SHARE:
            yield Selection(kind, (rng.choice(values),), None, plain.number)
    for thing in scene.objects:
        present = _plain(thing, ontology)
        if present is None:
            continue
        for value in habits.usual_attributes.get(present.kind, ()):
            if value not in thing.attributes:
                yield Selection(present.kind, (value,), None, present.number)


def _false_related(scene: Scene, ontology: Ontology, habits: Habits, rng: Random) -> Iterator[Selection]:
    here: dict[str, list[SceneObject]] = {}
    for thing in scene.objects:
        lexeme = ontology.lexeme(thing.name)
        if lexeme is not None:
            here.setdefault(lexeme[0], []).append(thing)
    subjects = [*_absent(scene, ontology, habits, rng), *sorted(here)]
    for kind in subjects:
        pairs = sorted(pair for pair in habits.relations.get(kind, ()) if pair[1] in here)
        for name, target_kind in rng.sample(pairs, min(_TARGETS, len(pairs))):
            plain = _numbers(kind, ontology, rng) if kind not in here else _plain(here[kind][0], ontology)
            if plain is None:
                continue
            for described in _targets(here[target_kind][0], name, ontology):
                if _same(plain, described):
                    continue
                yield Selection(kind, (), Related(name, described), plain.number)
                values = habits.usual_attributes.get(kind, ())
                if values and rng.random() < _ATTRIBUTE_SHARE:
                    yield Selection(kind, (rng.choice(values),), Related(name, described), plain.number)


def _absent(scene: Scene, ontology: Ontology, habits: Habits, rng: Random) -> list[str]:
    present = {lexeme[0] for name in scene.names if (lexeme := ontology.lexeme(name)) is not None}
    return habits.absent_kinds(present, _ABSENT_KINDS, rng)
