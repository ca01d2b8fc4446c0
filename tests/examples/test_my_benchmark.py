"""The example of a benchmark and that of a measure do what the documentation says of them, and are short."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from falter.data.suite import open_suite
from falter.evaluation.measures import MEASURES
from tests.examples.test_my_suite import MY_SUITE, cli

EXAMPLES = MY_SUITE.parent
MY_BENCHMARK, MY_MEASURE = EXAMPLES / "my_benchmark", EXAMPLES / "my_measure"
RECORD = {"image": "a.jpg", "question": "Which sign is it?", "options": ["stop", "yield"], "answer": "stop"}
REPLIES = {"1": ("stop", "yield"), "2": ("yield", "yield"), "3": ("stop", None)}
"""By published id the reply to the question and to its second wording."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory, registered: None) -> Path:
    folder = tmp_path_factory.mktemp("signs")
    records = [
        RECORD | {"id": 1, "rephrased": "What sign is shown?"},
        RECORD | {"id": 2, "rephrased": "What is the sign?", "image": "b.jpg"},
        RECORD | {"id": 3, "image": "c.jpg"},
        RECORD | {"id": 4, "answer": "give way"},
    ]
    (folder / "signs.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for name, color in {"a": "red", "b": "blue", "c": "green"}.items():
        Image.new("RGB", (8, 6), color).save(folder / f"{name}.jpg")
    given = (folder / "signs.jsonl", "--image-dir", folder, "--plugin-dir", MY_BENCHMARK)
    cli("import", "street-signs", *given, "--out", folder / "suite")
    return folder / "suite"


@pytest.mark.parametrize(
    ("file", "most"),
    [(MY_MEASURE / "flips.py", 15), (MY_BENCHMARK / "street_signs.py", 60), (MY_SUITE / "shouting.py", 100)],
)
def test_an_example_is_as_short_as_the_page_says(file: Path, most: int) -> None:
    lines = len(file.read_text().splitlines())
    assert lines <= most
    page = (EXAMPLES.parent / "docs" / "how-to" / "plugins.md").read_text()
    assert f"| `{file.relative_to(EXAMPLES.parent)}` | {lines} |" in page


def test_the_benchmark_is_imported(suite: Path) -> None:
    one, two, three = open_suite(suite).probes()
    assert [item.text for item in (one.original, *one.variants)] == ["Which sign is it?", "What sign is shown?"]
    assert (two.variants[0].gold, two.variants[0].image_id) == ("stop", "b")
    assert (suite / (two.original.image or "")).is_file()
    assert three.variants == ()
    assert three.original.choices == ("stop", "yield")
    assert open_suite(suite).manifest.notes == ["1 record is left out: its answer is not among its options (line 4)."]


def test_the_measure_counts_pairs_whose_answers_differ(suite: Path, tmp_path: Path) -> None:
    rows = [
        {"item_id": item.item_id, "text": text}
        for probe in open_suite(suite).probes()
        for item, text in zip((probe.original, *probe.variants), REPLIES[probe.original.source_id or ""], strict=False)
    ]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cli("run", suite, "--model", f"file:{tmp_path / 'replies.jsonl'}", "--out", tmp_path / "run")
    scored = cli("score", tmp_path / "run", "--plugin-dir", MY_MEASURE, "--measure", "answer_flips", "--json")
    (row,) = [row for row in json.loads(scored)[0]["scores"] if row["group"]["test"] == "signs"]
    assert (row["measure"], row["value"], row["n"]) == ("answer_flips", 0.5, 2)
    assert MEASURES.get("answer_flips").title == "answer flips"
