"""Contrast sets as training questions in GQA's native format; LXMERT and MAC need no types."""

from __future__ import annotations

from falter.data.items import Item
from falter.generation.authoring.training_formats import GqaRecords, QuestionTypes
from falter.generation.scene import (
    And,
    AttributeOf,
    Choose,
    Exists,
    HasAttribute,
    IsKind,
    Not,
    OnSide,
    Option,
    Or,
    Query,
    RelationHolds,
    Same,
    SideOf,
    query_from_json,
)

_DENIED = {
    "exist": "existC", "existAttr": "existAttrC", "existRelS": "existRelSC", "existAnd": "existAndC",
    "existOr": "existOrC", "relVerify": "relVerifyCo", "verifyAttr": "verifyAttrC", "verifyAttrs": "verifyAttrsC",
    "twoSame": "twoSameC", "twoDifferent": "twoDifferentC",
}  # fmt: skip
"""GQA's detailed types of questions whose answer is no."""
_RELATION_TESTS = ("relation", "relation-object")


class ContrastSetTraining(GqaRecords):
    """Turns sets into GQA's records, every text once per image."""

    def types(self, item: Item) -> QuestionTypes:
        if item.test in _RELATION_TESTS:
            types: QuestionTypes | None = QuestionTypes("verify", "rel", "relVerify")
        else:
            types = None if item.meaning is None else _types(query_from_json(item.meaning))
        if types is None:
            return super().types(item)
        return types._replace(detailed=_DENIED.get(types.detailed, types.detailed)) if item.gold == "no" else types


def _types(query: Query) -> QuestionTypes | None:
    """What GQA calls a question with this meaning; None where it has no name for it."""
    match query:
        case SideOf():
            return QuestionTypes("query", "attr", "positionQuery")
        case AttributeOf():
            return QuestionTypes("query", "attr", "directOf")
        case RelationHolds():
            return QuestionTypes("verify", "rel", "relVerify")
        case Exists(of=of):
            if of.relation is not None:
                return QuestionTypes("verify", "rel", "existRelS")
            return QuestionTypes("verify", "obj", "existAttr" if of.attributes else "exist")
        case HasAttribute():
            return QuestionTypes("verify", "attr", "verifyAttr")
        case OnSide():
            return QuestionTypes("verify", "attr", "positionVerify")
        case IsKind():
            return QuestionTypes("verify", "cat", "categoryThis")
    return _combined_types(query)


def _combined_types(query: Query) -> QuestionTypes | None:
    match query:
        case And(of=(HasAttribute(), *_)):
            return QuestionTypes("logical", "attr", "verifyAttrs")
        case And():
            return QuestionTypes("logical", "obj", "existAnd")
        case Or():
            return QuestionTypes("logical", "obj", "existOr")
        case Choose(options=(Option(when=RelationHolds() | Exists()), *_)):
            return QuestionTypes("choose", "rel", "relChooser")
        case Choose():
            return QuestionTypes("choose", "attr", "chooseAttr")
        case Same():
            return QuestionTypes("compare", "attr", "twoSame")
        case Not(of=Same()):
            return QuestionTypes("compare", "attr", "twoDifferent")
        case Not(of=denied):
            return _types(denied)
    return None
