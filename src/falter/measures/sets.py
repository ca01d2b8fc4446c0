"""Measures over whole probes: an original and all its variants as one set."""

from __future__ import annotations

import numpy as np

from falter.measures.cells import Floats, SetCells
from falter.measures.consistency import TIED
from falter.measures.measure import SetRatio

__all__ = ["SET_ACC", "SET_CONS"]


def _kept(cells: SetCells) -> Floats:
    return cells.kept.astype(np.float64)


def _worth_showing(cells: SetCells) -> bool:
    """With one variant a set is a pair, and C-ACC and CONS say the same already."""
    return bool((cells.several | (cells.expects == "each")).any())


SET_ACC = SetRatio(
    name="set_acc",
    title="set ACC",
    meaning=(
        "The share of probes whose original and every variant are answered rightly (what contrast sets call "
        "consistency). A probe with any reply failed, missing or unsupported is left out."
    ),
    part=lambda cells: (cells.kept & cells.all_right).astype(np.float64),
    whole=_kept,
    relevant=_worth_showing,
)

SET_CONS = SetRatio(
    name="set_cons",
    title="set CONS",
    meaning="The share of probes in which every variant's answer stands to the original's as CONS wants it.",
    part=lambda cells: (cells.kept & cells.all_consistent).astype(np.float64),
    whole=_kept,
    relevant=_worth_showing,
    expects=TIED,
)
