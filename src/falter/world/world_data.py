"""The data of the world: environments, verbs, colors, words and the forms of questions, read from ``data/*.yaml``.

The composer and every writer read the same data, so that an image, its scene graph and its questions agree. The surface
forms of the world's GQA questions are in ``data/question_forms.yaml``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from falter.core.files import read_yaml
from falter.generation.english import Ontology, default_grammar

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


NounShape = Literal["the", "that", "clause", "owned", "owned-that", "placed", "he", "him", "a", "bare"]
"""How a noun phrase refers to a thing, or speaks of some thing."""

_FILE = Path(__file__).parent / "data" / "question_forms.yaml"
_PLACEHOLDER = re.compile(r"\{([a-z-]+)(?: ([a-z]))?\}")
_AGREEMENT = {"is": ("is", "are"), "does": ("does", "do"), "has": ("has", "have")}


class SurfaceForm(msgspec.Struct, frozen=True, dict=True):
    """A sentence with placeholders, of which every ``{np x}`` has got a shape."""

    text: str

    @cached_property
    def shapes(self) -> Mapping[str, str]:
        """The shape of the noun phrase that stands for each thing."""
        return {slot: word for word, slot in _PLACEHOLDER.findall(self.text) if slot and word not in _AGREEMENT}

    def with_shapes(self, choose: Callable[[], str]) -> SurfaceForm:
        """The form with a shape for every ``{np x}``."""
        return SurfaceForm(re.sub(r"\{np ", lambda _: f"{{{choose()} ", self.text))

    def write(self, phrases: Mapping[str, str], plural: Mapping[str, bool], relation: str = "") -> str:
        """The sentence, with a capital letter first."""

        def fill(found: re.Match[str]) -> str:
            word, slot = found[1], found[2]
            if slot is None:
                return relation
            return _AGREEMENT[word][plural[slot]] if word in _AGREEMENT else phrases[slot]

        text = _PLACEHOLDER.sub(fill, self.text)
        return text[:1].upper() + text[1:]


class _ByNumber(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    singular: tuple[str, ...]
    plural: tuple[str, ...]


class QuestionForms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The forms of each question, and how often a noun phrase takes each shape."""

    shapes: dict[str, float]
    side: tuple[str, ...]
    color: tuple[str, ...]
    either: _ByNumber
    near: _ByNumber
    position: tuple[str, ...]

    def pick(self, forms: tuple[str, ...], rng: random.Random) -> SurfaceForm:
        """One of the forms, with shapes for its noun phrases."""
        names, weights = list(self.shapes), list(self.shapes.values())
        return SurfaceForm(rng.choice(forms)).with_shapes(lambda: rng.choices(names, weights)[0])


@cache
def question_forms() -> QuestionForms:
    """The forms, read once per process."""
    return read_yaml(_FILE, QuestionForms, what="surface forms of questions")
