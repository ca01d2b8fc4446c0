"""Queries as GQA's functional programs."""

from __future__ import annotations

from typing import Any

from falter.scene.description import ObjectDescription, Related
from falter.scene.query import And, Choose, Exists, HasAttribute, IsKind, Not, Option, Or, Query

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
    for value in description.attributes:
        place = _step(steps, "filter", value, place)
    return place


def _relate(description: ObjectDescription, related: Related, steps: list[Step]) -> int:
    target = _select(related.to, steps)
    return _step(steps, "relate", f"{description.kind},{related.name},s (-)", target)


def _add(query: Query, steps: list[Step]) -> int:
    match query:
        case Exists(of=description):
            return _step(steps, "exist", "?", _select(description, steps))
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
        case Choose(options=(Option(when=HasAttribute() | IsKind() as first), *_) as options):
            argument = "|".join(option.answer for option in options)
            operation = "choose name" if isinstance(first, IsKind) else "choose"
            return _step(steps, operation, argument, _select(first.of, steps))
    raise _Inexpressible
