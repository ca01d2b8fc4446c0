"""The makers of foils by the name of their test."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from falter.errors import UsageError
from falter.suites.valse.foiling.context import FoilMaker

__all__ = ["FOIL_MAKERS", "find_maker"]

_PACKAGE = "falter.suites.valse.foiling"

FOIL_MAKERS: Mapping[str, str] = {
    "existence": "existence:EXISTENCE",
    "plurality": "plurality_maker:PLURALITY",
    "counting-balanced": "counting:BALANCED",
    "counting-small": "counting:SMALL",
    "counting-adversarial": "counting:ADVERSARIAL",
    "relations": "relations_maker:RELATIONS",
    "action-replacement": "action_replacement:ACTION_REPLACEMENT",
    "actant-swap": "actant_swap:ACTANT_SWAP",
    "coreference-standard": "coreference:STANDARD",
    "coreference-clean": "coreference:CLEAN",
    "foil-it": "foil_it:FOIL_IT",
}
"""By test the module of this folder that makes its pairs, and the name in it."""


def find_maker(test: str) -> FoilMaker:
    """The maker of a test's pairs."""
    if test not in FOIL_MAKERS:
        raise UsageError(f"no foils can be made for the instrument {test!r}: there are {', '.join(FOIL_MAKERS)}")
    module, _, name = FOIL_MAKERS[test].partition(":")
    found: FoilMaker = getattr(importlib.import_module(f"{_PACKAGE}.{module}"), name)
    return found
