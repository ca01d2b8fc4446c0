"""COCO's instances are read as scene graphs, and broken files are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import InputError, UsageError
from falter.data.sources import open_source
from falter.generation.english import default_grammar
from falter.generation.scene import Box, Exists, ObjectDescription, Scene
from falter.generation.sources.coco import CocoSource

INSTANCES: dict[str, Any] = {
    "info": {"year": 2017},
    "categories": [
        {"id": 1, "name": "person", "supercategory": "person"},
        {"id": 74, "name": "mouse", "supercategory": "electronic"},
        {"id": 35, "name": "skis", "supercategory": "sports"},
    ],
    "images": [
        {"id": 9, "file_name": "000000000009.jpg", "width": 100, "height": 80},
        {"id": 25, "file_name": "000000000025.jpg", "width": 50, "height": 50},
    ],
    "annotations": [
        {"id": 1, "image_id": 9, "category_id": 1, "bbox": [90, 10, 30, 20], "iscrowd": 0, "segmentation": [[1, 2]]},
        {
            "id": 2,
            "image_id": 9,
            "category_id": 1,
            "bbox": [0, 0, 50, 20],
            "iscrowd": 1,
            "segmentation": {"counts": []},
        },
        {"id": 3, "image_id": 9, "category_id": 74, "bbox": [5, 5, 5, 5], "iscrowd": 0},
        {"id": 4, "image_id": 9, "category_id": 35, "bbox": [15, 5, 5, 5], "iscrowd": 1},
    ],
}


def write(folder: Path, record: Any) -> CocoSource:
    path = folder / "instances_val2017.json"
    path.write_text(record if isinstance(record, str) else json.dumps(record))
    (folder / "images").mkdir(exist_ok=True)
    source = open_source(f"coco:{folder}")
    assert isinstance(source, CocoSource)
    return source


def test_boxes_become_things_in_a_scene(tmp_path: Path) -> None:
    source = write(tmp_path, INSTANCES)
    assert list(source.image_ids()) == ["9", "25"]
    graph = source.scene("9")
    assert graph is not None
    assert [thing.name for thing in graph.objects.values()] == ["person", "people", "computer mouse", "skis"]
    assert graph.objects["1"].box == Box(90, 10, 10, 20)
    empty = source.scene("25")
    assert empty is not None
    assert not empty.objects
    assert source.scene("10") is None


def test_images_are_found_by_the_name_in_the_file_and_never_outside_the_folder(tmp_path: Path) -> None:
    record = {
        **INSTANCES,
        "images": [*INSTANCES["images"], {"id": 3, "file_name": "../a.jpg", "width": 5, "height": 5}],
    }
    (tmp_path / "a.jpg").write_bytes(b"x")
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "000000000009.jpg").write_bytes(b"x")
    source = write(tmp_path, record)
    assert source.image_path("9") == tmp_path / "images" / "000000000009.jpg"
    assert source.image_path("25") is None
    assert source.image_path("3") is None
    assert source.image_path("no number") is None


def test_boxes_that_cannot_be_used_are_counted(tmp_path: Path) -> None:
    bad = [
        {"id": 5, "image_id": 7, "category_id": 1, "bbox": [1, 1, 5, 5]},
        {"id": 6, "image_id": 9, "category_id": 500, "bbox": [1, 1, 5, 5]},
        {"id": 7, "image_id": 9, "category_id": 1, "bbox": [1, 1, 0, 5]},
    ]
    source = write(tmp_path, {**INSTANCES, "annotations": INSTANCES["annotations"] + bad})
    assert source.problems == {
        "box of an unlisted image": 1,
        "box of an unlisted category": 1,
        "box of no size or outside the image": 1,
    }
    graph = source.scene("9")
    assert graph is not None
    assert set(graph.objects) == {"1", "2", "3", "4"}


def test_boxes_of_two_categories_on_one_thing_are_one_thing_of_their_common_kind(tmp_path: Path) -> None:
    names = {1: "person", 3: "car", 8: "truck", 62: "chair", 51: "bowl", 79: "oven"}
    boxes = [(3, 10, 10), (8, 11, 10), (3, 60, 10), (1, 10, 50), (62, 10, 50), (51, 60, 50), (79, 60, 51)]
    record = {
        "images": INSTANCES["images"],
        "categories": [{"id": number, "name": name} for number, name in names.items()],
        "annotations": [
            {"id": place, "image_id": 9, "category_id": number, "bbox": [x, y, 20, 20]}
            for place, (number, x, y) in enumerate(boxes)
        ],
    }
    source = write(tmp_path, record)
    scene = source.scene("9")
    assert scene is not None
    found = [thing.name for thing in scene.objects.values()]
    assert found == ["motor vehicle", "car", "person", "chair", "thing"]
    assert source.problems == {"box of a second category on one thing": 2}
    queries = {"truck": None, "car": True, "vehicle": True, "oven": None, "chair": True}
    for kind, expected in queries.items():
        assert Exists(ObjectDescription(kind)).evaluate(Scene(scene, default_grammar().ontology)) is expected, kind


@pytest.mark.parametrize(
    "text", ["", '{"images": [', "[]", '{"images": [], "annotations": [{"id": "x"}], "categories": []}']
)
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="instances_val2017"):
        write(tmp_path, text)


def test_settings_are_checked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no setting 'graphs'"):
        open_source("coco:graphs=x.json")
    with pytest.raises(InputError, match="found none"):
        open_source(f"coco:{tmp_path}")
    with pytest.raises(InputError, match="cannot be read"):
        open_source(f"coco:instances={tmp_path / 'gone.json'}")


def test_the_licence_is_what_the_file_states(tmp_path: Path) -> None:
    assert write(tmp_path, INSTANCES).licence == "not stated"
    names = [{"id": number, "name": f"Licence {number}"} for number in range(5)]
    assert write(tmp_path, {**INSTANCES, "licenses": names[:1]}).licence == "Licence 0"
    several = "5 licences, by image: Licence 0; Licence 1; Licence 2 and others"
    assert write(tmp_path, {**INSTANCES, "licenses": names}).licence == several
