"""Left and right from boxes alone: what COCO's images are asked, checked by the second evaluator."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import falter.generation.english
from falter.data.items import Item
from falter.data.sources import open_source
from falter.data.suite import open_suite
from falter.generation.english import default_grammar
from falter.generation.scene import Box, Scene, SceneGraph, SceneObject
from falter.generation.sources import require_scenes
from tests.suites.brute_force import BruteForce
from tests.suites.made import make_suite

DATA = Path(falter.generation.english.__file__).parent / "data"
IMAGES = 120
ANIMALS, VEHICLES = ("dog", "cat", "horse"), ("car", "bus", "truck", "boat")
CATEGORIES = (*ANIMALS, *VEHICLES, "umbrella", "kite", "bench", "cup", "fork", "person")


def write_coco(folder: Path) -> str:
    """Images with three to six boxes, two of them of animals or of vehicles; every fifth has a crowd too."""
    rng = Random(3)
    categories = [{"id": place, "name": name} for place, name in enumerate(CATEGORIES, start=1)]
    images: list[dict[str, Any]] = []
    boxes: list[dict[str, Any]] = []
    for image in range(1, IMAGES + 1):
        images.append({"id": image, "file_name": f"{image}.jpg", "width": 640, "height": 480})
        alike = rng.choice((ANIMALS, VEHICLES))
        shown = [*rng.sample(alike, 2), *rng.sample([one for one in CATEGORIES if one not in alike], rng.randint(1, 4))]
        for kind in (categories[CATEGORIES.index(name)] for name in shown):
            box = [rng.randint(0, 520), rng.randint(100, 250), rng.randint(30, 120), rng.randint(40, 200)]
            boxes.append({"id": len(boxes), "image_id": image, "category_id": kind["id"], "bbox": box})
        if image % 5 == 0:
            crowd = [rng.randint(0, 300), 100, 200, 200]
            boxes.append(
                {"id": len(boxes), "image_id": image, "category_id": len(CATEGORIES), "bbox": crowd, "iscrowd": 1}
            )
    folder.mkdir()
    (folder / "instances.json").write_text(
        json.dumps({"images": images, "annotations": boxes, "categories": categories, "licenses": []})
    )
    return f"coco:{folder}"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_coco(tmp_path_factory.mktemp("sideways") / "coco")


@pytest.fixture(scope="module")
def related(source: str, tmp_path_factory: pytest.TempPathFactory) -> list[Item]:
    """All items with a relation of a suite about boxes."""
    out = tmp_path_factory.mktemp("sideways suite") / "suite"
    make_suite(source, out, tests=("negation", "ontology", "order"))
    items = [item for probe in open_suite(out).probes() for item in probe.items]
    return [item for item in items if item.facets["form"] == "related"]


def test_boxes_give_questions_about_left_and_right(related: list[Item]) -> None:
    sorts = Counter((item.test, item.gold if item.facets["question"] == "binary" else "choice") for item in related)
    # Annotators looked for a few animals and vehicles, so that no wider kind can be denied.
    assert min(sorts["negation", answer] for answer in ("yes", "no")) >= 20
    assert sorts["order", "choice"] >= 10
    sides = Counter(side for item in related for side in ("to the left of", "to the right of") if side in item.text)
    assert sides.total() == len(related)
    assert min(sides.values()) >= len(related) / 4


def test_the_second_evaluator_agrees(source: str, related: list[Item]) -> None:
    scenes = require_scenes(open_source(source))
    judge = BruteForce(DATA)
    for item in related:
        assert item.image_id is not None
        graph = scenes.scene(item.image_id)
        assert graph is not None
        raw = {
            "width": graph.width,
            "height": graph.height,
            "categories": sorted(graph.categories or ()),
            "objects": {
                thing.id: {"name": thing.name, **thing.box._asdict(), "attributes": [], "relations": []}
                for thing in graph.objects.values()
            },
        }
        assert judge.answer(item.text, raw) == item.gold, item.text


@pytest.mark.parametrize(
    ("dog", "name", "wanted"),
    [
        (Box(0, 0, 10, 10), "car", True),
        (Box(90, 0, 10, 10), "car", False),
        (Box(90, 400, 10, 10), "car", False),
        (Box(0, 400, 10, 10), "car", None),
        (Box(35, 0, 10, 10), "car", None),
        (Box(0, 0, 10, 10), "cars", None),
    ],
)
def test_left_is_settled_only_side_by_side(dog: Box, name: str, wanted: bool | None) -> None:
    things = {
        "dog": SceneObject(id="dog", name="dog", box=dog),
        "car": SceneObject(id="car", name=name, box=Box(40, 0, 40, 40)),
    }
    scene = Scene(SceneGraph(image_id="1", width=100, height=500, objects=things), default_grammar().ontology)
    first, second = scene.objects
    assert scene.holds(first, "to the left of", second) is wanted
    assert scene.holds(second, "to the right of", first) is wanted
