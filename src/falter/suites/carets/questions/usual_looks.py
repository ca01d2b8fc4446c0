"""What people see things of a kind in: no purple truck, and no plastic ladder."""

from __future__ import annotations

from collections import Counter

from falter.cooccurrence import ImageCounts
from falter.english import Ontology

__all__ = ["UsualLooks"]

_ENOUGH, _LEAST_SHARE = 20, 0.03
"""How often colors are said of a kind before they tell which are usual, and the share that a usual one has at least."""


class UsualLooks:
    """The colors that are said of kinds, and the materials that are said or listed; each kind is worked out once."""

    def __init__(self, ontology: Ontology, counts: ImageCounts) -> None:
        self._ontology = ontology
        self._colors_said: dict[str, dict[str, int]] = {}
        self._materials_of: dict[str, set[str]] = {}
        self._colors = frozenset(ontology.families["color"].values)
        self._materials = frozenset(ontology.families["material"].values)
        self._usual: dict[str, frozenset[str]] = {}
        for (kind, value), times in counts.attributes.items():
            if value in self._colors:
                self._colors_said.setdefault(kind, {})[value] = times
        for kind, value in (*counts.attributes, *counts.listed):
            if value in self._materials:
                self._materials_of.setdefault(kind, set()).add(value)

    def has(self, kind: str, value: str) -> bool:
        """Whether people see a kind in a color or of a material, or the value is neither.

        Where they say few colors of the kind, the nearest wider kind tells of which they say enough. A kind of which no
        material is known may be of any.
        """
        if value in self._materials:
            known_materials = self._materials_of.get(kind)
            return known_materials is None or value in known_materials
        if value not in self._colors:
            return True
        known = self._usual.get(kind)
        if known is None:
            known = self._usual[kind] = self._find(kind)
        return value in known

    def _find(self, kind: str) -> frozenset[str]:
        below = {wider: (wider, *self._ontology.descendants[wider]) for wider in self._ontology.ancestors(kind)}
        for wider in sorted(below, key=lambda one: (len(below[one]), one)):
            often = Counter[str]()
            for one in below[wider]:
                often.update(self._colors_said.get(one, {}))
            total = often.total()
            if total >= _ENOUGH:
                return frozenset(color for color in self._colors if often[color] >= _LEAST_SHARE * total)
        return self._colors
