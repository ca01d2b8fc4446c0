"""A test that stays thin says why, with counts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from falter.data.suite import open_suite
from tests.cli.commands import falter
from tests.suites.made import make_suite, write_graphs


def thing(name: str, x: int, *attributes: str) -> dict[str, Any]:
    return {"name": name, "x": x, "y": 10, "w": 70, "h": 60, "attributes": list(attributes), "relations": []}


def graphs() -> dict[str, dict[str, Any]]:
    """Eight images with a brown dog, two cats of which one is large, a plain horse; one has a large dog."""
    return {
        str(image): {
            "width": 400,
            "height": 100,
            "objects": {
                "1": thing("dog", 0, "large" if image == 0 else "brown"),
                "2": thing("cat", 100, "large"),
                "3": thing("cat", 200),
                "4": thing("horse", 300),
            },
        }
        for image in range(8)
    }


def test_causes_are_counted_by_test_and_type(tmp_path: Path) -> None:
    source = write_graphs(tmp_path / "gqa", graphs())
    counts = make_suite(source, tmp_path / "suite", tests=("antonym", "negation")).counts
    assert counts["tests"]["antonym"]["probes"] >= 2
    assert counts["scarce"]["antonym"] == {
        "antonym_verification": {
            "objects have no attribute": 16,
            "objects have no attribute with an opposite": 7,
            "objects are not named uniquely": 8,
            "objects are named without a relation": 1,
        }
    }
    # A dog, a cat and a horse tell of no place: nothing could as well be with them.
    absent = "images have nothing that surely is not there"
    related = f"{absent} in a relation to something named uniquely"
    assert counts["scarce"]["negation"] == {
        "conjunctive_verification": {absent: 8},
        "disjunctive_verification": {absent: 8},
        "object_verification": {absent: 8, related: 8},
    }


def test_the_command_prints_the_commonest_and_with_verbose_all(tmp_path: Path) -> None:
    source = write_graphs(tmp_path / "gqa", graphs())
    options = ("--images", "none", "--test", "antonym", "--size", "50", "--out", tmp_path / "suite")
    done = falter("generate", "carets", "--from", source, *options)
    assert done.returncode == 0
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("antonym: ")]
    assert line.endswith(" pairs")
    causes = [line.strip() for line in done.stderr.splitlines() if line.startswith("  antonym: ")]
    assert causes == ["antonym: 16 objects have no attribute"]
    assert "more than these scenes can carry" not in done.stderr
    verbose = falter("generate", "carets", "--from", source, *options, "--overwrite", "--verbose")
    assert [line.strip() for line in verbose.stderr.splitlines() if line.startswith("  antonym: ")] == [
        *causes,
        "antonym: 8 objects are not named uniquely",
        "antonym: 7 objects have no attribute with an opposite",
        "antonym: 1 object is named without a relation",
    ]


def test_what_few_images_have_is_asked_more_than_once_of_them(tmp_path: Path) -> None:
    found = graphs()
    # One image alone has colors to choose from: those of four things.
    for image in found.values():
        street = ("car", "truck", "traffic light")
        image["objects"] = {str(place): thing(name, 100 * place) for place, name in enumerate(street)}
    found["0"]["objects"] = {
        str(place): thing(name, 100 * place, color)
        for place, (name, color) in enumerate([("dog", "brown"), ("bus", "red"), ("car", "blue"), ("bench", "green")])
    }
    make_suite(write_graphs(tmp_path / "gqa", found), tmp_path / "suite", tests=("order",))
    asked = [probe.original for probe in open_suite(tmp_path / "suite").probes()]
    colors = [item for item in asked if (item.facets["type"], item.facets["form"]) == ("attribute_choice", "single")]
    assert len({item.gold for item in colors}) >= 3
    assert len({(item.meaning, item.facets["place"]) for item in colors}) == len(colors)
    most = max(Counter((item.facets["type"], item.facets["form"]) for item in asked).values())
    assert len(colors) <= most
