"""How many pairs of a test are wanted: a number, as many as the paper has of such a source, or all."""

from __future__ import annotations

from typing import Literal

from falter.reporting.published import published_for

__all__ = ["wanted_pairs"]


def wanted_pairs(size: int | Literal["paper"] | None, source: str, test: str) -> int | None:
    """Pairs of a test; None for as many as the source allows, which is so where the paper has none (Table 5).

    >>> [wanted_pairs(size, "visdial", "color") for size in ("paper", 7, None)]
    [516, 7, None]
    """
    if size != "paper":
        return size
    found = published_for("rad")
    tables = () if found is None else found.extra["coverage"]
    pairs: int | None = next((one.figures.get(test) for one in tables if one.figures["source"] == source), None)
    return pairs
