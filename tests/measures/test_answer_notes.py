"""Odd answers are told in a line: after a run, with scores and in the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

import falter
from falter.cli.main import build_app
from falter.evaluation.measures.counts import answer_notes
from falter.evaluation.measures.outcomes.frame import outcomes
from falter.evaluation.reporting.collect_data import collect
from falter.evaluation.score_options import ScoreOptions
from tests.measures.tables import YES_NO, items_of, probe, replies_of, write

COLORS = ("red", "blue", "green")


def notes(say: Callable[[int], str], golds: Sequence[str], choices: Sequence[str] | None, task: str = "answer") -> str:
    """The notes on a run over as many probes of two questions as there are golds, joined."""
    probes = [
        probe(f"p{number}", "same", [gold, gold], choices=choices, task=task) for number, gold in enumerate(golds)
    ]
    replies = {f"p{number}.{side}": say(2 * number + side) for number in range(len(golds)) for side in (0, 1)}
    return "; ".join(answer_notes(outcomes(items_of(*probes), replies_of(replies))))


@pytest.mark.parametrize(
    ("say", "golds", "choices", "told"),
    [
        (lambda _: "yes", ["yes", "no"] * 10, YES_NO, "40 of 40 yes/no questions are answered yes"),
        (lambda _: "no", ["yes", "no"] * 10, YES_NO, "40 of 40 yes/no questions are answered no"),
        (
            lambda i: "no" if i == 39 else "yes",
            ["yes", "no"] * 10,
            YES_NO,
            "39 of 40 yes/no questions are answered yes",
        ),
        (lambda i: "no" if i % 10 == 9 else "yes", ["yes", "no"] * 10, YES_NO, ""),
        (lambda _: "yes", ["yes"] * 20, YES_NO, ""),
        (lambda _: "yes", ["yes", "no"] * 4, YES_NO, ""),
        (lambda i: "!unparsed" if i % 3 else "yes", ["yes", "no"] * 10, YES_NO, "26 of 40 replies hold no answer"),
        (lambda i: "!unparsed" if i % 2 else "no", ["no", "no"] * 10, YES_NO, ""),
        (lambda i: "!failed" if i % 3 else "no", ["no", "no"] * 10, YES_NO, ""),
        (lambda i: f"thing {i}" if i % 3 else "red", COLORS * 7, COLORS, "28 of 42 answers are not among the choices"),
        (lambda _: "red", COLORS * 7, COLORS, "42 of 42 answers name the first choice"),
        (lambda _: "blue", COLORS * 7, None, "42 of 42 answers to open questions are the same"),
        (lambda i: COLORS[i // 2 % 3], COLORS * 7, None, ""),
    ],
)
def test_what_is_odd_is_told_and_nothing_else(
    say: Callable[[int], str], golds: Sequence[str], choices: Sequence[str] | None, told: str
) -> None:
    found = notes(say, golds, choices)
    assert found.startswith(told)
    assert bool(found) == bool(told)


def test_scores_that_are_all_the_same_are_told() -> None:
    assert "all 40 scores of texts and images are the same" in notes(lambda _: "yes", ["yes"] * 20, YES_NO, "match")


def test_the_run_its_scores_and_the_report_tell_it(tmp_path: Path) -> None:
    golds = ("yes", "no")
    write(tmp_path / "suite", *(probe(f"p{number}", "same", [golds[number % 2]] * 2) for number in range(12)))
    run = ["run", str(tmp_path / "suite"), "--model", "builtin:always-yes", "--out", str(tmp_path / "run")]
    told = "24 of 24 yes/no questions are answered yes"
    done = CliRunner().invoke(build_app(), run)
    assert [line.strip() for line in done.stderr.splitlines() if "24 of 24" in line] == [told]
    scores = falter.score(tmp_path / "run", n_resamples=0)
    assert told in " ".join(str(scores).split())
    assert scores.json_value()[0]["answer_notes"] == (told,)
    assert any(
        told in note for note in collect([falter.load(tmp_path / "run")], ScoreOptions(n_resamples=0)).odd_answers
    )
