"""A score: a value with its interval, its count and its signature."""

from __future__ import annotations

import msgspec

__all__ = ["NO_REPLIES", "Group", "Score"]

NO_REPLIES = "no pair was answered"
"""The reason of a score that has no value because nothing was replied."""


class Group(msgspec.Struct, frozen=True, order=True):
    """Which probes a score is about: a test of a suite, whole or where a facet has one value."""

    suite: str
    test: str
    facet: str | None = None
    value: str | None = None


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """One measured value.

    ``value`` is None where there is nothing to measure (no pair was answered), never 0. ``low`` and ``high`` are the
    ends of the 95 % interval. ``n`` counts what the value is a mean over: pairs, items or sets.
    """

    measure: str
    group: Group
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    signature: str = ""
    reason: str | None = None
    """Why there is no value, where there is none."""
