"""The published figures of contrast sets agree with each other where they should."""

from __future__ import annotations

import pytest

from falter.evaluation.reporting import Published, published_for
from falter.suites.contrast_sets.generator import wanted_sets

pytestmark = pytest.mark.bundle("contrast-sets")

TESTS = ("side", "color", "near", "or", "relation-object", "relation")
VARIANTS = {
    1: dict(zip(TESTS, (2538, 4654, 382, 1506, 766, 1417), strict=True)),
    3: dict(zip(TESTS, (4927, 10506, 867, 4205, 1314, 1417), strict=True)),
    5: dict(zip(TESTS, (5662, 12498, 1320, 6679, 1392, 1417), strict=True)),
}
"""How many variants Table 9 counts, by the most of one question."""


@pytest.fixture(scope="module")
def published() -> Published:
    found = published_for("contrast-sets")
    assert found is not None
    return found


def values(published: Published, most: int, test: str, system: str) -> dict[str, float]:
    (found,) = [
        row.values
        for row in published.rows
        if (row.test, row.system) == (test, system) and f"max-{most}" in row.belongs_to
    ]
    return found


def weighted(by_test: dict[str, float], sizes: dict[str, int]) -> float:
    return sum(by_test[test] * sizes[test] for test in TESTS) / sum(sizes.values())


@pytest.mark.parametrize(("system", "original", "variants"), [("MAC", 64.9, 51.5), ("LXMERT", 83.9, 67.2)])
def test_table_9_weighted_by_size_gives_table_2(
    published: Published, system: str, original: float, variants: float
) -> None:
    by_test = {test: values(published, 5, test, system) for test in TESTS}
    everything = values(published, 5, "all", system)
    assert (everything["acc_original_once"], everything["acc_perturbed"]) == (original, variants)
    originals = {test: one["acc_original_once"] for test, one in by_test.items()}
    # An original has a variant, so the sizes of at most 1 are those of the originals.
    assert round(weighted(originals, VARIANTS[1]), 1) == original
    assert round(weighted({test: one["acc_perturbed"] for test, one in by_test.items()}, VARIANTS[5]), 1) == variants


@pytest.mark.parametrize("most", [1, 3, 5])
def test_the_last_line_of_table_9_is_the_weighted_mean(published: Published, most: int) -> None:
    for system in ("MAC", "LXMERT"):
        own = {test: values(published, most, test, system)["acc_perturbed"] for test in TESTS}
        assert weighted(own, VARIANTS[most]) == pytest.approx(
            values(published, most, "all", system)["acc_perturbed"], abs=0.52
        )


def test_the_consistency_of_table_4_fits_its_accuracies(published: Published) -> None:
    rows = [values(published, most, "all", "LXMERT") for most in (1, 3, 5)]
    assert [row["set_acc"] for row in rows] == [63.4, 51.1, 46.1]
    assert all(row["set_acc"] < row["acc_perturbed"] for row in rows)
    # With one variant a set is a pair: no more of them are right than the originals and variants together allow.
    assert rows[0]["set_acc"] >= rows[0]["acc_original_once"] + rows[0]["acc_perturbed"] - 100


def test_people_lose_four_points_where_models_lose_thirteen_and_seventeen(published: Published) -> None:
    lost = {}
    for system in ("Human", "MAC", "LXMERT"):
        row = values(published, 5, "all", system)
        lost[system] = row["acc_original_once"] - row["acc_perturbed"]
    assert {system: round(points, 1) for system, points in lost.items()} == {"Human": 4.3, "MAC": 13.4, "LXMERT": 16.7}
    human = published.human_row("all")
    assert human is not None
    assert "kappa 0.679" in human.notes[0].text


def test_the_papers_size_is_its_originals() -> None:
    assert sum(wanted_sets("paper", test) or 0 for test in TESTS) == 11_263
    assert wanted_sets("paper", "compare") is None
