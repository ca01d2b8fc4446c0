"""Coverage by hand, and the identity that ties it to accuracy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.core.errors import UsageError
from falter.data.suite import open_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.measures import MEASURES, ONE, Measure, Overlap, correct, o, overlap_tables, score_tables
from falter.evaluation.models import load_model
from falter.evaluation.runs import open_run
from falter.evaluation.runs.scoring import overlap_runs
from falter.evaluation.score_options import ScoreOptions
from tests.cli.commands import falter, refused
from tests.measures.tables import items_of, probe, replies_of, write
from tests.measures.test_foils import foil, told

PROBES = [
    probe("p1", "same", ["yes", "yes"]),
    probe("p2", "same", ["yes", "yes"]),
    probe("p3", "different", ["yes", "no"]),
    probe("q1", "same", ["no", "no"], test="u"),
]
FIRST = {
    "p1.0": "yes", "p1.1": "yes",
    "p2.0": "yes", "p2.1": "no",
    "p3.0": "yes", "p3.1": "no",
    "q1.0": "yes", "q1.1": "yes",
}  # fmt: skip
SECOND = {
    "p1.0": "yes", "p1.1": "no",
    "p2.0": "no", "p2.1": "no",
    "p3.0": "yes", "p3.1": "no",
    "q1.0": "no", "q1.1": "no",
}  # fmt: skip


def matrix(found: list[Overlap], test: str, over: str) -> dict[tuple[int, int], tuple[float | None, int]]:
    return {(one.run, one.given): (one.value, one.n) for one in found if one.group.test == test and one.over == over}


def test_shares_of_what_the_other_gets_right() -> None:
    found = overlap_tables(items_of(*PROBES), [replies_of(FIRST), replies_of(SECOND)])
    # The first has five questions right and two pairs; the second three questions and one pair, all within these.
    assert matrix(found, "t", "instances") == {(0, 1): (1.0, 3), (1, 0): (3 / 5, 5)}
    assert matrix(found, "t", "pairs") == {(0, 1): (1.0, 1), (1, 0): (1 / 2, 2)}


def test_nothing_right_leaves_nothing_to_cover() -> None:
    found = overlap_tables(items_of(*PROBES), [replies_of(FIRST), replies_of(SECOND)])
    assert matrix(found, "u", "instances") == {(0, 1): (0.0, 2), (1, 0): (None, 0)}


def test_a_pair_that_one_run_lacks_counts_for_these_two_only() -> None:
    lacking = {**SECOND, "p3.1": "!failed"}
    found = overlap_tables(items_of(*PROBES), [replies_of(FIRST), replies_of(lacking), replies_of(FIRST)])
    assert matrix(found, "t", "instances")[1, 0] == (1 / 3, 3)
    assert matrix(found, "t", "instances")[2, 0] == (1.0, 5)


def test_measures_over_sets_or_of_other_columns_do_not_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MEASURES, "_added", {})
    usual = overlap_tables(items_of(*PROBES), [replies_of(FIRST), replies_of(SECOND)])
    for name, grain, part in (("whole", "set", correct(o).all()), ("other", "pair", pl.col("facet:none") == "x")):
        sums = {"part": part, "n": ONE}
        measure = Measure(name=name, title=name, description=".", grain=grain, sums=sums, counts_correct=True)
        MEASURES.add(name, measure)
    assert overlap_tables(items_of(*PROBES), [replies_of(FIRST), replies_of(SECOND)]) == usual


def test_no_pairs_have_no_coverage() -> None:
    assert overlap_tables(items_of(), [replies_of(FIRST), replies_of(SECOND)]) == []


def test_the_signature_says_what_was_counted() -> None:
    found = overlap_tables(items_of(*PROBES), [replies_of(FIRST), replies_of(SECOND)])
    assert all(f"|over:{one.over}|pairs:kept-by-both|n:{one.n}" in one.signature for one in found)


answers = st.fixed_dictionaries({name: st.sampled_from(["yes", "no", "red", "!unparsed"]) for name in FIRST})


@given(answers, answers)
@settings(max_examples=60, deadline=None)
def test_what_both_get_right_is_the_same_seen_from_either(one: dict[str, str], two: dict[str, str]) -> None:
    items, tables = items_of(*PROBES), [replies_of(one), replies_of(two)]
    found = overlap_tables(items, tables)
    measures = [
        {
            (score.group.test, score.measure): score.value
            for score in score_tables(items, table, ScoreOptions(n_resamples=0))
        }
        for table in tables
    ]
    for test in ("t", "u"):
        for over, measure in (("instances", "acc"), ("pairs", "c_acc")):
            shares = matrix(found, test, over)
            of_first, of_second = (measured[test, measure] for measured in measures)
            assert of_first is not None
            assert of_second is not None
            left = (shares[0, 1][0] or 0) * of_second
            right = (shares[1, 0][0] or 0) * of_first
            assert left == pytest.approx(right)


def foils(*scores: tuple[float, float]) -> Any:
    return told({f"f{place}.{side}": score for place, pair in enumerate(scores) for side, score in enumerate(pair)})


def test_of_captions_and_foils_pairs_that_are_ranked_right_are_covered() -> None:
    items = items_of(*(foil(f"f{place}") for place in range(4)), PROBES[0])
    one = foils((0.9, 0.1), (0.8, 0.2), (0.5, 0.5), (0.1, 0.4))
    # Two pairs won as the first has them, and one more that the first ties.
    other = foils((0.3, 0.2), (0.1, 0.9), (0.6, 0.2), (0.2, 0.7))
    found = [each for each in overlap_tables(items, [one, other]) if each.group.test == "t" and each.over == "pairs"]
    assert [(each.run, each.given, each.value, each.n) for each in found] == [(0, 1, 0.5, 2), (1, 0, 0.5, 2)]
    alone = overlap_tables(items_of(*(foil(f"f{place}") for place in range(4))), [one, other])
    assert {each.over for each in alone} == {"pairs"}
    assert [each.value for each in alone] == [0.5, 0.5]


def test_coverage_of_foils_is_over_the_valid_pairs_and_told(tmp_path: Path) -> None:
    marks = [{"valid": "yes", "unanimous": "no"}] * 3 + [{"valid": "no", "unanimous": "no"}]
    write(tmp_path / "suite", *(foil(f"f{place}", facets=mark) for place, mark in enumerate(marks)))
    runs = []
    for name, won in (("one", (1, 1, 0, 1)), ("other", (1, 0, 1, 0))):
        scores = {f"f{place}.{side}": float(won[place] != side) for place in range(4) for side in (0, 1)}
        rows = [json.dumps({"item_id": item, "score": score}) for item, score in scores.items()]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
        spec = f"file:{tmp_path / name}.jsonl#score_kind=similarity"
        runs.append(run_suite(open_suite(tmp_path / "suite"), load_model(spec), tmp_path / name))
    assert [(each.value, each.n) for each in overlap_runs(runs)] == [(1 / 2, 2), (1 / 2, 2)]
    assert [(each.value, each.n) for each in overlap_runs(runs, ScoreOptions(subset="all"))] == [(1 / 2, 2), (1 / 3, 3)]
    done = falter("compare", *(run.folder for run in runs), "--what", "overlap")
    assert "50.0" in done.stdout
    assert "caption scores above its foil" in " ".join(done.stdout.split())


def ask(folder: Path, name: str, replies: dict[str, str]) -> Path:
    rows = [json.dumps({"item_id": item, "answer": answer}) for item, answer in replies.items()]
    (folder / f"{name}.jsonl").write_text("\n".join(rows))
    return run_suite(open_suite(folder / "suite"), load_model(f"file:{folder / name}.jsonl"), folder / name).folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("coverage")
    write(folder / "suite", *PROBES)
    return ask(folder, "first", FIRST), ask(folder, "second", SECOND)


def test_the_command_prints_a_matrix_for_every_test(runs: tuple[Path, Path]) -> None:
    done = falter("compare", *runs, "--what", "overlap")
    assert done.returncode == 0, done.stderr
    assert "first" in done.stdout
    assert "given" in done.stdout
    assert "s:t" in done.stdout
    assert "s:u" in done.stdout
    assert "60.0" in done.stdout


def test_the_command_gives_json_with_names_and_numbers(runs: tuple[Path, Path]) -> None:
    told: dict[str, Any] = json.loads(falter("compare", *runs, "--what", "overlap", "--json").stdout)
    assert [run["model"] for run in told["runs"]] == ["first", "second"]
    wanted = {"group": {"suite": "s", "test": "t", "facet": None, "value": None}, "over": "pairs"}
    found = [one for one in told["coverage"] if all(one[key] == value for key, value in wanted.items())]
    assert [(one["covering"], one["covered"], one["value"], one["n"]) for one in found] == [
        (0, 1, 1.0, 1),
        (1, 0, 0.5, 2),
    ]


def test_one_run_or_runs_of_two_suites_are_refused(runs: tuple[Path, Path], tmp_path: Path) -> None:
    assert "two or more" in refused("compare", runs[0], "--what", "overlap")
    write(tmp_path / "suite", PROBES[0])
    other = ask(tmp_path, "other", {"p1.0": "yes", "p1.1": "yes"})
    with pytest.raises(UsageError, match="different suites"):
        overlap_runs([open_run(runs[0]), open_run(other)])
