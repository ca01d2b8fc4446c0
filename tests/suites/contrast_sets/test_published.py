"""The published figures of contrast sets agree with each other where they should."""

from __future__ import annotations

from typing import Any

import pytest

from falter.reporting import Published, published_for
from falter.suites.contrast_sets.sizes import wanted_sets

pytestmark = pytest.mark.bundle("contrast-sets")

TESTS = ("side", "color", "near", "or", "relation-object", "relation")


@pytest.fixture(scope="module")
def published() -> Published:
    found = published_for("contrast-sets")
    assert found is not None
    return found


def weighted(values: dict[str, float], sizes: dict[str, int]) -> float:
    return sum(values[test] * sizes[test] for test in TESTS) / sum(sizes.values())


@pytest.mark.parametrize(("system", "original", "variants"), [("MAC", 64.9, 51.5), ("LXMERT", 83.9, 67.2)])
def test_table_9_weighted_by_size_gives_table_2(
    published: Published, system: str, original: float, variants: float
) -> None:
    limits: dict[str, dict[str, Any]] = published.extra["by_most_variants"]
    rows = {test: published.row(test, system) for test in (*TESTS, "all")}
    by_test = {test: row.values for test, row in rows.items() if row is not None}
    assert by_test["all"]["acc_original_once"] == original
    assert by_test["all"]["acc_perturbed"] == variants
    originals = {test: by_test[test]["acc_original_once"] for test in TESTS}
    # An original has a variant, so the sizes of at most 1 are those of the originals.
    assert round(weighted(originals, limits["1"]["sizes"]), 1) == original
    assert round(weighted(limits["5"][system], limits["5"]["sizes"]), 1) == variants
    assert limits["5"][system] == {test: by_test[test]["acc_perturbed"] for test in TESTS}


@pytest.mark.parametrize("limit", ["1", "3", "5"])
def test_the_last_line_of_table_9_is_the_weighted_mean(published: Published, limit: str) -> None:
    own: dict[str, Any] = published.extra["by_most_variants"][limit]
    assert sum(own["sizes"].values()) == own["all"]["size"]
    for system in ("MAC", "LXMERT"):
        # MAC's 51.5 of at most 5 is printed as 52.
        assert weighted(own[system], own["sizes"]) == pytest.approx(own["all"][system], abs=0.52)


def test_the_consistency_of_table_4_fits_its_accuracies(published: Published) -> None:
    limits, sets = published.extra["by_most_variants"], published.extra["consistency"]
    before = 100.0
    for limit, row in sets.items():
        assert (row["variants"], row["acc"]) == (limits[limit]["all"]["size"], limits[limit]["all"]["LXMERT"])
        assert row["consistency"] < min(before, row["acc"])
        before = row["consistency"]
    everything = published.row("all", "LXMERT")
    assert everything is not None
    assert everything.values["set_acc"] == sets["5"]["consistency"]
    # With one variant a set is a pair: no more of them are right than the originals and variants together allow.
    assert sets["1"]["consistency"] >= everything.values["acc_original_once"] + sets["1"]["acc"] - 100


def test_people_lose_four_points_where_models_lose_thirteen_and_seventeen(published: Published) -> None:
    lost = {}
    for system in ("Human", "MAC", "LXMERT"):
        row = published.row("all", system)
        assert row is not None
        lost[system] = row.values["acc_original_once"] - row.values["acc_perturbed"]
    assert {system: round(points, 1) for system, points in lost.items()} == {"Human": 4.3, "MAC": 13.4, "LXMERT": 16.7}
    assert published.human_row("all") is not None


def test_the_sizes_that_contradict_each_other_are_stored_as_printed(published: Published) -> None:
    told, limits = published.extra["validation"], published.extra["by_most_variants"]
    sums = {limit: sum(told[limit].values()) for limit in limits}
    assert sums["1"] == 11_195
    assert sums["5"] == 29_675
    assert told["variants"]["1"] == 12_962
    assert sum(published.extra["training"]["variants_by_test"].values()) == 80_267


def test_the_papers_size_is_its_originals() -> None:
    assert sum(wanted_sets("paper", test) or 0 for test in TESTS) == 11_263
    assert wanted_sets("paper", "compare") is None
