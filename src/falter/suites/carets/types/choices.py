"""Which of several kinds, values or activities is the right one?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from random import Random

from falter.english import Ontology
from falter.scene import SceneObject
from falter.suites.balance import Weighted
from falter.suites.carets.candidates import Candidate, Cells
from falter.suites.carets.references import plain
from falter.suites.carets.types.attributes import named_otherwise
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
    first = tuple(f"of {right} and {other}" for other in others if right < other)
    last = tuple(f"of {other} and {right}" for other in others if other < right)
    return (
        (len(others), (f"choice:{right}",)),
        (1, (f"group:{group}", f"answer:{right}", *first)),
        (-1, (*(f"choice:{other}" for other in others), *last)),
    )


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
        habits, ontology = material.habits, material.english.ontology
        named = plain(thing, ontology)
        if named is None or named.number != "singular":
            return
        for above in ontology.asked_above(named.kind):
            if ontology.kinds[above].number != "count":
                continue
            found = material.references(thing, above, form, bare=False)
            if not found:
                continue
            for many in (2, 3):
                pool = habits.kinds_below(above, rng)
                wrong = _exclusive(named.kind, pool, many - 1, ontology.apart)
                if wrong is None:
                    continue
                for reference in rng.sample(found, min(_REFERENCES, len(found))):
                    yield Candidate(
                        {"x": reference, "c": (named.kind, *wrong)},
                        named.kind,
                        _weighted(named.kind, wrong, above),
                        {"choices": str(many), "class": above},
                    )


@lru_cache(maxsize=8)
def _families_but_actions(ontology: Ontology) -> tuple[str, ...]:
    return tuple(name for name, family in ontology.families.items() if family.asked and name not in _ACTIONS)


class AttributeChoice(_Choice):
    """A value of a family, against others of the family that exclude it."""

    name = templates = "attribute_choice"

    def families(self, ontology: Ontology) -> tuple[str, ...]:
        """The families that are asked about."""
        return _families_but_actions(ontology)

    def questions(self, thing: SceneObject, form: str, material: Material, rng: Random) -> Iterator[Candidate]:
        habits, ontology = material.habits, material.english.ontology
        words = ontology.attributes
        named = plain(thing, ontology)
        if named is None:
            return
        own = {family for value in thing.attributes for family in words.families_of.get(value, ())}
        for family in [one for one in self.families(ontology) if one in own] if own else ():
            record = ontology.families[family]
            had = [value for value in thing.attributes if value in record.values]
            if len(had) != 1 or not record.exclusive or not ontology.family_suits(family, named.kind):
                continue
            if not self._fits(had[0], family, ontology):
                continue
            for many in (2, 3):
                pool = habits.values_of(family, named.kind, rng)
                usual = [value for value in pool if self._fits(value, family, ontology)]
                wrong = _exclusive(had[0], usual, many - 1, words.exclude)
                if wrong is None:
                    continue
                found = material.references(thing, named.kind, form)
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

    def families(self, ontology: Ontology) -> tuple[str, ...]:
        return tuple(name for name in _ACTIONS if name in ontology.families)

    def _fits(self, value: str, family: str, ontology: Ontology) -> bool:  # noqa: ARG002
        return value.split(maxsplit=1)[0].endswith("ing")
