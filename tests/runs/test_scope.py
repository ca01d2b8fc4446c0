"""A run that was asked a part of the suite, or no images, says so wherever it is judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import falter
from falter.core.errors import UsageError
from falter.data.model import Request
from falter.data.suite import Suite
from falter.evaluation.engine import run_suite
from falter.evaluation.runs import RunSettings
from tests.cli.in_process import falter_here
from tests.engine.small_suite import Recorder, make_suite

SIX = "limit:6-of-40"


def right(request: Request) -> object:
    """The small suite's golds are all yes."""
    return "yes"


def right_at_first(request: Request) -> object:
    """Right about the first 20 things, and wrong about the others."""
    return "no" if any(f"thing {number}?" in request.text for number in range(20, 40)) else "yes"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("scope") / "suite", probes=40)


@pytest.fixture(scope="module")
def limited(suite: Suite) -> falter.Run:
    return run_suite(suite, Recorder(right), suite.folder.parent / "limited", RunSettings(limit=6))


def test_what_a_limit_left_out_is_not_taken_for_asked(suite: Suite, limited: falter.Run) -> None:
    texts = ["small.negation.acc>=90%", "small.overall.acc>=90%"]
    for text in texts:
        (found,) = falter.check(limited, text, value=True)
        assert found.verdict == "undecided", found.reason
        assert "--limit 6 took 6 of 40 probes" in found.reason
        assert not found.passed
        assert SIX in found.score.signature
    # What is certain is decided: 3 of 20 are right.
    assert falter.check(limited, "small.negation.acc<=10%", value=True).rows[0].verdict == "not met"
    # The same of an order at random, and of a baseline.
    drawn = run_suite(suite, Recorder(right), suite.folder.parent / "random", RunSettings(limit=6, random_order=True))
    assert falter.check(drawn, texts[0], value=True).rows[0].verdict == "undecided"
    whole = run_suite(suite, Recorder(right), suite.folder.parent / "whole")
    with pytest.raises(UsageError, match="has not asked everything"):
        falter.check(whole, "small.negation.acc>=baseline-5%", value=True, baseline=limited)


def test_a_sample_of_one_test_may_decide_and_one_of_several_together_may_not(suite: Suite, tmp_path: Path) -> None:
    large = make_suite(tmp_path / "large", probes=300)
    run = run_suite(large, Recorder(right), tmp_path / "run", RunSettings(limit=80))
    for text, verdict, why in (
        ("small.negation.acc>=70%", "met", "probability under 5 %"),
        ("small.overall.acc>=70%", "undecided", "--limit 80 took 80 of 300 probes"),
    ):
        (found,) = falter.check(run, text, value=True)
        assert (found.verdict, why in found.reason) == (verdict, True), found.reason
        assert (found.score.low is None) == ("overall" in text)
    # What the full run says is not contradicted.
    full = run_suite(suite, Recorder(right_at_first), suite.folder.parent / "at-first")
    part = run_suite(suite, Recorder(right_at_first), suite.folder.parent / "at-first-part", RunSettings(limit=38))
    for text in ("small.negation.acc>=45%", "small.negation.acc>=55%", "small.rephrase.acc<=30%"):
        told, exact = (falter.check(run, text, value=True).rows[0].verdict for run in (part, full))
        assert told in (exact, "undecided")


def test_a_limit_that_takes_everything_is_none(suite: Suite) -> None:
    run = run_suite(suite, Recorder(right), suite.folder.parent / "all", RunSettings(limit=40))
    (found,) = falter.check(run, "small.negation.acc>=90%", value=True)
    assert found.verdict == "met" and "over all" in found.reason
    assert "limit:" not in found.score.signature
    assert not falter.score(run).runs[0].scope


def test_until_takes_no_limit(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--until does not go with --limit"):
        falter.run(suite, "builtin:always-yes", out=tmp_path / "run", limit=6, until="small.negation.acc>=10%")


def test_every_door_names_the_limit(suite: Suite, limited: falter.Run, tmp_path: Path) -> None:
    whole = run_suite(suite, Recorder(right_at_first, "2"), suite.folder.parent / "second")
    said = "6 of 40 probes"
    scores = falter.score(limited)
    assert said in str(scores) and "totals weigh tests" in " ".join(str(scores).split())
    assert {SIX in row.signature for row in scores} == {True}
    assert said in json.dumps(scores.json_value(), default=str)
    compared = falter.compare(limited, whole)
    assert said in " ".join(str(compared).split())
    assert {SIX in row.signature for row in compared} == {True}
    shown = falter_here("check", limited.folder, "--require", "small.negation.acc>=1%", "--json")
    (note,) = json.loads(shown.stdout)["notes"]
    assert said in note
    assert json.loads(shown.stdout)["verdicts"][0]["score"]["signature"].count(SIX) == 1
    checked = falter.check(limited, "small.negation.acc>=1%")
    assert said in " ".join(str(checked).split())
    assert said in checked.to_markdown().replace("\\", "") and said in checked.to_junit().decode()
    page = falter.report([limited, whole], tmp_path / "report.html").read_text()
    assert "ran on 6 probes of small, not on all" in page and SIX in page


def test_a_part_of_a_divided_run_has_no_value_over_the_whole(suite: Suite) -> None:
    part = falter.run(suite, "builtin:always-yes", out=suite.folder.parent / "part", shard="1/2")
    with pytest.raises(UsageError, match="part 1/2 of a run"):
        falter.check(part, "small.negation.acc>=10%", value=True)
    checked = falter.check(part, "small.negation.acc>=10%")
    assert "part 1/2" in checked.notes[0]
    assert "shard:1/2" in checked.rows[0].score.signature


def test_a_gate_on_a_run_without_images_says_so(suite: Suite) -> None:
    there = suite.folder.parent
    seeing = run_suite(suite, Recorder(right), there / "seeing")
    blind = run_suite(suite, Recorder(right), there / "blind", RunSettings(image_input="none"))
    required = ["small.negation.acc>=10%", "small.negation.acc>=baseline-50%"]
    notes = falter.check(blind, required[0]).notes
    assert len(notes) == 1 and "without images (--image-input none)" in notes[0]
    for run, base in ((blind, seeing), (seeing, blind)):
        checked = falter.check(run, required, baseline=base)
        assert len(checked.notes) == 2 and "image ablation" in checked.notes[1]
        assert checked.json_value()["notes"] == checked.notes
    assert not falter.check(seeing, required[0]).notes
