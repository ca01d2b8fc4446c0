"""A sized suite comes from many images, and rounding favours no answer, number of choices or place."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from falter.data.items import Item
from falter.data.suite import open_suite
from tests.suites.made import make_suite, raw_graphs, write_graphs

SCENES = 36
SIZE = 25  # odd, so that every test has strata of odd size


@pytest.fixture(scope="module", params=range(3))
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int]:
    """36 scenes, which are others for every seed, and the seed."""
    folder = tmp_path_factory.mktemp("spread")
    return write_graphs(folder / "gqa", raw_graphs(SCENES, seed=4 + request.param)), request.param


@pytest.fixture(scope="module")
def originals(source: tuple[str, int], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Item]]:
    """By test the originals of a small suite."""
    folder = tmp_path_factory.mktemp("sized")
    make_suite(source[0], folder / "suite", size=SIZE, seed=source[1])
    found: dict[str, list[Item]] = {}
    for probe in open_suite(folder / "suite").probes():
        found.setdefault(probe.original.test, []).append(probe.original)
    return found


def test_every_image_is_used_before_one_is_used_often(
    originals: dict[str, list[Item]], source: tuple[str, int], tmp_path: Path
) -> None:
    make_suite(source[0], tmp_path / "whole", seed=source[1])
    usable = {probe.original.image_id for probe in open_suite(tmp_path / "whole").probes()}
    used = {item.image_id for items in originals.values() for item in items}
    assert len(used) >= 0.85 * len(usable)
    for test, items in originals.items():
        # An image gives a yes and a no together, so 25 pairs need 13 images and leave the rest to other tests.
        images = Counter(item.image_id for item in items)
        assert len(images) >= 10, test
        assert max(images.values()) <= 4, test


def test_rounding_favours_nothing(originals: dict[str, list[Item]]) -> None:
    for test, items in originals.items():
        assert SIZE - 2 <= len(items) <= SIZE, test
        answers = Counter(item.facets["answer"] for item in items if item.facets["question"] == "binary")
        assert abs(answers["yes"] - answers["no"]) <= 1, test
        for many in ("2", "3"):
            places = Counter({str(place): 0 for place in range(1, int(many) + 1)})
            places.update(item.facets["place"] for item in items if item.facets.get("choices") == many)
            assert max(places.values()) - min(places.values()) <= 1, (test, many)
        truths: dict[str, Counter[str]] = {}
        for item in items:
            if "truth" in item.facets and item.facets["truth"] not in ("TT", "FF"):
                truths.setdefault(item.facets["logic"], Counter({"TF": 0, "FT": 0}))[item.facets["truth"]] += 1
        assert all(abs(counts["TF"] - counts["FT"]) <= 1 for counts in truths.values()), test


def test_two_and_three_choices_are_as_frequent_where_scenes_have_both(tmp_path: Path) -> None:
    """Each form of a test is rounded by itself, and 100 scenes have enough of either."""
    source = write_graphs(tmp_path / "gqa", raw_graphs(100, seed=6))
    make_suite(source, tmp_path / "suite", tests=("order",), size=SIZE, seed=2)
    counts: dict[str, Counter[str]] = {}
    for probe in open_suite(tmp_path / "suite").probes():
        if probe.original.facets["question"] != "binary":
            counts.setdefault(probe.original.facets["form"], Counter())[probe.original.facets["choices"]] += 1
    assert counts
    assert all(abs(one["2"] - one["3"]) <= 1 for one in counts.values()), counts
