"""The agreement that the paper prints, beside what can be counted from the release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.files import read_yaml
from falter.suites.valse.foil_statistics import FoilStatistics
from falter.suites.valse.instruments import INSTRUMENTS

__all__ = ["PrintedAlpha", "correlate_with_validity", "printed_alphas"]

_FILE = Path(__file__).with_name("printed_agreement.yaml")


class PrintedAlpha(NamedTuple):
    """Krippendorff's alpha of one instrument, over all pairs and over the valid ones."""

    all_pairs: float
    valid_pairs: float


class _Printed(msgspec.Struct, forbid_unknown_fields=True):
    source: str
    alpha: dict[str, tuple[float, float]]


def printed_alphas(tests: Mapping[str, FoilStatistics]) -> dict[str, PrintedAlpha]:
    """By test the printed figures; none for a suite that is not the whole release."""
    released = {one.test: one.entries for one in INSTRUMENTS}
    if {test: one.instances for test, one in tests.items()} != released or any(
        one.valid is None for one in tests.values()
    ):
        return {}
    found = read_yaml(_FILE, _Printed)
    return {test: PrintedAlpha(*found.alpha[test]) for test in tests}


def correlate_with_validity(
    tests: Mapping[str, FoilStatistics], alphas: Mapping[str, PrintedAlpha]
) -> tuple[float, float]:
    """Spearman's rank correlation of the share of valid pairs with alpha, over all pairs and over the valid ones."""
    from scipy.stats import spearmanr

    valid = [(tests[test].valid or 0) / tests[test].instances for test in alphas]
    all_pairs, valid_pairs = (
        float(spearmanr(valid, values).statistic) for values in zip(*alphas.values(), strict=True)
    )
    return all_pairs, valid_pairs
