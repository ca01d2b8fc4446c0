"""Does the thing have the attribute? Also with attributes that have an opposite, for the antonym test."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random

import msgspec

from falter.data.items import YES_NO
from falter.generation.askable import rules
from falter.generation.askable.likeness import names_a_value
from falter.generation.authoring.question_builder import features_of, for_answer
from falter.generation.english import Ontology
from falter.generation.scene import ObjectDescription, SceneObject
from falter.suites.carets.questions.draws import sample, shuffle
from falter.suites.carets.questions.protocol import NO_ATTRIBUTE, Candidate, Cells, SceneInputs
from falter.suites.carets.questions.referring_expressions import plain

_SOMEBODY = "person"
_ANYWHERE = rules.group("done-anywhere")
_KEPT = 20
_REFERENCES = 3


@lru_cache(maxsize=16384)
def askable(value: str, kind: str, ontology: Ontology) -> bool:
    """Whether "is the KIND VALUE?" is a question that people ask."""
    words = ontology.attributes
    return words.is_predicative(value) and any(
        ontology.families[family].askable and ontology.family_applies_to(family, kind)
        for family in words.families_by_value.get(value, ())
    )


@lru_cache(maxsize=16384)
def named_otherwise(selection: ObjectDescription, family: str, ontology: Ontology) -> bool:
    """Whether a description gives nothing away about a family of attributes ("is the red cup red?").

    A relation or a noun can tell as much as an attribute: who is "sitting on the bench" need not be asked for the pose,
    nor the surfer for the sport.
    """
    told = list(selection.attributes)
    words = selection.kind.split()
    if selection.relation is not None:
        if ontology.families[family].doing:
            relation = ontology.relations[selection.relation.name].relation_class
            # Who follows somebody does not sleep: what one does to another tells of the rest that one does.
            if relation == "action" or (
                relation == "holding" and selection.relation.to.kind in _used(family, ontology)
            ):
                return False
        told += selection.relation.name.split()
        words += selection.relation.to.kind.split()
    families = (family, *ontology.families[family].told_by)
    if any(other in families for value in told for other in ontology.attributes.families_by_value.get(value, ())):
        return False
    return not any(names_a_value(word, family, ontology) for word in (*words, *told))


@lru_cache(maxsize=64)
def _used(family: str, ontology: Ontology) -> frozenset[str]:
    """The kinds that somebody holds to do one of a family of things: who holds a book reads."""
    doings = ontology.families[family].values
    used = {
        one
        for name, relation in ontology.relations.items()
        if name.split()[0] in doings and _SOMEBODY in relation.subjects
        for one in relation.objects
        if one not in _ANYWHERE
    }
    return frozenset(kind for kind in ontology.kinds if not used.isdisjoint(ontology.ancestors(kind)))


class AttributeVerification:
    """An attribute that the thing has, or another of the same family."""

    name = "attribute_verification"
    templates = "attribute_verification"
    forms: tuple[str, ...] = ("single", "related")
    balance_groups: tuple[tuple[str, ...], ...] = (YES_NO,)
    without = "objects have no attribute that is asked for"

    def values(self, thing: SceneObject, kind: str, inputs: SceneInputs) -> Iterator[tuple[str, str]]:
        """Values to ask about, with the answer that each should have."""
        ontology = inputs.grammar.ontology
        for value in thing.attributes:
            if not askable(value, kind, ontology):
                continue
            yield value, "yes"
            for other, _ in inputs.habits.values.deniable(kind):
                if askable(other, kind, ontology) and ontology.attributes.exclude(value, other):
                    yield other, "no"

    def candidates(self, inputs: SceneInputs, form: str, rng: Random) -> Cells:
        scene = inputs.scene
        ontology = inputs.grammar.ontology
        cells: dict[str, list[Candidate]] = {"yes": [], "no": []}
        for thing in scene.objects:
            named = plain(thing, ontology)
            if named is None:
                continue
            values = list(dict.fromkeys(self.values(thing, named.kind, inputs)))
            if not values:
                inputs.causes[self.without if thing.attributes else NO_ATTRIBUTE] += 1
                continue
            found = inputs.references(thing, named.kind, form)
            if not found:
                inputs.causes[inputs.no_reference(thing, named.kind, form)] += 1
            for reference in sample(found, _REFERENCES, rng):
                for value, answer in values:
                    if all(
                        named_otherwise(reference, family, ontology)
                        for family in ontology.attributes.families_by_value[value]
                    ):
                        cells[answer].append(self._candidate(reference, value, answer, inputs))
        for candidates in cells.values():
            shuffle(candidates, rng)
            del candidates[_KEPT:]
        return dict(cells)

    def _candidate(self, reference: ObjectDescription, value: str, answer: str, inputs: SceneInputs) -> Candidate:
        asked = (f"value:{value}", f"value:{value} {reference.kind}")
        features = for_answer(answer, features_of(reference), asked, inputs.usual_value(reference.kind, value))
        return Candidate({"x": reference, "p": value}, answer, features, {"value": value}, leaking_features=asked)


class AntonymVerification(AttributeVerification):
    """An attribute with an opposite: one that the thing has, or the opposite of one that it has."""

    name = "antonym_verification"
    without = "objects have no attribute with an opposite"

    def values(self, thing: SceneObject, kind: str, inputs: SceneInputs) -> Iterator[tuple[str, str]]:
        # Where all is annotated, there are opposites enough without what colors tell.
        exact = "objects" in inputs.scene.graph.complete
        yield from _opposites(thing.attributes, kind, inputs.grammar.ontology, with_told=not exact)

    def _candidate(self, reference: ObjectDescription, value: str, answer: str, inputs: SceneInputs) -> Candidate:
        found = super()._candidate(reference, value, answer, inputs)
        family = _family_of_opposites(value, reference.kind, inputs.grammar.ontology)
        facets = {**found.facets, "class": family}
        return msgspec.structs.replace(found, facets=facets, balance_keys=(f"class {family}",))


@lru_cache(maxsize=16384)
def _opposites(
    attributes: tuple[str, ...], kind: str, ontology: Ontology, *, with_told: bool
) -> tuple[tuple[str, str], ...]:
    """Values of a thing that have opposites, and these, with the answer that each has."""
    words = ontology.attributes
    told = _told(attributes, ontology) if with_told else ()
    return tuple(
        asked
        for value in (*attributes, *told)
        for opposite in words.antonyms(value)
        if askable(value, kind, ontology) and askable(opposite, kind, ontology)
        for asked in ((value, "yes"), (opposite, "no"))
    )


def _told(attributes: tuple[str, ...], ontology: Ontology) -> tuple[str, ...]:
    """What a color tells of a thing: a white shirt is light colored; of a striped one nobody can say."""
    has_pattern = any(value in ontology.families["pattern"].values for value in attributes)
    return () if has_pattern else ontology.attributes.told_by_others(attributes)


@lru_cache(maxsize=8192)
def _family_of_opposites(value: str, kind: str, ontology: Ontology) -> str:
    """The family in which a value has its opposite, of such a thing: a short man is of the height, short hair not."""
    families = ontology.attributes.families_by_value[value]
    opposites = ontology.attributes.antonyms(value)
    fitting = (
        name
        for name in families
        if ontology.family_applies_to(name, kind) and any(one in ontology.families[name].values for one in opposites)
    )
    return next(fitting, families[0])
