"""Queries as GQA's functional programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from falter.scene.description import ObjectDescription, Related
from falter.scene.open_query import AttributeOf, NameOf, SceneValue, SideOf
from falter.scene.query import (
    And,
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
    SceneIs,
)

__all__ = ["Step", "query_to_program"]

Step = dict[str, Any]
"""An operation with its argument and the numbers of the steps it works on."""


def query_to_program(query: Query) -> list[Step]:
    """A query as one of GQA's functional programs; empty where GQA has no operation for it.

    ``not`` is our own: GQA asks no negated questions.
    """
    steps: list[Step] = []
    try:
        _add(query, steps)
    except _Inexpressible:
        return []
    return steps


class _Inexpressible(Exception):
    """GQA has no operation for this."""


def _step(steps: list[Step], operation: str, argument: str, *dependencies: int) -> int:
    steps.append({"operation": operation, "dependencies": list(dependencies), "argument": argument})
    return len(steps) - 1


def _select(description: ObjectDescription, steps: list[Step]) -> int:
    if description.relation is None:
        place = _step(steps, "select", f"{description.kind} (-)")
    else:
        place = _relate(description, description.relation, steps)
    return _filter(description, place, steps)


def _filter(description: ObjectDescription, place: int, steps: list[Step]) -> int:
    for value in description.attributes:
        place = _step(steps, "filter", value, place)
    for value in description.without or ():
        place = _step(steps, "filter", f"not({value})", place)
    if description.side:
        axis = "vposition" if description.side in ("top", "bottom") else "hposition"
        place = _step(steps, f"filter {axis}", description.side, place)
    return place


def _relate(description: ObjectDescription, related: Related, steps: list[Step]) -> int:
    role = "o" if related.inverse else "s"
    target = _select(related.to, steps)
    return _step(steps, "relate", f"{description.kind},{related.name},{role} (-)", target)


def _add(query: Query, steps: list[Step]) -> int:
    match query:
        case Exists(of=description):
            return _step(steps, "exist", "?", _select(description, steps))
        case Not(of=Same(of=of, family=family)):
            return _step(steps, *_compared("different", family), *[_select(one, steps) for one in of])
        case Not(of=inner):
            return _step(steps, "not", "", _add(inner, steps))
        case And(of=parts):
            return _step(steps, "and", "", *[_add(part, steps) for part in parts])
        case Or(of=parts):
            return _step(steps, "or", "", *[_add(part, steps) for part in parts])
        case HasAttribute(of=description, value=value):
            return _step(steps, "verify", value, _select(description, steps))
        case IsKind(of=description, kind=kind):
            return _step(steps, "verify name", kind, _select(description, steps))
        case OnSide(of=description, side=side):
            axis = "vposition" if side in ("top", "bottom") else "hposition"
            return _step(steps, f"verify {axis}", side, _select(description, steps))
        case RelationHolds(of=of, relation=relation, to=to):
            return _holds(of, relation, to, steps)
        case Same(of=of, family=family):
            return _step(steps, *_compared("same", family), *[_select(one, steps) for one in of])
        case Choose(options=options):
            return _choose(options, steps)
    return _add_open(query, steps)


def _choose(options: tuple[Option, ...], steps: list[Step]) -> int:
    answers = "|".join(option.answer for option in options)
    match options[0].when:
        case HasAttribute(of=of):
            return _step(steps, "choose", answers, _select(of, steps))
        case IsKind(of=of):
            return _step(steps, "choose name", answers, _select(of, steps))
        case OnSide(of=of, side=side):
            axis = "vposition" if side in ("top", "bottom") else "hposition"
            return _step(steps, f"choose {axis}", answers, _select(of, steps))
        case SceneIs(aspect=aspect):
            return _step(steps, f"choose {aspect}", answers, _step(steps, "select", "scene"))
        case RelationHolds(of=of, to=to) if of.relation is None:
            # As in GQA, the last step knows the thing by its noun alone.
            relations = "|".join(option.when.relation for option in options if isinstance(option.when, RelationHolds))
            return _step(steps, "choose rel", f"{of.kind},{relations},s (-)", _select(to, steps))
    raise _Inexpressible


def _add_open(query: Query, steps: list[Step]) -> int:
    match query:
        case AttributeOf(of=description, families=families):
            return _step(steps, "query", _GQA_FAMILIES.get(families, families[0]), _select(description, steps))
        case SideOf(of=description, axis=axis):
            asked = "hposition" if axis == "horizontal" else "vposition"
            return _step(steps, "query", asked, _select(description, steps))
        case NameOf(of=description):
            return _step(steps, "query", "name", _select(description, steps))
        case SceneValue(aspect=aspect):
            return _step(steps, "query", aspect, _step(steps, "select", "scene"))
        case SceneIs(aspect=aspect, value=value):
            return _step(steps, f"verify {aspect}", value, _step(steps, "select", "scene"))
    raise _Inexpressible


def _holds(of: ObjectDescription, relation: str, to: ObjectDescription, steps: list[Step]) -> int:
    """Whether a relation holds: one of the two is known by its noun alone, or is related and filtered."""
    if of.relation is not None and to.relation is not None:
        raise _Inexpressible
    (one, role), other = ((of, "s"), to) if of.relation is None else ((to, "o"), of)
    argument = f"{one.kind},{relation},{role} (-)"
    place = _select(other, steps)
    if not one.attributes and not one.without and not one.side:
        return _step(steps, "verify rel", argument, place)
    place = _filter(one, _step(steps, "relate", argument, place), steps)
    return _step(steps, "exist", "?", place)


def _compared(how: str, family: str) -> tuple[str, str]:
    return f"{how} {'type' if family == 'name' else _GQA_FAMILIES.get((family,), family)}", ""


_GQA_FAMILIES: Mapping[tuple[str, ...], str] = {
    ("action", "pose", "sport"): "activity",
    ("sport",): "sportActivity",
    ("mood",): "face expression",
    ("build",): "fatness",
    ("origin",): "race",
}
"""GQA's names of attributes that differ from the ontology's families."""
