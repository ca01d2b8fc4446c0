"""One flipped bit in any file of a suite, a run or a cache is noticed or changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integrity.attack import TARGETS, count, flips


def check(folder: Path, number: int, seed: int) -> None:
    attempts = flips(folder, number, seed)
    wrong = [one for one in attempts if one.result in ("silent", "crashed")]
    assert not wrong, wrong
    counts = count(attempts)
    assert counts.keys() == TARGETS.keys()
    assert counts["suite"]["noticed"] + counts["complete run"]["noticed"] > number // 3, counts


def test_flipped_bits_are_noticed(tmp_path: Path) -> None:
    check(tmp_path, 60, seed=1)


@pytest.mark.soak
def test_a_thousand_flipped_bits_are_noticed(tmp_path: Path) -> None:
    check(tmp_path, 1000, seed=2)
