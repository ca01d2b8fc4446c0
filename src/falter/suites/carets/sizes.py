"""How many pairs of each sort of question a test gets."""

from __future__ import annotations

from typing import Literal, NamedTuple

from falter.errors import UsageError

__all__ = ["PAPER", "Sort", "shares"]


class Sort(NamedTuple):
    """A question type in one form."""

    type: str
    form: str


_CHOICES = {
    Sort("object_choice", "single"): 2500,
    Sort("object_choice", "related"): 2500,
    Sort("attribute_choice", "single"): 1664,
    Sort("attribute_choice", "related"): 2250,
    Sort("action_choice", "single"): 248,
    Sort("action_choice", "related"): 250,
}
_PAIRS = {Sort("conjunctive_verification", "single"): 2500, Sort("disjunctive_verification", "single"): 2500}
_OBJECTS = {Sort("object_verification", "single"): 2500, Sort("object_verification", "related"): 2500}

PAPER: dict[str, dict[Sort, int]] = {
    "rephrase": {**_OBJECTS, **_PAIRS, **_CHOICES},
    "order": {**_PAIRS, **_CHOICES},
    "negation": {**_OBJECTS, **_PAIRS},
    "ontology": {Sort("ontology_verification", "single"): 6976, Sort("ontology_verification", "related"): 6976},
    "antonym": {Sort("antonym_verification", "single"): 2500, Sort("antonym_verification", "related"): 2500},
    "visual": {
        **dict.fromkeys((*_OBJECTS, *_PAIRS), 3000),
        Sort("attribute_verification", "single"): 3000,
        Sort("attribute_verification", "related"): 3000,
        **_CHOICES,
        Sort("object_choice", "single"): 1930,
        Sort("object_choice", "related"): 1930,
    },
}
"""Table 6 of the paper, with the strata of the released files; how the visual test divides its 8,272 is our guess."""


def shares(test: str, sorts: list[Sort], size: int | Literal["paper"] | None) -> dict[Sort, int | None]:
    """Pairs wanted of each sort; None where all that can be made are wanted."""
    if size is None:
        return dict.fromkeys(sorts, None)
    if size == "paper":
        if test not in PAPER:
            raise UsageError(f"the paper gives no size for the test {test!r}: give a number")
        return {sort: PAPER[test].get(sort, 0) for sort in sorts}
    each, rest = divmod(size, len(sorts))
    return {sort: each + (place < rest) for place, sort in enumerate(sorts)}
