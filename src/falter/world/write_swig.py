"""Writes the action of a scene in SWiG's format: a verb, and three frames of noun synsets that mostly agree."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from falter.core.files import read_yaml
from falter.generation.scene import SceneObject
from falter.world.compose import AnnotatedAction, WorldScene
from falter.world.world_data import PEOPLE, load_world_data

_FRAMES = 3
_WIDER = 0.12
"""How often an annotator gives a wider noun."""
_NO_PLACE = 0.1


class _Verb(msgspec.Struct, frozen=True):
    verb: str
    abstract: str

    @property
    def roles(self) -> list[str]:
        """The roles in the order of the abstract."""
        return [word.lower() for word in self.abstract.split() if word.isupper()]


class _Situations(msgspec.Struct, frozen=True):
    verbs: dict[str, _Verb]
    synsets: dict[str, str]


@cache
def _situations() -> _Situations:
    return read_yaml(Path(__file__).parent / "data" / "situations.yaml", _Situations, what="a file of situations")


def situation_space() -> dict[str, Any]:
    """Verbs and nouns in the schema of imSitu's space file."""
    data = _situations()
    verbs = {
        one.verb: {
            "framenet": one.verb.capitalize(),
            "abstract": one.abstract,
            "def": f"what is {relation} something",
            "order": one.roles,
            "roles": {role: {"framenet": role, "def": f"the {role} of {one.verb}"} for role in one.roles},
        }
        for relation, one in data.verbs.items()
    }
    nouns = {synset: {"gloss": [noun], "def": f"what is called {noun}"} for noun, synset in data.synsets.items()}
    return {"verbs": verbs, "nouns": nouns}


def swig_record(scene: WorldScene, seed: int) -> dict[str, Any] | None:
    """The record of a scene, or None where nobody does anything; what two people do comes first."""
    data, objects = _situations(), scene.graph.objects
    fitting = [
        one
        for one in scene.actions
        if one.verb in data.verbs and all(objects[part].name in data.synsets for part in (one.agent, one.patient))
        if not any(_is_alike(one, other, scene) for other in scene.actions)
    ]
    if not fitting:
        return None
    action = min(fitting, key=lambda one: sum(objects[part].name not in PEOPLE for part in (one.agent, one.patient)))
    rng = random.Random(f"swig {seed} {scene.index}")
    verb = data.verbs[action.verb]
    fillers = _fillers(scene, action, verb)
    frames = [{role: _annotate(rng, role, fillers.get(role)) for role in verb.roles} for _ in range(_FRAMES)]
    boxes = {role: _box(None if one is None else objects[one]) for role, one in _parts(action, verb).items()}
    return {"verb": verb.verb, "width": scene.graph.width, "height": scene.graph.height, "bb": boxes, "frames": frames}


def _is_alike(action: AnnotatedAction, other: AnnotatedAction, scene: WorldScene) -> bool:
    """Whether another action has such a patient too: a record has one verb, and must not deny what is there as well."""
    kind = scene.graph.objects[action.patient].name
    return other is not action and kind in (scene.graph.objects[part].name for part in (other.agent, other.patient))


def _parts(action: AnnotatedAction, verb: _Verb) -> dict[str, str | None]:
    """By role the object; that of a place is none."""
    agent, patient, *rest = verb.roles
    return {agent: action.agent, patient: action.patient} | {
        role: action.tool if role == "tool" else None for role in rest
    }


def _fillers(scene: WorldScene, action: AnnotatedAction, verb: _Verb) -> dict[str, str]:
    found = {role: scene.graph.objects[one].name for role, one in _parts(action, verb).items() if one is not None}
    return found | {"place": scene.environment}


def _annotate(rng: random.Random, role: str, kind: str | None) -> str:
    """The synset that an annotator gives; empty where there is none."""
    synsets, chance = _situations().synsets, rng.random()
    if kind is None or kind not in synsets or (role == "place" and chance < _NO_PLACE):
        return ""
    wider = next((top for top in ("person", "animal") if load_world_data().ontology.is_a(kind, top)), "object")
    return synsets[wider if role != "place" and chance < _WIDER else kind]


def _box(thing: SceneObject | None) -> list[int]:
    """The corners of an object; SWiG has -1 where there is none."""
    if thing is None or thing.box is None:
        return [-1, -1, -1, -1]
    box = thing.box
    return [round(box.x), round(box.y), round(box.x + box.w), round(box.y + box.h)]
