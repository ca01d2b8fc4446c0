"""The eleven instruments of VALSE: their names in the release and in the paper, and where they stand in its tables."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["INSTRUMENTS", "Instrument"]


class Instrument(NamedTuple):
    """One instrument; ``file`` is the stem of its released file, ``test`` the name of its test in a suite."""

    file: str
    test: str
    piece: str


INSTRUMENTS = (
    Instrument("existence", "existence", "existence"),
    Instrument("plurals", "plurality", "plurality"),
    # The release calls "hard" what the paper calls balanced, and in coreference what it calls clean.
    Instrument("counting-hard", "counting-balanced", "counting"),
    Instrument("counting-small-quant", "counting-small", "counting"),
    Instrument("counting-adversarial", "counting-adversarial", "counting"),
    Instrument("relations", "relations", "relations"),
    Instrument("action-replacement", "action-replacement", "actions"),
    Instrument("actant-swap", "actant-swap", "actions"),
    Instrument("coreference-standard", "coreference-standard", "coreference"),
    Instrument("coreference-hard", "coreference-clean", "coreference"),
    Instrument("foil-it", "foil-it", "foil-it"),
)
"""In the order of the paper's tables."""
