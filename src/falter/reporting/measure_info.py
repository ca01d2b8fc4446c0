"""What the report says of a measure: its title, description, scale and direction."""

from __future__ import annotations

from falter.measures import find_measure
from falter.reporting.figures import Scale

__all__ = [
    "has_best",
    "higher_is_better",
    "is_headline",
    "measure_description",
    "measure_scale",
    "measure_title",
]


_WON_BY_ONE_ANSWER = frozenset(("cons", "cons_strict", "set_cons", "p_c", "p_f"))
"""Measures on which a model that always gives the same answer can be the best: their best value is not marked."""


def measure_title(name: str) -> str:
    """How a measure is headed."""
    measure = find_measure(name)
    return name if measure is None else measure.title


def measure_description(name: str) -> str:
    """What a measure says."""
    measure = find_measure(name)
    return "" if measure is None else measure.description


def measure_scale(name: str) -> Scale:
    """Whether values are shares, differences of shares, plain numbers or counts."""
    measure = find_measure(name)
    return "share" if measure is None else measure.scale


def higher_is_better(name: str) -> bool | None:
    """Which end of a measure is the better one; None where neither is."""
    measure = find_measure(name)
    return None if measure is None else measure.higher_is_better


def is_headline(name: str) -> bool:
    """Whether a measure is in the report's first tables."""
    measure = find_measure(name)
    return measure is not None and measure.headline


def has_best(name: str) -> bool:
    """Whether the best value of a measure is the best model: it has a better end that needs correct answers."""
    return higher_is_better(name) is not None and name not in _WON_BY_ONE_ANSWER
