"""HallusionBench: questions, figures and pairs, and predictions with and without the word of a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from falter.data.suite import Suite
from falter.evaluation.runs.scoring import score_run
from falter.evaluation.score_options import ScoreOptions
from tests.suites.benchmarks.published import Scored, imported, json_file
from tests.suites.benchmarks.releases import HALLUSIONBENCH, write_hallusionbench


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return imported("hallusionbench", write_hallusionbench(tmp_path / "release"), tmp_path / "suite")


def judged(verdicts: str, **more: Any) -> list[dict[str, Any]]:
    """The records with a prediction, and a word of the judge each."""
    return [
        {**record, "model_prediction": "Well.", "gpt4v_output_gpt_check": verdict, "same": "1", **more}
        for record, verdict in zip(HALLUSIONBENCH, verdicts, strict=True)
    ]


def test_a_question_is_named_by_five_ids(suite: Suite) -> None:
    items = suite.to_polars()
    assert items["source_id"].to_list()[:3] == ["VD:chart:0:0:0", "VD:chart:0:0:1", "VD:chart:0:1:0"]
    assert items["image_id"].to_list()[:4] == ["VD/chart/0_0.png", "VD/chart/0_0.png", "VD/chart/0_1.png", None]
    assert items["gold"].to_list() == ["yes", "no", "no", "yes", "yes", "no"]


def test_scores_count_questions_figures_and_pairs(suite: Suite, tmp_path: Path) -> None:
    # VD: both questions of figure 0 right, that of figure 1 wrong. VS: unclear without a figure, right, unclear.
    scored = Scored(suite, json_file(tmp_path / "p.json", judged("110212")), tmp_path / "run")
    assert scored.notes == []
    # Of VS, the unclear answer without a figure is right, the unclear answer on the edited figure wrong.
    assert scored.value("a_acc", "VD") == 2 / 3
    assert scored.value("a_acc", "VS") == 2 / 3
    assert scored.value("a_acc", "all") == 4 / 6
    # Figures: VD 0 right, VD 1 wrong; VS 1 right, VS 2 wrong; the missing figure of VS is none.
    assert scored.value("f_acc", "VD") == 1 / 2
    assert scored.value("f_acc", "all") == 2 / 4
    # Pairs: VD question 0 (right, wrong), VD question 1 (right), VS question 0 (right, right, wrong).
    assert scored.value("q_acc", "VD") == 1 / 2
    assert scored.value("q_acc", "all") == 1 / 3
    # Easy: VD 0, VD 1, VS 0 without the edited figure; hard: the edited figures of VD 0 and VS 0.
    assert scored.value("easy_acc", "all") == 3 / 3
    assert scored.value("hard_acc", "all") == 0 / 2
    n = {score.measure: score.n for score in scored.scores if score.group.test == "all"}
    assert (n["a_acc"], n["f_acc"], n["q_acc"], n["easy_acc"], n["hard_acc"]) == (6, 4, 3, 3, 2)


def test_intervals_never_tear_a_set_apart(tmp_path: Path) -> None:
    # Ten sets; in half of them all three answers are right, in half of them one of three is.
    records = [{**one, "set_id": str(number)} for number in range(10) for one in HALLUSIONBENCH[:3]]
    suite = imported("hallusionbench", json_file(tmp_path / "HallusionBench.json", records), tmp_path / "suite")
    rows = [
        {
            **one,
            "model_prediction": "Well.",
            "gpt4v_output_gpt_check": "1" if int(one["set_id"]) % 2 or place == 0 else "0",
        }
        for number, one in enumerate(records)
        for place in [number % 3]
    ]
    scored = Scored(suite, json_file(tmp_path / "p.json", rows), tmp_path / "run")
    found = {
        score.measure: score
        for score in score_run(scored.run, ScoreOptions(n_resamples=200))
        if score.group.test == "VD"
    }
    figures, pairs = found["f_acc"], found["q_acc"]
    # Figures and pairs are right in the same sets, so that every resample gives both the same value.
    assert figures.value == pairs.value == 1 / 2
    assert (figures.low, figures.high) == (pairs.low, pairs.high)


def test_without_a_judge_texts_are_read(suite: Suite, tmp_path: Path) -> None:
    said = ["Yes, it is.", "No.", "Yes.", "I cannot tell.", "Yes, indeed.", "No"]
    rows = [{**record, "model_prediction": text} for record, text in zip(HALLUSIONBENCH, said, strict=True)]
    scored = Scored(suite, json_file(tmp_path / "p.json", rows), tmp_path / "run")
    assert scored.value("a_acc", "VD") == 2 / 3
    assert scored.value("a_acc", "VS") == 3 / 3
    assert scored.value("acc", "VS") == 2 / 3


def test_predictions_may_be_codes(suite: Suite, tmp_path: Path) -> None:
    rows = [{**record, "model_prediction": code} for record, code in zip(HALLUSIONBENCH, "100210", strict=True)]
    scored = Scored(suite, json_file(tmp_path / "p.json", rows), tmp_path / "run")
    assert scored.value("a_acc", "all") == 1.0


def test_a_folder_has_one_file_per_category(suite: Suite, tmp_path: Path) -> None:
    rows = judged("111111")
    json_file(tmp_path / "out" / "hallusion_output_vd_model.json", rows[:3])
    json_file(tmp_path / "out" / "hallusion_output_vs_model.json", rows[3:])
    scored = Scored(suite, tmp_path / "out", tmp_path / "run")
    assert scored.value("q_acc", "all") == 1.0


def test_odd_records_are_named_and_counted(suite: Suite, tmp_path: Path) -> None:
    rows = judged("111111")
    rows[0]["question"] = "Is it something else?"
    rows[1]["gt_answer"] = "1"
    del rows[2]["figure_id"]
    del rows[3]["gpt4v_output_gpt_check"]
    rows[4] = {**HALLUSIONBENCH[4]}
    scored = Scored(suite, json_file(tmp_path / "p.json", rows), tmp_path / "run")
    assert scored.notes[:5] == [
        "records of p.json that ask something else than the suite under the same id, and are ignored: 1 (entry 1)",
        "records of p.json that have another gold answer than the suite: 1 (entry 2)",
        "records of p.json that have no complete id, and are ignored: 1 (entry 3)",
        "records of p.json that have no word of the judge: their texts are read: 1 (entry 4)",
        "records of p.json that hold no prediction, and count as missing: 1 (entry 5)",
    ]
    assert scored.value("failed", "all") == 3
