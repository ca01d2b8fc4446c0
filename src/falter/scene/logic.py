"""Three-valued logic: true, false, and None where the annotation cannot tell."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Truth", "all_of", "any_of", "negate"]

Truth = bool | None


def negate(value: Truth) -> Truth:
    """Not: unknown stays unknown."""
    return None if value is None else not value


def all_of(values: Iterable[Truth]) -> Truth:
    """And: one false makes it false, else one unknown makes it unknown."""
    result: Truth = True
    for value in values:
        if value is False:
            return False
        if value is None:
            result = None
    return result


def any_of(values: Iterable[Truth]) -> Truth:
    """Or: one true makes it true, else one unknown makes it unknown."""
    result: Truth = False
    for value in values:
        if value:
            return True
        if value is None:
            result = None
    return result
