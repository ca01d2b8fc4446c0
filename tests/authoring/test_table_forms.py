"""Tables of every form and format become the probes that they describe."""

from __future__ import annotations

import base64
import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

import falter
from falter.data.items import Item

RED, BLUE = "images/red.png", "images/blue.png"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "images").mkdir()
    for color in ("red", "blue"):
        Image.new("RGB", (8, 8), color).save(tmp_path / "images" / f"{color}.png")
    return tmp_path


def write_jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def items(folder: Path, path: Path, **settings: Any) -> list[Item]:
    return list(falter.import_table(path, out=folder / "suite", **settings).items())


def test_single_questions(folder: Path) -> None:
    path = folder / "t.csv"
    path.write_text(
        "id,image,question,answer,kind\nq1,images/red.png,Is it red?,Yes,color\nq2,images/blue,What?, blue ,\n"
    )
    first, second = items(folder, path, facets=["kind"], name="mine", test="colors")
    assert (first.suite, first.test, first.probe_id, first.source_id, first.expects) == (
        "mine",
        "colors",
        "q1",
        "q1",
        "each",
    )
    assert (first.gold, first.choices, first.facets) == ("yes", ("yes", "no"), {"kind": "color"})
    assert (second.gold, second.choices, second.facets) == ("blue", None, {})
    assert (first.image_id, second.image_id) == ("images/red.png", "images/blue.png")
    assert first.image is not None
    assert (folder / "suite" / first.image).read_bytes() == (folder / RED).read_bytes()


def test_pairs(folder: Path) -> None:
    rows = [
        {"question": "Is it red?", "variant": "Is the thing red?", "answer": "yes"},
        {"question": "Is it red?", "variant": "Is it blue?", "answer": "yes", "variant_answer": "no"},
        {"question": "Is it red?", "variant": "Is it not red?", "answer": "yes", "expects": "different"},
        {"question": "Color?", "variant": ["Which color?", "What hue?"], "answer": "red"},
    ]
    path = write_jsonl(folder / "t.jsonl", *({"image": RED, **row} for row in rows))
    found = items(folder, path)
    assert [(one.probe_id, one.variant, one.expects, one.gold) for one in found] == [
        ("1", 0, "same", "yes"),
        ("1", 1, "same", "yes"),
        ("2", 0, "different", "yes"),
        ("2", 1, "different", "no"),
        ("3", 0, "different", "yes"),
        ("3", 1, "different", "no"),
        ("4", 0, "same", "red"),
        ("4", 1, "same", "red"),
        ("4", 2, "same", "red"),
    ]
    assert [one.source_id for one in found[:2]] == ["1", "1/variant"]


def test_captions_and_foils(folder: Path) -> None:
    (folder / "t.tsv").write_text("image\tcaption\tfoil\nimages/red.png\ta red thing\ta blue thing\n")
    caption, foil = items(folder, folder / "t.tsv")
    assert (caption.task, caption.expects, caption.gold, foil.gold) == ("match", "prefer", "yes", "no")
    assert (caption.text, foil.text) == ("a red thing", "a blue thing")
    assert (caption.source_id, foil.source_id) == ("1/caption", "1/foil")


def test_captions_one_by_one(folder: Path) -> None:
    (folder / "t.csv").write_text(
        "image,caption,label\nimages/red.png,a red thing,1\nimages/red.png,a blue thing,False\n"
    )
    one, two = items(folder, folder / "t.csv", columns={"answer": "label"})
    assert [(item.task, item.variant, item.gold) for item in (one, two)] == [("match", 0, "yes"), ("match", 0, "no")]


def test_sets(folder: Path) -> None:
    path = write_jsonl(
        folder / "t.jsonl",
        {"set": "a", "id": "1", "image": RED, "question": "Is it red?", "answer": "yes"},
        {"set": "a", "id": "2", "image": BLUE, "question": "Is it red?", "answer": "no"},
        {"set": 7, "id": "3", "image": RED, "question": "Color?", "answer": "red"},
    )
    found = items(folder, path)
    assert [(one.probe_id, one.variant, one.role, one.expects, one.source_id) for one in found] == [
        ("a", 0, "original", "each", "1"),
        ("a", 1, "variant", "each", "2"),
        ("7", 0, "original", "each", "3"),
    ]


def test_two_images_by_two_captions(folder: Path) -> None:
    path = write_jsonl(
        folder / "t.jsonl", {"image_1": RED, "image_2": BLUE, "caption_1": "red", "caption_2": "blue", "id": 4}
    )
    found = items(folder, path)
    assert [(one.image_id, one.text, one.gold, one.source_id) for one in found] == [
        (RED, "red", "yes", "4/1-1"),
        (RED, "blue", "no", "4/1-2"),
        (BLUE, "red", "no", "4/2-1"),
        (BLUE, "blue", "yes", "4/2-2"),
    ]
    assert {(one.expects, one.task) for one in found} == {("crossed", "match")}


def test_two_images_by_two_questions(folder: Path) -> None:
    row = {
        "image_1": RED,
        "image_2": BLUE,
        "question_1": "Is it red?",
        "question_2": "Which?",
        "choices_2": ["red", "blue"],
    }
    row |= {"answer_1_1": True, "answer_1_2": "red", "answer_2_1": False, "answer_2_2": "Blue"}
    found = items(folder, write_jsonl(folder / "t.jsonl", row))
    assert [(one.text, one.gold, one.choices) for one in found] == [
        ("Is it red?", "yes", ("yes", "no")),
        ("Which?", "red", ("red", "blue")),
        ("Is it red?", "no", ("yes", "no")),
        ("Which?", "blue", ("red", "blue")),
    ]


def test_ten_answers_and_choices(folder: Path) -> None:
    (folder / "t.csv").write_text(
        "image,question,a1,a2,a3,choices\nimages/red.png,Color?,red,dark red,red,\n"
        ',Who?,Ann,,,"[""Ann"", ""Bo""]"\n,Who?,Bo,,,Ann|Bo\n'
    )
    one, two, three = items(folder, folder / "t.csv", columns={"answers": "a1,a2,a3"})
    assert (one.gold, one.answers, one.choices) == ("red", ("red", "dark red", "red"), None)
    assert (two.gold, two.answers, two.choices, three.choices) == ("Ann", None, ("Ann", "Bo"), ("Ann", "Bo"))


def test_images_in_cells(folder: Path) -> None:
    data = (folder / RED).read_bytes()
    written = base64.b64encode(data).decode()
    rows = [written, f"data:image/png;base64,{written}", {"bytes": None, "path": RED}]
    path = write_jsonl(folder / "t.jsonl", *({"image": one, "question": "Color?", "answer": "red"} for one in rows))
    table = pa.table({"image": [{"bytes": data, "path": "x"}], "question": ["Color?"], "answer": ["red"]})
    pq.write_table(table, folder / "t.parquet")
    found = items(folder, path) + items(folder, folder / "t.parquet", overwrite=True)
    assert len({one.item_id for one in found}) == 1
    assert all(one.image_sha256 == falter.ImageRef.from_file(folder / RED).sha256 for one in found)


def test_images_are_not_opened(folder: Path) -> None:
    (folder / "t.csv").write_text("image,question,answer\nnowhere/1.jpg,Is it red?,yes\n")
    (one,) = items(folder, folder / "t.csv", images="none")
    assert (one.image, one.image_id, one.image_sha256) == (None, "nowhere/1.jpg", None)


ROWS = [
    {"id": str(n), "image": RED, "q": f"Is it red, {n}?", "answer": "yes" if n % 2 else "no", "kind": "ab"[n % 2]}
    for n in range(6)
]


def test_every_format_gives_the_same_items(folder: Path) -> None:
    datasets = pytest.importorskip("datasets")
    with (folder / "t.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ROWS[0])
        writer.writeheader()
        writer.writerows(ROWS)
    (folder / "t.tsv").write_text(
        (folder / "t.csv").read_text().replace(",", "\t").replace('"Is it red\t', "Is it red,").replace('?"', "?")
    )
    write_jsonl(folder / "t.jsonl", *ROWS)
    (folder / "t.json").write_text(json.dumps(ROWS))
    pl.DataFrame(ROWS).write_parquet(folder / "t.parquet")
    datasets.Dataset.from_list(ROWS).save_to_disk(str(folder / "t"))
    settings: dict[str, Any] = {"columns": {"question": "q"}, "facets": ["kind"], "name": "t", "overwrite": True}
    expected = items(folder, folder / "t.csv", **settings)
    assert len(expected) == 6
    for name in ("t.tsv", "t.jsonl", "t.json", "t.parquet", "t"):
        assert items(folder, folder / name, **settings) == expected, name
    settings["image_dir"] = folder
    frames = [pl.DataFrame(ROWS)]
    pandas = pytest.importorskip("pandas")
    frames.append(pandas.DataFrame(ROWS))
    for frame in frames:
        assert list(falter.import_table(frame, out=folder / "suite", **settings).items()) == expected


def test_the_folder_of_the_images_may_be_named_from_another_one(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    write_jsonl(folder / "t.jsonl", {"question": "Is it red?", "answer": "yes", "image": "red.png"})
    (item,) = items(folder, folder / "t.jsonl", image_dir=folder / "elsewhere" / ".." / "images")
    assert item.image_id == "red.png"


def test_a_yaml_file_names_the_columns(folder: Path) -> None:
    write_jsonl(folder / "t.jsonl", *ROWS)
    (folder / "map.yaml").write_text("columns: {question: q}\nfacets: [kind]\nname: mine\ntest: red\nlicence: CC0\n")
    suite = falter.import_table(folder / "t.jsonl", out=folder / "suite", columns=folder / "map.yaml")
    first = next(suite.items())
    assert (first.suite, first.test, first.facets, suite.manifest.licence) == ("mine", "red", {"kind": "a"}, "CC0")


def test_class_labels_and_missing_values_of_frames(folder: Path) -> None:
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {"question": datasets.Value("string"), "answer": datasets.ClassLabel(names=["no", "yes"])}
    )
    datasets.Dataset.from_dict({"question": ["Red?", "Blue?"], "answer": [1, 0]}, features=features).save_to_disk(
        str(folder / "labels")
    )
    assert [one.gold for one in items(folder, folder / "labels")] == ["yes", "no"]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"question": ["Red?", "How many?"], "answer": ["yes", "2"], "image": [float("nan"), None]})
    found = list(falter.import_table(frame, out=folder / "frame").items())
    assert [(one.image_id, one.gold) for one in found] == [(None, "yes"), (None, "2")]


def test_the_same_table_gives_the_same_bytes(folder: Path) -> None:
    write_jsonl(folder / "t.jsonl", *ROWS)
    for name in ("one", "two"):
        falter.import_table(folder / "t.jsonl", out=folder / name, columns={"question": "q"})
    for file in ("items.parquet", "suite.json"):
        assert (folder / "one" / file).read_bytes() == (folder / "two" / file).read_bytes()


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ([["Is it red?", "yes", "red"]], {"question": "1", "answer": "2", "image": "3"}),
        ({"q7": {"question": "Is it red?", "answer": "yes", "image": "red"}}, {}),
        ({"licence": "CC0", "data": [{"question": "Is it red?", "answer": "yes", "image": "red"}]}, {}),
    ],
)
def test_json_in_other_shapes(folder: Path, content: Any, columns: dict[str, str]) -> None:
    (folder / "t.json").write_text(json.dumps(content))
    (found,) = items(folder, folder / "t.json", columns=columns, image_dir=folder / "images")
    assert (found.text, found.gold, found.image_id) == ("Is it red?", "yes", "red.png")
    assert found.source_id == ("q7" if "q7" in content else "1")


def test_a_named_column_is_not_beaten_by_one_of_another_roles_name(folder: Path) -> None:
    (folder / "t.csv").write_text("q,a1,a2,a3,gold,answer,answers\nColor?,red,red,blue,green,pink,pink|pink|white\n")
    (several,) = items(folder, folder / "t.csv", columns={"question": "q", "answers": "a1,a2,a3"})
    assert (several.gold, several.answers) == ("red", ("red", "red", "blue"))
    (single,) = items(folder, folder / "t.csv", columns={"question": "q", "answer": "gold"}, overwrite=True)
    assert (single.gold, single.answers) == ("green", None)
    both = {"question": "q", "answer": "gold", "answers": "a1,a2,a3"}
    (chosen,) = items(folder, folder / "t.csv", columns=both, overwrite=True)
    assert (chosen.gold, chosen.answers) == ("green", ("red", "red", "blue"))
    (left_out,) = items(folder, folder / "t.csv", columns={"question": "q", "answers": ""}, overwrite=True)
    assert (left_out.gold, left_out.answers) == ("pink", None)
