"""Attributes that relations tell of: who is sitting on a bench is sitting."""

from __future__ import annotations

from collections.abc import Callable

from falter.english.ontology.attributes import AttributeFamilies

__all__ = ["ToldByRelations"]


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
