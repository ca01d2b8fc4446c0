"""The data of the world: environments, verbs, colors and attribute words, read from ``data/*.yaml``.

The composer and every writer read the same data, so that an image, its scene graph and its questions agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.english import Ontology, default_grammar
from falter.files import read_yaml

__all__ = ["PEOPLE", "Environment", "FamilyWords", "PatientPose", "Verb", "WorldData", "load_world_data"]

_DATA = Path(__file__).parent / "data"

PEOPLE = ("man", "woman", "boy", "girl")


class Environment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place where scenes happen, with the weights of the kinds and actions that occur there."""

    name: str
    location: str
    outdoors: bool
    background: tuple[str, ...]
    share: float
    back: dict[str, float]
    front: dict[str, float]
    actions: dict[str, float]
    wall: dict[str, float] = {}
    sky: dict[str, float] = {}
    tables: dict[str, dict[str, float]] = {}
    groups: dict[str, tuple[str, ...]] = {}


class PatientPose(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pose of the patient of an action."""

    pose: str | None = None
    motion: str | None = None
    gesture: str | None = None
    facing: str | None = None
    contents: str | None = None


class Verb(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A verb with two roles and how its action is drawn: see ``data/actions.yaml``."""

    name: str
    agents: dict[str, float]
    patients: dict[str, float]
    layout: str
    tool: dict[str, float] = {}
    pose: str | None = None
    gesture: str | None = None
    motion: str | None = None
    word: str | None = None
    patient: PatientPose = PatientPose()
    gap: tuple[float, float] = (0.0, 0.0)
    holds: bool = False
    on_top: bool = False


class FamilyWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words of one attribute family that the world uses: see ``data/appearance.yaml``."""

    values: tuple[str, ...]
    shown: tuple[str, ...]
    denied: bool = True


class WorldData(NamedTuple):
    """The ontology and everything from ``data/*.yaml``."""

    environments: Mapping[str, Environment]
    verbs: Mapping[str, Verb]
    ontology: Ontology
    colors: Mapping[str, tuple[str, ...]]
    colored: Mapping[str, tuple[str, ...]]
    fixed: Mapping[str, Mapping[str, str]]
    factors: Mapping[str, float]
    families: Mapping[str, FamilyWords]

    def find_family(self, word: str) -> str | None:
        """The family in which the world uses a word; the ontology may have it in others too."""
        return next((name for name, family in self.families.items() if word in family.values), None)


@cache
def load_world_data() -> WorldData:
    """Read the data of the world, once per process."""
    environments = {
        name: msgspec.convert({"name": name, **entry}, Environment, strict=False)
        for name, entry in _read("environments.yaml").items()
    }
    verbs = {
        name: msgspec.convert(_with_people({"name": name, **entry}), Verb, strict=False)
        for name, entry in _read("actions.yaml").items()
    }
    content = _read("appearance.yaml")
    return WorldData(
        environments=environments,
        verbs=verbs,
        ontology=default_grammar().ontology,
        colors={kind: tuple(words) for kind, words in content["colors"].items()},
        colored={kind: tuple(words) for kind, words in content["colored"].items()},
        fixed=content["fixed"],
        factors=_read("frequency_factors.yaml"),
        families=msgspec.convert(content["words"], dict[str, FamilyWords]),
    )


def _read(name: str) -> dict[str, Any]:
    return read_yaml(_DATA / name, dict[str, Any])


def _with_people(entry: dict[str, Any]) -> dict[str, Any]:
    for role in ("agents", "patients"):
        weight = entry[role].pop("people", None)
        if weight is not None:
            entry[role] |= dict.fromkeys(PEOPLE, weight)
    return entry
