"""Which of several kinds, values or activities is the right one?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from random import Random

from falter.english import Ontology
from falter.scene import SceneObject, Selection
from falter.suites.balance import Weighted
from falter.suites.carets.candidates import Candidate, Cells
from falter.suites.carets.references import plain, references
from falter.suites.carets.types.attributes import named_otherwise
from falter.suites.carets.types.existence import asked_above
from falter.suites.carets.types.protocol import Material

__all__ = ["ActionChoice", "AttributeChoice", "ObjectChoice"]

Excludes = Callable[[str, str], bool]

_KEPT = 12
_REFERENCES = 2
_ACTIONS = ("action", "pose", "sport")


def _weighted(right: str, wrong: Iterable[str], group: str) -> Weighted:
    """A right choice lifts, a wrong one lowers, so that none is right more often than its share.

    The group and the answer always lift: what was asked often is asked less.
    """
    others = tuple(wrong)
    features = [(f"choice:{right}", len(others)), (f"group:{group}", 1), (f"answer:{right}", 1)]
    features += [(f"choice:{other}", -1) for other in others]
    for other in others:
        low, high = sorted((right, other))
        features.append((f"of {low} and {high}", 1 if right == low else -1))
    return tuple(features)


def _exclusive(right: str, pool: Iterable[str], many: int, excludes: Excludes) -> tuple[str, ...] | None:
    """So many others that exclude the right one and each other."""
    chosen: list[str] = []
    for other in pool:
        if other != right and all(excludes(other, one) for one in (right, *chosen)):
            chosen.append(other)
            if len(chosen) == many:
                return tuple(chosen)
    return None


class _Choice(ABC):
    """Two or three choices by turns; the place of the right one goes round."""

    name = ""
    templates = ""
    forms: tuple[str, ...] = ("single", "related")
    turns: tuple[tuple[str, ...], ...] = (("2",), ("3",))

    @abstractmethod
    def questions(self, thing: SceneObject, form: str, material: Material, rng: Random) -> Iterator[Candidate]:
        """What may be asked about one thing."""

    def candidates(self, material: Material, form: str, rng: Random) -> Cells:
        cells: Cells = {"2": [], "3": []}
        for thing in material.scene.objects:
            for candidate in self.questions(thing, form, material, rng):
                cells[candidate.facets["choices"]].append(candidate)
        for candidates in cells.values():
            rng.shuffle(candidates)
            del candidates[_KEPT:]
        return cells


class ObjectChoice(_Choice):
    """A thing called by a wider kind with an attribute or a relation; the choices are kinds of that kind."""

    name = templates = "object_choice"

    def questions(self, thing: SceneObject, form: str, material: Material, rng: Random) -> Iterator[Candidate]:
        scene, habits = material.scene, material.habits
        ontology = material.english.ontology
        named = plain(thing, ontology)
        if named is None or named.number != "singular":
            return
        for above in asked_above(named.kind, ontology):
            if ontology.kinds[above].number != "count":
                continue
            found = list(references(thing, above, form, scene, ontology, bare=False))
            if not found:
                continue
            for many in (2, 3):
                pool = habits.kinds_below(above, rng)
                wrong = _exclusive(named.kind, pool, many - 1, _kinds_exclude(ontology))
                if wrong is None:
                    continue
                for reference in rng.sample(found, min(_REFERENCES, len(found))):
                    yield Candidate(
                        {"x": reference, "c": (named.kind, *wrong)},
                        named.kind,
                        _weighted(named.kind, wrong, above),
                        {"choices": str(many), "class": above},
                    )


def _kinds_exclude(ontology: Ontology) -> Excludes:
    def exclude(first: str, second: str) -> bool:
        return ontology.kind_of(first, second) is False and ontology.kind_of(second, first) is False

    return exclude


class AttributeChoice(_Choice):
    """A value of a family, against others of the family that exclude it."""

    name = templates = "attribute_choice"

    def families(self, ontology: Ontology) -> list[str]:
        """The families that are asked about."""
        return [name for name, family in ontology.families.items() if family.asked and name not in _ACTIONS]

    def questions(self, thing: SceneObject, form: str, material: Material, rng: Random) -> Iterator[Candidate]:
        scene, habits = material.scene, material.habits
        ontology = material.english.ontology
        words = ontology.attributes
        named = plain(thing, ontology)
        if named is None:
            return
        found: list[Selection] | None = None
        for family in self.families(ontology):
            record = ontology.families[family]
            had = [value for value in thing.attributes if value in record.values]
            if len(had) != 1 or not record.exclusive or not ontology.family_suits(family, named.kind):
                continue
            if found is None:
                found = list(references(thing, named.kind, form, scene, ontology))
            if not self._fits(had[0], family, ontology):
                continue
            for many in (2, 3):
                pool = habits.values_of(family, named.kind, rng)
                usual = [value for value in pool if self._fits(value, family, ontology)]
                wrong = _exclusive(had[0], usual, many - 1, words.exclude)
                if wrong is None:
                    continue
                fitting = [one for one in found if named_otherwise(one, family, ontology)]
                for reference in rng.sample(fitting, min(_REFERENCES, len(fitting))):
                    yield Candidate(
                        {"x": reference, "c": (had[0], *wrong), "f": family},
                        had[0],
                        _weighted(had[0], wrong, family),
                        {"choices": str(many), "class": family},
                    )

    def _fits(self, value: str, family: str, ontology: Ontology) -> bool:
        return ontology.families[family].label is not None or ontology.attributes.stands_after(value)


class ActionChoice(AttributeChoice):
    """What somebody is doing, against other things that they might."""

    name = templates = "action_choice"

    def families(self, ontology: Ontology) -> list[str]:
        return [name for name in _ACTIONS if name in ontology.families]

    def _fits(self, value: str, family: str, ontology: Ontology) -> bool:  # noqa: ARG002
        return value.split(maxsplit=1)[0].endswith("ing")
