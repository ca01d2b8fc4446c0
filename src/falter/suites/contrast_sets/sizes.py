"""How many sets of a test are wanted: a number, as many as the paper has, or all."""

from __future__ import annotations

from typing import Literal

from falter.reporting.published import published_for

__all__ = ["wanted_sets"]


def wanted_sets(size: int | Literal["paper"] | None, test: str) -> int | None:
    """Sets of a test; None for as many as the source allows, which is so where the paper has none (Table 9).

    >>> [wanted_sets(size, test) for size, test in (("paper", "near"), ("paper", "verify"), (7, "near"))]
    [382, None, 7]
    """
    if size != "paper":
        return size
    found = published_for("contrast-sets")
    sizes = {} if found is None else found.extra["sizes"][0].figures
    sets: int | None = sizes.get(test)
    return sets
