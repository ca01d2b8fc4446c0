"""Intervals that gates use hold the truth in 94 % of simulated samples, and are not much wider than others that do."""

from __future__ import annotations

import intervals as simulation
import pytest

SHORT = [(2, "5", 0.3), (10, "1", 0.0), (10, "20", 0.6), (20, "5", 1.0), (50, "1 to 20", 0.3), (200, "1", 0.0)]
"""Images, questions of each, and their correlation."""


@pytest.mark.parametrize(("images", "size", "correlation"), SHORT)
def test_intervals_of_few_images_hold_the_truth(images: int, size: str, correlation: float) -> None:
    # 1,000 samples: a coverage of 95 % is measured with a standard error of 0.7 points.
    for paired, truths in ((False, (0.5, 0.9, 0.99)), (True, ((0.1, 0), (0.1, 0.05), (0.85, 0.15)))):
        methods = {"exact": simulation.PAIRED["exact"] if paired else simulation.SINGLE["exact"]}
        for truth in truths:
            case = simulation.Case(images, size, correlation, truth)
            found = simulation.simulate(case, methods, 1000, paired=paired)["exact"]
            assert found.coverage >= 0.94, (case, found)
            assert max(found.above, found.below) <= 0.05, (case, found)


def test_the_bootstrap_that_gates_had_does_not() -> None:
    found = simulation.simulate(
        simulation.Case(10, "1", 0.0, 0.9), {"bootstrap": simulation.bootstrap}, 1500, paired=False
    )["bootstrap"]
    # All of ten are right in 35 % of the samples, and the interval is a point.
    assert found.above == pytest.approx(0.9**10, abs=0.03)


def test_an_area_has_an_interval_only_where_it_holds() -> None:
    found = simulation.simulate_areas(20, 0.95, 60)
    assert found["missed"] <= 0.06 < found["bootstrap missed"]


@pytest.mark.soak
def test_all_settings_hold_the_truth_and_are_narrow() -> None:
    images = simulation.IMAGES
    for methods, truths, paired in (
        (simulation.SINGLE, simulation.TRUTHS, False),
        (simulation.PAIRED, simulation.CHANGES, True),
    ):
        found = {
            case: simulation.simulate(case, methods, 2000, paired=paired) for case in simulation.cases(images, truths)
        }
        rows = simulation.sum_up(found, images)
        of_method = {(row["images"], row["method"]): row for row in rows}
        for number in images:
            own = of_method[number, "exact"]
            # The lowest of hundreds of coverages, each with a standard error of half a point.
            assert own["coverage"] >= 0.93, own
            covering = [row["width"] for row in rows if row["images"] == number and row["coverage"] >= 0.94]
            assert number < 20 or own["width"] <= 1.2 * min([own["width"], *covering])
