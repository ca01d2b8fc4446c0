"""How many pairs of each sort of question a test gets."""

from __future__ import annotations

from typing import Literal, NamedTuple

from falter.errors import UsageError

__all__ = ["PAPER_SIZES", "StratumKey", "stratum_sizes"]


class StratumKey(NamedTuple):
    """A question type in one form."""

    type: str
    form: str


_CHOICES = {
    StratumKey("object_choice", "single"): 2500,
    StratumKey("object_choice", "related"): 2500,
    StratumKey("attribute_choice", "single"): 1664,
    StratumKey("attribute_choice", "related"): 2250,
    StratumKey("action_choice", "single"): 248,
    StratumKey("action_choice", "related"): 250,
}
_PAIRS = {
    StratumKey("conjunctive_verification", "single"): 2500,
    StratumKey("disjunctive_verification", "single"): 2500,
}
_OBJECTS = {StratumKey("object_verification", "single"): 2500, StratumKey("object_verification", "related"): 2500}

PAPER_SIZES: dict[str, dict[StratumKey, int]] = {
    "rephrase": {**_OBJECTS, **_PAIRS, **_CHOICES},
    "order": {**_PAIRS, **_CHOICES},
    "negation": {**_OBJECTS, **_PAIRS},
    "ontology": {
        StratumKey("ontology_verification", "single"): 6976,
        StratumKey("ontology_verification", "related"): 6976,
    },
    "antonym": {
        StratumKey("antonym_verification", "single"): 2500,
        StratumKey("antonym_verification", "related"): 2500,
    },
    "visual": {
        **dict.fromkeys((*_OBJECTS, *_PAIRS), 3000),
        StratumKey("attribute_verification", "single"): 3000,
        StratumKey("attribute_verification", "related"): 3000,
        **_CHOICES,
        StratumKey("object_choice", "single"): 1930,
        StratumKey("object_choice", "related"): 1930,
    },
}
"""Table 6 of the paper, with the strata of the released files; how the visual test divides its 8,272 is our guess."""


def stratum_sizes(
    test: str, keys: list[StratumKey], size: int | Literal["paper"] | None
) -> dict[StratumKey, int | None]:
    """Pairs wanted of each sort; None where all that can be made are wanted."""
    if size is None:
        return dict.fromkeys(keys, None)
    if size == "paper":
        if test not in PAPER_SIZES:
            raise UsageError(f"the paper gives no size for the test {test!r}: give a number")
        return {key: PAPER_SIZES[test].get(key._replace(type=key.type.removeprefix("paper_")), 0) for key in keys}
    each, rest = divmod(size, len(keys))
    return {key: each + (place < rest) for place, key in enumerate(keys)}
