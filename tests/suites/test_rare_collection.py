"""The search for unreachable objects is rarer while a suite is made, and as before afterwards."""

from __future__ import annotations

import gc

import pytest

from falter.generation.authoring.generator import rare_collection


@pytest.mark.parametrize(("before", "within"), [(700, 1_000_000), (2_000_000, 2_000_000), (0, 0)])
def test_the_threshold_is_raised_and_put_back(before: int, within: int) -> None:
    usual = gc.get_threshold()
    gc.set_threshold(before, 10, 10)
    try:
        with pytest.raises(ZeroDivisionError), rare_collection():
            assert gc.get_threshold()[0] == within
            raise ZeroDivisionError
        assert gc.get_threshold() == (before, 10, 10)
    finally:
        gc.set_threshold(*usual)
