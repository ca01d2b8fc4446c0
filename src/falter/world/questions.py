"""Questions about a scene: what they are made of, and a question of GQA with its answer and program.

Descriptions of objects, absent kinds, words and answers are sampled. Every yes or no is the scene's answer to a query;
nothing here decides what is true.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

import msgspec

from falter.generation.askable import rules
from falter.generation.english import default_grammar
from falter.generation.scene import ObjectDescription, Query, Related, Scene, SceneObject
from falter.world.compose import WorldScene
from falter.world.world_data import PEOPLE, load_world_data

T = TypeVar("T")

_USUAL_CLOTHES = rules.words("usual-clothes", "seldom picked in the world")
_WEIGHT_OF_CLOTHES = rules.number("usual-clothes-weight")
_PLAIN_FAMILIES = ("color", "material", "pattern", "size", "pose", "mood", "shape", "opening", "length", "light")


class DescribedObject(NamedTuple):
    """An object of the scene and a description that applies to it alone."""

    thing: SceneObject
    description: ObjectDescription

    def definite(self) -> ObjectDescription:
        """The description with "the"."""
        return msgspec.structs.replace(self.description, definite=True)


class QuestionSampler:
    """Samples questions about one scene with one random stream."""

    def __init__(self, scene: WorldScene, rng: random.Random) -> None:
        self.world = scene
        self.rng = rng
        self.grammar = default_grammar()
        self.ontology = self.grammar.ontology
        self.scene = Scene(scene.graph, self.ontology)
        self.environment = load_world_data().environments[scene.environment]

    def answer(self, query: Query) -> str | None:
        """The scene's answer."""
        return query.answer(self.scene)

    @cached_property
    def things(self) -> list[SceneObject]:
        """All annotated objects but places such as the sky."""
        return [thing for thing in self.scene.objects if not self.ontology.is_a(thing.name, "place")]

    @cached_property
    def agents(self) -> dict[tuple[str, str], list[SceneObject]]:
        """The subjects of each relation, by the relation's name and the object's id."""
        agents: dict[tuple[str, str], list[SceneObject]] = {}
        for thing in self.things:
            for relation in thing.relations:
                agents.setdefault((relation.name, relation.target), []).append(thing)
        return agents

    @cached_property
    def patients(self) -> dict[tuple[str, str], list[str]]:
        """The object ids of each relation, by the subject's id and the relation's name."""
        patients: dict[tuple[str, str], list[str]] = {}
        for thing in self.things:
            for relation in thing.relations:
                patients.setdefault((thing.id, relation.name), []).append(relation.target)
        return patients

    @cached_property
    def counts(self) -> Counter[str]:
        """Number of objects by name."""
        return Counter(thing.name for thing in self.scene.objects)

    @cached_property
    def likely(self) -> list[str]:
        """Kinds that occur in this environment."""
        return _environment_kinds(self.environment.name)

    def number(self, kind: str) -> str:
        """Whether a kind's name is singular, plural or mass by itself."""
        return self.ontology.grammatical_number(kind)

    def select(
        self, kind: str, *attributes: str, plural: bool = False, relation: Related | None = None
    ) -> ObjectDescription:
        """Describe objects of a kind, in a number that the noun allows."""
        number = self.ontology.grammatical_number(kind)
        if plural and number == "singular":
            number = "plural"
        return ObjectDescription(kind, attributes, relation, number)

    def write(self, description: ObjectDescription, determiner: str = "") -> str:
        """A description in words."""
        return self.grammar.phrases.render(description, determiner)  # type: ignore[arg-type]

    def the(self, described: DescribedObject) -> str:
        """A description with "the"."""
        return self.write(described.description, "the")

    @cached_property
    def described(self) -> list[DescribedObject]:
        """The objects that a short description identifies."""
        found: list[DescribedObject] = []
        for thing in self.things:
            for attributes in ((), *((word,) for word in self._distinctive(thing))):
                description = self.select(thing.name, *attributes)
                resolved = self.scene.resolve(msgspec.structs.replace(description, definite=True))
                if resolved is not None and len(resolved) == 1 and resolved[0] is thing:
                    found.append(DescribedObject(thing, description))
                    break
        return found

    def _distinctive(self, thing: SceneObject) -> list[str]:
        find_family = load_world_data().find_family
        return [word for word in thing.attributes if find_family(word) in ("color", "size", "pattern")][:2]

    def absent_kind(self, among: Sequence[str] = ("thing",)) -> str:
        """An absent kind, mostly one that occurs in such environments."""
        rng = self.rng
        pool = self.likely if rng.random() < 0.75 else _environment_kinds(None)
        if among != ("thing",):
            pool = [kind for kind in pool if any(self.ontology.is_a(kind, top) for top in among)] or pool
        return rng.choice([kind for kind in pool if kind not in self.counts] or pool)

    def present_kind(self) -> str:
        """A kind that is present; clothes, which nearly everybody wears, are chosen rarely."""
        names = sorted(self.counts)
        return self.rng.choices(names, [_notice(name) for name in names])[0]

    def notable(self, things: Sequence[SceneObject]) -> SceneObject | None:
        """One of several objects, rarely a piece of clothing."""
        return self.rng.choices(things, [_notice(thing.name) for thing in things])[0] if things else None

    def notable_one(self, described: Sequence[DescribedObject]) -> DescribedObject | None:
        """One of several described objects, rarely a piece of clothing."""
        return self.rng.choices(described, [_notice(one.thing.name) for one in described])[0] if described else None

    def family_word(self, thing: SceneObject, family: str) -> str | None:
        """The word of a family that an object has, where it has exactly one."""
        values = load_world_data().families[family].values
        words = [word for word in thing.attributes if word in values]
        return words[0] if len(words) == 1 else None

    def other_word(self, family: str, *besides: str) -> str:
        """Another word of the family that the world uses."""
        usual = [word for word in load_world_data().families[family].values if word not in besides]
        return self.rng.choice(usual)

    def word_families(self, thing: SceneObject) -> list[str]:
        """The families of which an object has exactly one word."""
        return [family for family in _PLAIN_FAMILIES if self.family_word(thing, family) is not None]

    def pick(self, options: Sequence[T]) -> T | None:
        """One of several, or none of none."""
        return self.rng.choice(options) if options else None


def _notice(name: str) -> float:
    return _WEIGHT_OF_CLOTHES if name in _USUAL_CLOTHES else 1.0


_MET: dict[str | None, list[str]] = {}


def _environment_kinds(environment: str | None) -> list[str]:
    """The kinds that occur in an environment, or in any; more frequent ones are listed more often."""
    if environment not in _MET:
        environments = load_world_data().environments
        chosen = environments.values() if environment is None else [environments[environment]]
        kinds: list[str] = []
        for each in chosen:
            for weights in (each.back, each.front, each.wall, each.sky, *each.tables.values()):
                kinds += [kind for kind, weight in weights.items() for _ in range(min(3, round(weight)))]
            kinds += [*each.tables, *PEOPLE]
        _MET[environment] = kinds
    return _MET[environment]


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
