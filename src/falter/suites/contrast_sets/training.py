"""Contrast sets as training questions in GQA's native format; LXMERT and MAC need no types."""

from __future__ import annotations

from falter.exporting.training_records import GqaRecords, QuestionTypes
from falter.probes import Item

__all__ = ["ContrastSetTraining"]

_TYPES = {
    "side": QuestionTypes("query", "attr", "positionQuery"),
    "color": QuestionTypes("query", "attr", "directOf"),
    "near": QuestionTypes("verify", "rel", "existRelS"),
    "or": QuestionTypes("logical", "obj", "existOr"),
    "relation-object": QuestionTypes("verify", "rel", "relVerify"),
    "relation": QuestionTypes("verify", "rel", "relVerify"),
}
"""What GQA calls the questions of each test."""
_DENIED = {"existRelS": "existRelSC", "existOr": "existOrC", "relVerify": "relVerifyCo"}
"""GQA's detailed types of questions whose answer is no."""


class ContrastSetTraining(GqaRecords):
    """Turns sets into GQA's records, every text once per image."""

    def types(self, item: Item) -> QuestionTypes:
        types = _TYPES.get(item.test)
        if types is None:
            return super().types(item)
        return types._replace(detailed=_DENIED[types.detailed]) if item.gold == "no" else types
