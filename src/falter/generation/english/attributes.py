"""Attributes: families, exclusions, implications, their position in a sentence, and which of them a relation implies.

Who is sitting on a bench is sitting.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property

from falter.generation.english.ontology_records import AttributeFamily, Attributes
from falter.generation.scene import TruthValue

_MOST_KNOWN = 4096
"""Sets of attributes of which it is remembered what they imply."""


class AttributeFamilies:
    """The attribute side of an ontology."""

    def __init__(self, records: Attributes) -> None:
        self.families: dict[str, AttributeFamily] = records.families
        self.families_by_value: dict[str, tuple[str, ...]] = {}
        self._opposites: dict[str, dict[str, None]] = {}
        self._overlaps: set[tuple[str, str, str]] = set()
        self._opened: dict[str, set[str]] = {}
        self._implies = records.implies
        self._excluded: dict[tuple[str, str], bool] = {}
        self._closures: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._attributive_only = frozenset(records.attributive_only)
        self._predicative_only = frozenset(records.predicative_only)
        self._doings = frozenset(
            value for family in records.families.values() if family.doing for value in family.values
        )
        pairs = list(records.antonyms)
        for name, family in records.families.items():
            for value in family.values:
                self.families_by_value[value] = (*self.families_by_value.get(value, ()), name)
            self._overlaps.update(
                (name, first, second) for group in family.overlaps for first in group for second in group
            )
            pairs += family.antonyms
            for open_family, values in family.leaves_open.items():
                for value in values:
                    self._opened.setdefault(value, set()).update(records.families[open_family].values)
        for first, second in pairs:
            self._opposites.setdefault(first, {})[second] = None
            self._opposites.setdefault(second, {})[first] = None

    def antonyms(self, value: str) -> tuple[str, ...]:
        """The opposites of a word, in the order of the file."""
        return tuple(self._opposites.get(value, ()))

    def is_attributive(self, value: str) -> bool:
        """Whether it can stand before a noun ("a red cup")."""
        return value not in self._predicative_only

    def is_predicative(self, value: str) -> bool:
        """Whether it can stand after "is" ("the cup is red")."""
        return value not in self._attributive_only

    def is_adjective(self, value: str) -> bool:
        """Whether it can stand after "looks": a cup looks red, but no lamp looks off, and no man looks walking."""
        return self.is_predicative(value) and self.is_attributive(value) and value not in self._doings

    def is_doing(self, value: str) -> bool:
        """Whether it says what somebody does, or how somebody holds the body."""
        return value in self._doings

    def exclude(self, first: str, second: str) -> bool:
        """Whether no object can have both."""
        key = (first, second)
        known = self._excluded.get(key)
        if known is None:
            known = self._excluded[key] = self._look_for_exclusion(first, second)
        return known

    def _look_for_exclusion(self, first: str, second: str) -> bool:
        if first == second or second in self._closure((first,)) or first in self._closure((second,)):
            return False
        if second in self._opposites.get(first, ()):
            return True
        return any(
            self.families[name].exclusive and (name, first, second) not in self._overlaps
            for name in self.families_by_value.get(first, ())
            if name in self.families_by_value.get(second, ())
        )

    def holds(self, attributes: Sequence[str], value: str, complete: Collection[str]) -> TruthValue:
        """Whether an object with these annotated attributes has the value."""
        had, opposites = self._closure(attributes), self._opposites.get(value)
        opposed = opposites is not None and not opposites.keys().isdisjoint(had)
        if value in had:
            return None if opposed else True
        if self._leave_open(attributes, value):
            return None
        # A word that may be said of the same thing leaves it open, whatever its implied words exclude.
        for other in attributes:
            if self.overlap(other, value):
                return None if not self._is_declared(value, complete) else False
        if opposed:
            return False
        for other in had:
            if self.exclude(other, value):
                return False
        return False if self._is_declared(value, complete) else None

    def _leave_open(self, attributes: Sequence[str], value: str) -> bool:
        """Whether one of the attributes says that there may be more such values: a striped thing has a second color."""
        if self._opened.keys().isdisjoint(attributes):
            return False
        return any(value in self._opened[other] for other in attributes if other in self._opened)

    def _is_declared(self, value: str, complete: Collection[str]) -> bool:
        return any(name in complete for name in self.families_by_value.get(value, ()))

    def overlap(self, first: str, second: str) -> bool:
        """Whether two words of one family can apply to the same object."""
        return (first, second) in self._overlapping

    @cached_property
    def _overlapping(self) -> frozenset[tuple[str, str]]:
        by_value = self.families_by_value
        return frozenset(
            (first, second)
            for name, first, second in self._overlaps
            if name in by_value.get(first, ()) and name in by_value.get(second, ())
        )

    def told_by_others(self, attributes: Sequence[str]) -> tuple[str, ...]:
        """What else annotated attributes say for sure: a white shirt is light colored.

        A word counts where it is the only one of its family: what is white and red is neither light nor dark.
        """
        families = [name for value in attributes for name in self.families_by_value.get(value, ())]
        alone = [
            value
            for value in attributes
            if all(families.count(name) == 1 for name in self.families_by_value.get(value, ()))
        ]
        return tuple(other for other in self._closure(alone) if other not in attributes)

    def _closure(self, attributes: Iterable[str]) -> tuple[str, ...]:
        """Some attributes and what they imply; most things have one of few sets of attributes."""
        had = tuple(attributes)
        known = self._closures.get(had)
        if known is None:
            if len(self._closures) >= _MOST_KNOWN:
                self._closures.clear()
            found = list(dict.fromkeys(had))
            for value in found:
                found += [other for other in self._implies.get(value, ()) if other not in found]
            known = self._closures[had] = tuple(found)
        return known


class ToldByRelations(dict[str, str | None]):
    """The attribute that each relation tells of a thing of a kind, or None; worked out when first asked."""

    def __init__(
        self, kind: str | None, attributes: AttributeFamilies, family_applies_to: Callable[[str, str], bool]
    ) -> None:
        super().__init__()
        self._kind = kind
        self._attributes = attributes
        self._applies_to = family_applies_to

    def __missing__(self, relation: str) -> str | None:
        kind, attributes, word = self._kind, self._attributes, relation.partition(" ")[0]
        is_told = kind is not None and any(
            word in attributes.families[family].told_by_relations and self._applies_to(family, kind)
            for family in attributes.families_by_value.get(word, ())
        )
        self[relation] = told = word if is_told else None
        return told
