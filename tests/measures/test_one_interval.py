"""A score has one interval, wherever it is shown or judged, and no gate lets a few questions pass for many."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import falter
from falter.cli.main import main
from falter.data.items import Probe
from falter.evaluation.measures.comparisons import compare_tables
from falter.evaluation.measures.requirements import CheckResult
from falter.evaluation.reporting.collect_data import collect_scores
from falter.evaluation.reporting.plot_data import plot_data
from falter.evaluation.runs import open_run

from .tables import items_of, probe, replies_of, write
from .test_commands import make_run

TESTS = 200
SHARES = (0.5, 0.75, 0.9, 1.0)


def probes_of(name: str, images: int, per_image: int) -> list[Probe]:
    return [
        probe(f"{name}-{image}-{number}", "same", ["yes", "yes"], test=name, image_id=f"{name}-{image}")
        for image in range(images)
        for number in range(per_image)
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs of a suite of 200 tests over 2 to 30 images, each as if it were a run of its own."""
    folder = tmp_path_factory.mktemp("doors")
    rng = np.random.default_rng(33)
    probes: list[Probe] = []
    said: dict[str, dict[str, str]] = {"old": {}, "new": {}}
    for test in range(TESTS):
        own = probes_of(f"t{test:03}", int(rng.integers(2, 31)), int(rng.integers(1, 4)))
        for replies in said.values():
            share = rng.choice(SHARES)
            for one in own:
                replies |= {item.item_id: "yes" if rng.random() < share else "no" for item in one.items}
        probes += own
    write(folder / "suite", *probes)
    old, new = (make_run(folder / name, folder / "suite", replies, name=name) for name, replies in said.items())
    return old, new


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(sys, "argv", ["falter", *map(str, arguments)])
        main()
    return capsys.readouterr().out


def test_every_door_has_the_same_interval_of_a_score(
    runs: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = falter.score(open_run(runs[1]), measures=["acc", "c_acc"])
    scores = {(one.test, one.measure): (one.low, one.high) for one in table if one.low is not None}
    assert len(scores) == 2 * TESTS + 2
    told = json.loads(command(capsys, "score", runs[1], "--measure", "acc", "--measure", "c_acc", "--json"))
    in_json = {(one["group"]["test"], one["measure"]): (one["low"], one["high"]) for one in told[0]["scores"]}
    assert {key: in_json[key] for key in scores} == scores
    rows = table.to_polars().drop_nulls("low").select("test", "measure", "low", "high").rows()
    assert {(test, measure): (low, high) for test, measure, low, high in rows} == scores
    table.to_csv(tmp_path / "scores.csv")
    written = csv.DictReader(io.StringIO((tmp_path / "scores.csv").read_text()))
    in_csv = {(row["test"], row["measure"]): (row["low"], row["high"]) for row in written if row["low"]}
    assert {key: tuple(map(float, ends)) for key, ends in in_csv.items()} == scores
    printed = str(table).replace("–", " ")
    for low, high in list(scores.values())[:20]:
        assert f"{100 * (low or 0):.1f}" in printed and f"{100 * (high or 0):.1f}" in printed
    data = collect_scores([open_run(runs[1])])
    report = {(one.score.group.test, one.score.measure): (one.score.low, one.score.high) for one in data.scores}
    assert {key: report[key] for key in scores} == scores
    (drop,) = plot_data(data, "drop")
    plotted = {(row.test, row.measure): (row.low, row.high) for row in drop.rows}
    assert len(plotted) >= 2 * TESTS
    assert plotted == {key: scores[key] for key in plotted}
    required = [f"s.t{test:03}.c_acc{sign}50%" for test in range(TESTS) for sign in (">=", "<=")]
    for one in falter.check(runs[1], required):
        ends = scores[one.requirement.group.test, "c_acc"]
        assert (one.score.low, one.score.high) == ends
        assert one.interval_end == ends[0 if one.requirement.is_floor else 1]


def test_a_gate_and_a_comparison_have_the_same_interval_of_a_difference(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    compared = {(one.group.test, one.measure): one for one in falter.compare(runs[0], runs[1])}
    told = json.loads(command(capsys, "compare", runs[0], runs[1], "--json"))["comparisons"]
    assert {(one["group"]["test"], one["measure"]): (one["low"], one["high"]) for one in told} == {
        key: (one.low, one.high) for key, one in compared.items()
    }
    required = [f"s.t{test:03}.c_acc>=baseline" for test in range(TESTS)]
    for found in falter.check(runs[1], required, baseline=runs[0]):
        one = compared[found.requirement.group.test, "c_acc"]
        assert found.comparison is not None
        assert (found.comparison.low, found.comparison.high, found.interval_end) == (one.low, one.high, one.low)
        assert (
            one.low is not None
            and one.high is not None
            and one.low < (one.difference or 0) + 1e-9
            and one.low < one.high
        )


def gate(folder: Path, requirement: str, right: list[bool], old: list[bool] | None = None) -> CheckResult:
    """A requirement on questions of an image each."""
    probes = [probe(f"p{number}", "same", ["yes"], image_id=f"i{number}") for number in range(len(right))]
    write(folder / "suite", *probes)
    for name, flags in (("new", right), ("old", old or right)):
        replies = {f"p{number}.0": "yes" if flag else "no" for number, flag in enumerate(flags)}
        make_run(folder / name, folder / "suite", replies, name=name)
    baseline = None if old is None else folder / "old"
    (found,) = falter.check(folder / "new", requirement, baseline=baseline)
    return found


@pytest.mark.parametrize(
    ("requirement", "right", "old"),
    [
        ("s.t.acc>=99%", [True] * 12, None),
        ("s.t.acc>=75%", [True] * 11 + [False], None),
        ("s.t.acc>=99%", [True] * 2, None),
        ("s.t.f1>=99%", [True] * 12, None),
        ("s.t.acc>=baseline+90%", [True] * 2, [False] * 2),
        ("s.t.f1>=baseline+20%", [True] * 12, [True] * 6 + [False] * 6),
    ],
)
def test_few_questions_pass_no_high_bound(
    tmp_path: Path, requirement: str, right: list[bool], old: list[bool] | None
) -> None:
    found = gate(tmp_path, requirement, right, old)
    assert found.verdict == "undecided"
    if "f1>=baseline" in requirement:
        assert "too few images" in found.reason


def test_the_interval_of_twelve_right_answers_is_that_of_clopper_and_pearson(tmp_path: Path) -> None:
    found = gate(tmp_path, "s.t.acc>=73%", [True] * 12)
    assert (found.verdict, found.interval_end) == ("met", pytest.approx(0.025 ** (1 / 12)))
    assert "|interval:exact|" in found.score.signature


def test_a_comparison_names_no_better_f1_on_few_questions() -> None:
    probes = [probe(f"p{number}", "same", ["yes"], image_id=f"i{number}") for number in range(12)]
    first, second = ({f"p{n}.0": "yes" if n < right else "no" for n in range(12)} for right in (5, 12))
    found = {
        one.measure: one for one in compare_tables(items_of(*probes), replies_of(first), replies_of(second)).comparisons
    }
    assert (found["f1"].better, found["f1"].low, found["f1"].interval) == (None, None, "none")
    assert "|interval:none|" in found["f1"].signature
