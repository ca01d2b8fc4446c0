"""Runs as records for others: result files of evaluation servers, and Every Eval Ever's schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import falter
from falter.core.errors import InputError
from falter.data.items import Item, Probe
from falter.data.model import Request
from falter.data.suite import Suite
from falter.evaluation.runs import Run

COLORS = {"17": "red", "18": "blue"}


def noisy(question_id: str, gold: str) -> Probe:
    """A question alone and with two partitions of noise, as basic questions has them."""
    original = Item.make(
        suite="basic-questions", test="lasso", probe_id=f"lasso-{question_id}", source_id=question_id, gold=gold,
        text=f"What color is cup {question_id}?", answers=(gold,) * 10,
    )  # fmt: skip
    return Probe.of(
        original,
        *(
            original.change(text=f"{original.text} Noise {level}?", variant=level, facets={"partition": str(level)})
            for level in (1, 2)
        ),
    )


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    probes = [noisy(question_id, gold) for question_id, gold in COLORS.items()]
    return falter.write_suite(probes, tmp_path_factory.mktemp("s") / "suite", name="basic-questions", licence="CC0")


@pytest.fixture(scope="module")
def run(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Run:
    def model(requests: list[Request]) -> list[str]:
        return ["green" if "Noise 2" in one.text else "red" for one in requests]

    return falter.run(suite, model, name="reds", out=tmp_path_factory.mktemp("r") / "run")


def test_a_server_gets_a_file_for_originals_and_one_for_each_partition(run: Run, tmp_path: Path) -> None:
    written = falter.export(run, "vqa", out=tmp_path / "vqa")
    names = [f"basic-questions-lasso-{level}.json" for level in ("original", "partition-1", "partition-2")]
    assert written == dict.fromkeys(names, 2)
    found = [json.loads((tmp_path / "vqa" / name).read_text()) for name in names]
    assert found[0] == found[1] == [{"question_id": 17, "answer": "red"}, {"question_id": 18, "answer": "red"}]
    assert {entry["answer"] for entry in found[2]} == {"green"}


def test_gqa_keeps_ids_as_text(run: Run, tmp_path: Path) -> None:
    falter.export(run.folder, "gqa", out=tmp_path / "gqa")
    entries = json.loads((tmp_path / "gqa" / "basic-questions-lasso-original.json").read_text())
    assert entries[0] == {"questionId": "17", "prediction": "red"}


def test_a_result_file_comes_back_with_the_same_accuracy(suite: Suite, run: Run, tmp_path: Path) -> None:
    falter.export(run, "vqa", out=tmp_path / "vqa")
    original = tmp_path / "vqa" / "basic-questions-lasso-original.json"
    answers = {str(one["question_id"]): one["answer"] for one in json.loads(original.read_text())}
    right = [answers[question_id] == gold for question_id, gold in COLORS.items()]
    acc = next(row.value for row in run.scores().rows if row.measure == "acc_original")
    assert acc == sum(right) / len(right) == 0.5


def test_a_suite_without_published_ids_has_no_result_file(tmp_path: Path) -> None:
    item = Item.make(suite="own", test="t", probe_id="1", text="Is it?", gold="yes", choices=("yes", "no"))
    suite = falter.write_suite([Probe.of(item)], tmp_path / "suite", name="own")
    run = falter.run(suite, lambda requests: ["yes" for _ in requests], name="m", out=tmp_path / "run")
    with pytest.raises(InputError, match="published ids"):
        falter.export(run, "vqa", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_real_validator_accepts_every_record(run: Run, tmp_path: Path) -> None:
    validate = pytest.importorskip("every_eval_ever.validate")
    written = falter.export(run, "every-eval-ever", out=tmp_path / "eee")
    names = set(written)
    assert len(names) == 2 and sum(name.endswith("_samples.jsonl") for name in names) == 1
    for name in names:
        report = validate.validate_file(
            tmp_path / "eee" / name,
            repo_path=name,
            available_files=names,
            read_repo_file=lambda one: (tmp_path / "eee" / one).read_text(),
            run_semantic_checks=True,
        )
        assert (report.valid, report.errors, report.warnings) == (True, [], [])
    aggregate = json.loads((tmp_path / "eee" / next(name for name in names if name.endswith(".json"))).read_text())
    rows = {(row.test, row.measure): row for row in run.scores().rows}
    results = {one["evaluation_result_id"]: one for one in aggregate["evaluation_results"]}
    ours = rows["lasso", "acc_original"]
    theirs = results["basic-questions:lasso:acc_original"]["score_details"]
    assert theirs["score"] == ours.value == 0.5
    assert theirs["uncertainty"]["confidence_interval"]["lower"] == ours.low
    samples = [
        json.loads(line)
        for name in names
        if name.endswith(".jsonl")
        for line in (tmp_path / "eee" / name).read_text().splitlines()
    ]
    assert len(samples) == 6 and sum(one["evaluation"]["is_correct"] for one in samples) == 2
