"""Winoground and NaturalBench: two images by two texts, with scores and answers as their authors store them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from PIL import Image

from falter.core.errors import InputError
from falter.data.suite import Suite
from falter.suites.benchmarks.naturalbench.release import official_answer
from tests.suites.benchmarks.published import Scored, imported, json_file, json_lines
from tests.suites.benchmarks.releases import write_naturalbench, write_winoground


@pytest.fixture
def winoground(tmp_path: Path) -> Suite:
    return imported("winoground", write_winoground(tmp_path / "release"), tmp_path / "suite")


@pytest.fixture
def naturalbench(tmp_path: Path) -> Suite:
    return imported("naturalbench", write_naturalbench(tmp_path / "release"), tmp_path / "suite")


def test_a_label_names_example_caption_and_image(winoground: Suite) -> None:
    items = winoground.to_polars()
    assert items["source_id"].to_list()[:4] == ["0_c0_i0", "0_c1_i0", "0_c0_i1", "0_c1_i1"]
    assert items["image_id"].to_list()[:4] == ["ex_0_img_0", "ex_0_img_0", "ex_0_img_1", "ex_0_img_1"]
    assert items["gold"].to_list()[:4] == ["yes", "no", "no", "yes"]


def test_text_image_and_group_score(winoground: Suite, tmp_path: Path) -> None:
    # By example the scores of c0_i0, c1_i0, c0_i1, c1_i1.
    scores = [
        (0.9, 0.1, 0.2, 0.8),  # everything is right
        (0.9, 0.1, 0.95, 0.96),  # both images prefer their caption, but caption 0 prefers image 1
        (0.5, 0.6, 0.2, 0.7),  # both captions prefer their image, but image 0 prefers caption 1
        (0.5, 0.5, 0.5, 0.5),  # a tie is no preference
    ]
    names = ("c0_i0", "c1_i0", "c0_i1", "c1_i1")
    rows = [
        {"label": f"{number}_{name}", "score": score}
        for number, own in enumerate(scores)
        for name, score in zip(names, own, strict=True)
    ]
    scored = Scored(winoground, json_lines(tmp_path / "clip.jsonl", rows), tmp_path / "run")
    assert scored.value("text_score", "winoground") == 2 / 4
    assert scored.value("image_score", "winoground") == 2 / 4
    assert scored.value("group_score", "winoground") == 1 / 4


def test_another_label_is_refused(winoground: Suite, tmp_path: Path) -> None:
    path = json_lines(tmp_path / "clip.jsonl", [{"label": "c0_i0", "score": 1}])
    with pytest.raises(InputError, match="line 1: a label names example, caption and image"):
        Scored(winoground, path, tmp_path / "run")


def png(color: str) -> dict[str, Any]:
    data = BytesIO()
    Image.new("RGB", (4, 4), color).save(data, "PNG")
    return {"bytes": data.getvalue(), "path": None}


def test_images_inside_a_parquet_file_come_along(tmp_path: Path) -> None:
    row = {"id": 7, "caption_0": "a b", "caption_1": "b a", "image_0": png("red"), "image_1": png("blue")}
    pl.DataFrame([row]).write_parquet(tmp_path / "test-00000.parquet")
    items = imported("winoground", tmp_path / "test-00000.parquet", tmp_path / "suite").to_polars()
    assert items["image"].to_list() == ["images/ex_7_img_0.png"] * 2 + ["images/ex_7_img_1.png"] * 2
    assert (tmp_path / "suite" / items["image"][0]).is_file()
    assert items["image_sha256"].n_unique() == 2


def test_bytes_that_are_no_image_are_refused(tmp_path: Path) -> None:
    broken = {"bytes": b"nothing", "path": None}
    row = {"id": 7, "caption_0": "a b", "caption_1": "b a", "image_0": broken, "image_1": broken}
    pl.DataFrame([row]).write_parquet(tmp_path / "test.parquet")
    with pytest.raises(InputError, match="ex_7_img_0 is neither JPEG"):
        imported("winoground", tmp_path / "test.parquet", tmp_path / "suite")


@pytest.mark.parametrize(
    ("text", "choices", "answer"),
    [
        ("Yes, there is no doubt", ("yes", "no"), "yes"),
        ("NO", ("yes", "no"), "no"),
        ("nothing", ("yes", "no"), None),
        ("B. the second", ("A", "B"), "B"),
        ("It is a B", ("A", "B"), "A"),
    ],
)
def test_naturalbench_reads_the_word_that_comes_first(text: str, choices: tuple[str, str], answer: str | None) -> None:
    assert official_answer(text, choices) == answer


def test_question_image_and_group_accuracy(naturalbench: Suite, tmp_path: Path) -> None:
    # In the order q0_i0, q0_i1, q1_i0, q1_i1. Sample 0 is all right; sample 1 errs on question 1 of image 1.
    texts = ["Yes", "No.", "no", "Yes, it is", "A", "B", "B: night", "None"]
    scored = Scored(naturalbench, json_file(tmp_path / "output.json", texts), tmp_path / "run")
    assert scored.notes == []
    assert scored.value("item_acc", "naturalbench") == 7 / 8
    assert scored.value("question_acc", "naturalbench") == 3 / 4
    assert scored.value("image_acc", "naturalbench") == 3 / 4
    assert scored.value("group_acc", "naturalbench") == 1 / 2


@pytest.mark.parametrize(
    "answers",
    [
        {"0": {"q0_i0": 1, "q0_i1": 0, "q1_i0": 0, "q1_i1": 1}, "1": {"q0_i0": 1, "q0_i1": 1, "q1_i0": 0, "q1_i1": -1}},
        [[1, 0, 0, 1], [1, 1, 0, -1]],
        [{"answer": one} for one in ("yes", "no", "no", "yes", "A", "A", "B", "?")],
    ],
)
def test_answers_may_come_by_sample_or_as_codes(naturalbench: Suite, tmp_path: Path, answers: Any) -> None:
    scored = Scored(naturalbench, json_file(tmp_path / "answers.json", answers), tmp_path / "run")
    assert scored.value("item_acc", "naturalbench") == 6 / 8
    assert scored.value("group_acc", "naturalbench") == 1 / 2


def test_beside_a_prediction_the_answer_of_naturalbench_is_the_gold(naturalbench: Suite, tmp_path: Path) -> None:
    rows = [{"answer": gold, "prediction": "Yes"} for gold in ("Yes", "No", "No", "Yes")]
    rows += [{"answer": gold, "prediction": "A"} for gold in ("A", "B", "B", "A")]
    scored = Scored(naturalbench, json_file(tmp_path / "output.json", rows), tmp_path / "run")
    assert scored.value("item_acc", "naturalbench") == 4 / 8


def test_another_number_of_answers_is_refused(naturalbench: Suite, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="7 answers, which are not four a sample"):
        Scored(naturalbench, json_file(tmp_path / "answers.json", ["yes"] * 7), tmp_path / "run")
    with pytest.raises(InputError, match="answers to 1 sample, and the suite has 2"):
        Scored(naturalbench, json_file(tmp_path / "answers.json", ["yes"] * 4), tmp_path / "run")
