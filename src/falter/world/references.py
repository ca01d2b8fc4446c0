"""How questions refer to the objects of a scene: by noun, attribute, clause, owner, place or pronoun."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from typing import NamedTuple

from msgspec.structs import replace

from falter.generation.askable import rules
from falter.generation.askable.placement import SIDES
from falter.generation.scene import ObjectDescription, Related, SceneObject
from falter.world.questions import DescribedObject, ProgramStep, QuestionSampler, copula
from falter.world.world_data import load_world_data

_SAID = rules.words("said-in-references")
_HELD = ("holding", "wearing", "riding", "pushing", "pulling", "petting", "feeding", "hugging", "reading")
_NEAR = rules.words("asked-near")
_PLACES = (*SIDES, *rules.words("opposites", "depth"), *_NEAR)
_ONE_OF_A_KIND = rules.words("one-of-a-kind")
_PRONOUNS = {"man": ("he", "him"), "woman": ("she", "her")}
_SEXES = (frozenset({"man", "boy"}), frozenset({"woman", "girl"}))
_ATTRIBUTE = 0.3
"""How often a thing gets an attribute that it does not need."""


class NearPair(NamedTuple):
    """An object that is near another."""

    subject: SceneObject
    target: str


class ReferringSampler(QuestionSampler):
    """Samples what noun phrases of each shape refer to."""

    @cached_property
    def near(self) -> list[NearPair]:
        """The objects that are near others, with the others' ids."""
        return [
            NearPair(thing, relation.target)
            for thing in self.things
            for relation in thing.relations
            if relation.name in _NEAR
        ]

    def of_shape(self, shape: str) -> list[DescribedObject]:
        """The objects to which a noun phrase of this shape refers."""
        match shape:
            case "that":
                return [one for one in self.described if len(self.write(one.description).split()) == 1]
            case "the":
                return self._attributed if self.rng.random() < _ATTRIBUTE else self.described
            case "clause":
                return self._attributed
            case "owned" | "owned-that":
                return self._owned
            case "placed":
                return self._placed
        return self._persons

    def refer(self, one: DescribedObject, shape: str) -> str:
        """The noun phrase of this shape."""
        description = one.description
        plain = replace(description, attributes=(), relation=None)
        verb = copula(description)
        match shape:
            case "that":
                return f"{'those' if verb == 'are' else 'that'} {self.write(description)}"
            case "clause":
                *before, said = description.attributes
                made = "made of " if load_world_data().find_family(said) == "material" else ""
                return f"{self.write(replace(plain, attributes=tuple(before)), 'the')} that {verb} {made}{said}"
            case "he" | "him":
                return _PRONOUNS[description.kind][shape == "him"]
        if description.relation is None:
            return self.write(description, "the")
        related = description.relation
        words, target = self.write(plain, "the"), self.write(related.to, "the")
        if shape == "placed":
            return f"{words} that {verb} {related.name} {target}"
        link = " that" if shape == "owned-that" else ""
        return f"{words}{link} {target} {copula(related.to)} {related.name}"

    def _picks(self, thing: SceneObject, description: ObjectDescription) -> bool:
        found = self.scene.resolve(replace(description, definite=True))
        return found is not None and len(found) == 1 and found[0] is thing

    @cached_property
    def _attributed(self) -> list[DescribedObject]:
        find_family = load_world_data().find_family
        return [
            DescribedObject(thing, description)
            for thing in self.things
            for word in thing.attributes
            if find_family(word) in _SAID and self._picks(thing, description := self.select(thing.name, word))
        ]

    @cached_property
    def _persons(self) -> list[DescribedObject]:
        names = [thing.name for thing in self.things]
        return [
            one
            for one in self.described
            if not one.description.attributes
            and any(one.thing.name in sex and sum(name in sex for name in names) == 1 for sex in _SEXES)
            and one.thing.name in _PRONOUNS
        ]

    @cached_property
    def _owned(self) -> list[DescribedObject]:
        return list(self._related(_HELD, inverse=True))

    @cached_property
    def _placed(self) -> list[DescribedObject]:
        return list(self._related(_PLACES, inverse=False))

    def _related(self, names: tuple[str, ...], *, inverse: bool) -> Iterator[DescribedObject]:
        """The objects that are told by a relation of another, or to another."""
        by_id = {one.thing.id: one for one in self.described}
        for subject in self.things:
            for relation in subject.relations:
                thing, other = (relation.target, subject.id) if inverse else (subject.id, relation.target)
                owner = by_id.get(other)
                if relation.name not in names or owner is None:
                    continue
                one = self.world.graph.objects[thing]
                related = (
                    Related(relation.name, owner.definite(), inverse=True)
                    if inverse
                    else Related(relation.name, owner.definite())
                )
                description = self.select(one.name, relation=related)
                if one.name != owner.thing.name and self._picks(one, description):
                    yield DescribedObject(one, description)


def program_of(sampler: ReferringSampler, one: DescribedObject) -> tuple[ProgramStep, ...]:
    """The program steps that select a described object, by its owner or place where it is told by it."""
    kind, number = one.thing.name, one.thing.id
    related = one.description.relation
    if related is None:
        steps = [ProgramStep("select", f"{kind} ({number})")]
    else:
        found = sampler.scene.resolve(related.to)
        assert found is not None  # the description picks out one object
        steps = [*program_of(sampler, DescribedObject(found[0], related.to))]
        role = "o" if related.inverse else "s"
        steps.append(ProgramStep("relate", f"{kind},{related.name},{role} ({number})", (len(steps) - 1,)))
    for word in one.description.attributes:
        steps.append(ProgramStep("filter", word, (len(steps) - 1,)))
    return tuple(steps)


def mentions_of(sampler: ReferringSampler, *described: DescribedObject) -> tuple[tuple[str, str], ...]:
    """The phrases that refer to objects, with the objects' ids."""
    return tuple((sampler.write(replace(one.description, relation=None)), one.thing.id) for one in described)


def is_plural(description: ObjectDescription) -> bool:
    """Whether a noun phrase is in the plural."""
    return description.number == "plural"


@cache
def _off_the_ground() -> frozenset[str]:
    """Kinds that hang or fly: nobody asks what is beside or behind them."""
    environments = load_world_data().environments.values()
    return frozenset(kind for one in environments for kind in (*one.sky, *one.wall))


def stands(kind: str) -> bool:
    """Whether things of a kind stand on the ground, where others are near them, behind them or in front of them."""
    return kind not in _off_the_ground()


def can_be_asked_for(sampler: ReferringSampler, part: ObjectDescription, *, plural: bool) -> bool:
    """Whether somebody would ask for some such thing in this number: nobody asks for suns or a floor."""
    if part.kind in _ONE_OF_A_KIND or sampler.ontology.is_a(part.kind, "place"):
        return False
    return part.number == ("plural" if plural else "singular")


def says_noun(one: DescribedObject, kind: str) -> bool:
    """Whether a noun phrase says this noun."""
    related = one.description.relation
    return one.thing.name == kind or (related is not None and related.to.kind == kind)
