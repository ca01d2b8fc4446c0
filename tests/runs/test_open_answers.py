"""The list of open answers on which the rules differ, through the whole program."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import falter
from falter.data.items import Item, Probe
from falter.data.suite_writing import write_suite
from falter.evaluation.runs.scoring import answer_notes_of_run
from tests.program import falter as falter_program

REPLIES = {
    "one": ['{"answer": "Right side"}', "a dog", "No | g[DEBUG] idx=3 | pred=Left", "None"],
    "two": ["right", "cat", "no", ""],
}
QUESTIONS = [
    ("On which side is the cup?", "right"),
    ("What is it?", "dog"),
    ("Is it clean?", "no"),
    ("What color is it?", "red"),
]


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    probes = [
        Probe.of(Item.make(suite="own", test="questions", probe_id=f"q{n}", text=text, gold=gold, source_id=f"s{n}"))
        for n, (text, gold) in enumerate(QUESTIONS)
    ]
    write_suite(probes, tmp_path / "suite", name="own", images="none")
    made = []
    for name, replies in REPLIES.items():
        lines = [json.dumps({"source_id": f"s{n}", "text": text}) for n, text in enumerate(replies)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
        falter.run(tmp_path / "suite", f"file:{tmp_path / name}.jsonl", out=tmp_path / "runs" / name)
        made.append(tmp_path / "runs" / name)
    return made


def test_rules_odd_replies_and_turned_orders(runs: list[Path]) -> None:
    first, second = map(falter.load, runs)
    found = first.open_answers(second)
    assert [(one.source_id, one.official, one.careful) for one in found[:4]] == [
        ("s0", 0.0, 1.0),
        ("s1", 0.0, 1.0),
        ("s2", 0.0, 0.0),
        ("s3", 0.0, 0.0),
    ]
    assert [one.oddity for one in found] == [None, None, "log text", "no answer", None, None, None, "empty"]
    assert [one.source_id for one in found.differing()] == ["s0", "s1"]
    assert found[0].answer == "Right side"
    assert found.turned_orders() == []
    scores = falter.score(runs, n_resamples=0)
    by_rule = {(one.model, one.measure): one.value for one in scores if one.measure.startswith("acc_")}
    assert list(by_rule.values()) == [0.0, 0.5, 0.5, 0.5]
    notes = answer_notes_of_run(falter.load(runs[0]))
    assert any("1 of 4 replies to open questions have text of a log" in note for note in notes)


def test_an_order_that_turns_is_named(tmp_path: Path) -> None:
    probes = [
        Probe.of(Item.make(suite="own", test="t", probe_id=f"q{n}", text="What is it?", gold="dog", source_id=f"s{n}"))
        for n in range(3)
    ]
    # Items of equal text are one item: a context would do as well.
    probes = [Probe.of(probe.original.change(text=f"What is it, {n}?")) for n, probe in enumerate(probes)]
    write_suite(probes, tmp_path / "suite", name="own", images="none")
    for name, replies in {"exact": ["dog", "cat", "cat"], "wordy": ["a dog", "dogs", "cat"]}.items():
        lines = [json.dumps({"source_id": f"s{n}", "text": text}) for n, text in enumerate(replies)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
        falter.run(tmp_path / "suite", f"file:{tmp_path / name}.jsonl", out=tmp_path / "runs" / name)
    found = falter.load(tmp_path / "runs" / "exact").open_answers(falter.load(tmp_path / "runs" / "wordy"))
    assert len(found.turned_orders()) == 1
    assert "1 of 1" in str(found)


def test_the_command_writes_a_file(runs: list[Path], tmp_path: Path) -> None:
    result = falter_program("score", *runs, "--open-answers", "differing", "--csv", tmp_path / "differing.csv")
    assert result.returncode == 0
    rows = list(csv.DictReader((tmp_path / "differing.csv").read_text().splitlines()))
    assert [(row["question"], row["answer"], row["careful"]) for row in rows] == [
        ("On which side is the cup?", "Right side", "1.0"),
        ("What is it?", "a dog", "1.0"),
    ]
    assert "log text" in result.stdout


@pytest.mark.parametrize("ending", [".jsonl", ".csv"])
def test_a_predictions_file_says_what_was_cut_off(tmp_path: Path, ending: str) -> None:
    golds = ["dog", "dog", "yes", "dog"]
    probes = [
        Probe.of(
            Item.make(suite="own", test="t", probe_id=f"q{n}", text=f"What is it, {n}?", gold=gold, source_id=f"s{n}")
        )
        for n, gold in enumerate(golds)
    ]
    write_suite(probes, tmp_path / "suite", name="own", images="none")
    rows = [
        {"source_id": "s0", "text": "dog", "finish_reason": "stop"},
        {"source_id": "s1", "text": "The dog", "finish_reason": "length"},
        {"source_id": "s2", "text": "Yes, it is a", "finish_reason": "max_tokens"},
        {"source_id": "s3", "text": "", "finish_reason": "length"},
    ]
    file = tmp_path / f"cut{ending}"
    with file.open("w", newline="") as stream:
        if ending == ".csv":
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        else:
            stream.write("\n".join(json.dumps(row) for row in rows))
    run = falter.run(tmp_path / "suite", f"file:{file}", out=tmp_path / "run")
    assert run.replies().sort("item_id")["status"].to_list().count("truncated") == 2
    found = {one.source_id: (one.outcome, one.careful) for one in run.open_answers()}
    assert found == {
        "s0": ("correct", 1.0),
        "s1": ("truncated", 0.0),
        "s2": ("correct", 1.0),
        "s3": ("truncated", 0.0),
    }
