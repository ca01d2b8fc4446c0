"""Three-valued logic: true, false, and None where the annotation cannot tell."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["TruthValue", "conjunction", "disjunction", "negate"]

TruthValue = bool | None


def negate(value: TruthValue) -> TruthValue:
    """Not: unknown stays unknown."""
    return None if value is None else not value


def conjunction(values: Iterable[TruthValue]) -> TruthValue:
    """And: one false makes it false, else one unknown makes it unknown."""
    result: TruthValue = True
    for value in values:
        if value is False:
            return False
        if value is None:
            result = None
    return result


def disjunction(values: Iterable[TruthValue]) -> TruthValue:
    """Or: one true makes it true, else one unknown makes it unknown."""
    result: TruthValue = False
    for value in values:
        if value:
            return True
        if value is None:
            result = None
    return result
