"""CARETS questions in GQA's native format, so that a GQA loader takes them beside GQA's own."""

from __future__ import annotations

from falter.data.items import YES_NO, Item
from falter.generation.authoring.training_formats import GqaRecords, QuestionTypes

_TYPES = {
    "object_verification": ("verify", "obj"),
    "conjunctive_verification": ("logical", "obj"),
    "disjunctive_verification": ("logical", "obj"),
    "attribute_verification": ("verify", "attr"),
    "object_choice": ("choose", "cat"),
    "attribute_choice": ("choose", "attr"),
    "action_choice": ("choose", "attr"),
}
"""What GQA calls the structure and the subject of each type of question."""


class GqaTraining(GqaRecords):
    """Turns probes into GQA's records, every text once per image."""

    def types(self, item: Item) -> QuestionTypes:
        kind = item.facets.get("type", item.test)
        structural, semantic = _TYPES.get(kind, ("verify" if item.choices == YES_NO else "choose", "attr"))
        if structural == "verify" and item.facets.get("form") == "related":
            semantic = "rel"
        return QuestionTypes(structural, semantic, kind)
