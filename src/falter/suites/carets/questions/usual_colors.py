"""Which colors people see things of a kind in: no purple truck."""

from __future__ import annotations

from collections import Counter

from falter.cooccurrence import ImageCounts
from falter.english import Ontology

__all__ = ["UsualColors"]

_ENOUGH, _LEAST_SHARE = 20, 0.03
"""How often colors are said of a kind before they tell which are usual, and the share that a usual one has at least."""


class UsualColors:
    """The colors that are said of kinds; each kind is worked out once."""

    def __init__(self, ontology: Ontology, counts: ImageCounts) -> None:
        self._ontology = ontology
        self._said: dict[str, dict[str, int]] = {}
        self._colors = frozenset(ontology.families["color"].values)
        self._usual: dict[str, frozenset[str]] = {}
        for (kind, value), times in counts.attributes.items():
            if value in self._colors:
                self._said.setdefault(kind, {})[value] = times

    def has(self, kind: str, value: str) -> bool:
        """Whether people see a kind in a color, or the value is no color.

        Where they say little of the kind, the nearest wider kind tells of which they say enough.
        """
        known = self._usual.get(kind)
        if known is None:
            known = self._usual[kind] = self._find(kind)
        return value in known or value not in self._colors

    def _find(self, kind: str) -> frozenset[str]:
        below = {wider: (wider, *self._ontology.descendants[wider]) for wider in self._ontology.ancestors(kind)}
        for wider in sorted(below, key=lambda one: (len(below[one]), one)):
            often = Counter[str]()
            for one in below[wider]:
                often.update(self._said.get(one, {}))
            total = often.total()
            if total >= _ENOUGH:
                return frozenset(color for color in self._colors if often[color] >= _LEAST_SHARE * total)
        return self._colors
