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
    "scene-existence": ".scene_foils.instruments:EXISTENCE",
    "scene-plurality": ".scene_foils.instruments:PLURALITY",
    "scene-counting-balanced": ".scene_foils.instruments:BALANCED",
    "scene-counting-small": ".scene_foils.instruments:SMALL",
    "scene-counting-adversarial": ".scene_foils.instruments:ADVERSARIAL",
    "scene-relations": ".scene_foils.instruments:RELATIONS",
    "scene-attributes": ".scene_foils.instruments:ATTRIBUTES",
    "scene-action-replacement": ".scene_foils.instruments:ACTION_REPLACEMENT",
    "scene-actant-swap": ".scene_foils.instruments:ACTANT_SWAP",
    "scene-binding": ".scene_foils.instruments:BINDING",
    "scene-negation": ".scene_foils.instruments:NEGATION",
    "scene-comparison": ".scene_foils.instruments:COMPARISON",
}
"""By test the module, relative to this folder, that makes its pairs, and the name in it."""


def find_maker(test: str) -> FoilMaker:
    """The maker of a test's pairs."""
    if test not in FOIL_MAKERS:
        raise UsageError(f"no foils can be made for the instrument {test!r}: there are {', '.join(FOIL_MAKERS)}")
    module, _, name = FOIL_MAKERS[test].partition(":")
    found: FoilMaker = getattr(importlib.import_module(f".{module}", _PACKAGE), name)
    return found
