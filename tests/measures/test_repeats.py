"""The noise floor: what identical questions get, counted by hand and by another road."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.data.model import Reply, Request
from falter.evaluation.engine import run_suite
from falter.evaluation.measures import Score, ScoringSettings
from falter.evaluation.measures.repeats import score_repeats
from falter.evaluation.reporting.collect_data import collect_scores
from falter.evaluation.reporting.ranking import control_runs
from falter.evaluation.reporting.scores import ScoresByModel
from falter.evaluation.reporting.svg_charts import percent
from falter.evaluation.reporting.tables import other_measures
from falter.evaluation.runs import RunSettings
from falter.evaluation.runs.replies import replies_to_table
from falter.evaluation.runs.scoring import score_run
from falter.evaluation.score_options import ScoreOptions
from tests.engine.small_suite import Recorder, make_suite
from tests.measures.tables import items_of, probe


def table(replies: Mapping[str, Reply | str]) -> pa.Table:
    made = [
        Reply(item_id=key, status=said[1:]) if isinstance(said, str) and said[0] == "!" else  # type: ignore[arg-type]
        Reply(item_id=key, answer=said) if isinstance(said, str) else said
        for key, said in replies.items()
    ]  # fmt: skip
    return replies_to_table(made)


def by_name(scores: list[Score]) -> dict[str, Score]:
    return {score.measure: score for score in scores}


def test_by_hand() -> None:
    items = items_of(
        probe("a", "same", ["yes", "yes"], image_id="1"),
        probe("b", "different", ["yes", "no"], image_id="2"),
        probe("c", "same", ["yes", "yes"], image_id="2", item_ids=["a.0", "c.1"]),
    )
    replies = [
        {"a.0": "yes", "a.1": "Yes", "b.0": "no", "b.1": "!unparsed", "c.1": "yes"},
        {"a.0": "yes", "a.1": "the yes", "b.0": "yes", "b.1": "!unparsed", "c.1": "!failed"},
        {"a.0": "no", "a.1": "yes", "b.0": "maybe so", "b.1": "!unparsed", "c.1": "yes"},
    ]
    scores = by_name(score_repeats(items, [table(one) for one in replies], ScoringSettings()))
    # a.0 wavers once, a.1 never (after normalization), b.0 always; c.1 was once not had, and is left out.
    assert scores["noise_floor"].value == pytest.approx(2 / 4)
    assert scores["noise_floor"].n == 4
    # Pair a: (1/3 + 1)/2; pair b: (0 + 1)/2; pair c has no second side.
    assert scores["cons_identical"].value == pytest.approx(((1 / 3 + 1) / 2 + 0.5) / 2)
    assert scores["cons_identical"].n == 2
    assert "|repeat:3|" in scores["noise_floor"].signature
    assert "order_noise" not in scores
    # a.0 is correct in 2 of 3, a.1 in all, b.0 (gold yes) once, b.1 never; c.1 was once not received.
    assert scores["acc_expected"].value == pytest.approx((2 / 3 + 1 + 1 / 3 + 0) / 4)
    # The commonest answer: a.0 yes, a.1 yes, b.0 has three answers of which one is correct, b.1 none.
    assert scores["acc_consensus"].value == pytest.approx((1 + 1 + 1 / 3 + 0) / 4)
    assert scores["repeat_agreement"].value == pytest.approx((1 / 3 + 1 + 0 + 1) / 4)
    # Of the four items 2, 3 and 1 are correct.
    assert scores["repeat_sd"].value == pytest.approx(0.25)
    assert scores["repeat_sd"].low is scores["repeat_sd"].se is None
    assert scores["repeat_sd"].n == scores["acc_expected"].n == 4


def test_order_of_captions_and_foils() -> None:
    items = items_of(
        *(probe(name, "prefer", ["yes", "no"], image_id=name, task="match", choices=None) for name in "abcd")
    )

    def scored(**scores: tuple[float, float]) -> pa.Table:
        return table(
            {
                f"{name}.{side}": Reply(item_id=f"{name}.{side}", score=score, score_kind="logprob")
                for name, both in scores.items()
                for side, score in enumerate(both)
            }
        )

    first = scored(a=(-1, -2), b=(-1, -2), c=(-3, -3), d=(-1, -4))
    second = scored(a=(-1.5, -1.6), b=(-2, -1), c=(-3, -3), d=(-1, -1))
    scores = by_name(score_repeats(items, [first, second], ScoringSettings()))
    assert scores["order_noise"].value == pytest.approx(2 / 4)
    # No threshold lies on a log-probability: no text by itself is decided, and none can waver.
    assert set(scores) == {"order_noise"}


def test_probabilities_waver_across_one_half_alone() -> None:
    items = items_of(probe("a", "prefer", ["yes", "no"], image_id="1", task="match", choices=None))

    def scored(*both: float) -> pa.Table:
        return table(
            {
                f"a.{side}": Reply(item_id=f"a.{side}", score=score, score_kind="probability")
                for side, score in enumerate(both)
            }
        )

    scores = by_name(score_repeats(items, [scored(0.9, 0.5), scored(0.6, 0.51)], ScoringSettings()))
    assert scores["noise_floor"].value == pytest.approx(1 / 2)
    assert scores["order_noise"].value == 0.0


answers = st.sampled_from(["yes", "no", "a cat", "!unparsed", "!failed", "!missing"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.lists(answers, min_size=3, max_size=3), min_size=2, max_size=3), min_size=1, max_size=5))
def test_as_counted_one_by_one(said: list[list[list[str]]]) -> None:
    items = items_of(*(probe(f"p{n}", "same", ["yes"] * len(one), image_id=f"i{n // 2}") for n, one in enumerate(said)))
    replies = [
        {f"p{n}.{v}": times[k] for n, one in enumerate(said) for v, times in enumerate(one) if times[k] != "!missing"}
        for k in range(3)
    ]
    scores = by_name(
        score_repeats(items, [table(one) for one in replies], ScoringSettings(ScoreOptions(n_resamples=0)))
    )
    had = [times for one in said for times in one if not {"!failed", "!missing"} & set(times)]
    if not had:
        assert "noise_floor" not in scores
        return
    assert scores["noise_floor"].value == pytest.approx(sum(len(set(times)) > 1 for times in had) / len(had))
    agrees = [
        [
            None if {"!failed", "!missing"} & set(times) else sum(a == b for a, b in combinations(times, 2)) / 3
            for times in one
        ]
        for one in said
    ]
    pairs = [(one[0] + other) / 2 for one in agrees for other in one[1:] if one[0] is not None and other is not None]
    if pairs:
        assert scores["cons_identical"].value == pytest.approx(sum(pairs) / len(pairs))
    else:
        assert "cons_identical" not in scores


def test_it_stands_beside_cons_in_the_scores_of_a_run(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    times: dict[str, int] = {}

    def answer(request: Request) -> str:
        times[request.item_id] = times.get(request.item_id, -1) + 1
        return "no" if times[request.item_id] == 1 and request.text.endswith("5?") else "yes"

    run = run_suite(suite, Recorder(answer), tmp_path / "run", RunSettings(repeat=3))
    scores = [score for score in score_run(run) if score.group.test == "rephrase"]
    found = by_name(scores)
    # 15 probes, the odd ones: things 5, 15, 25 waver on either side, and nothing else.
    assert found["noise_floor"].value == pytest.approx(6 / 30)
    assert found["noise_floor"].low is not None
    assert found["cons_identical"].value == pytest.approx(1 - (3 / 15) * (2 / 3))
    assert found["cons"].value is not None
    # The report has a table of how stable accuracy is, and nothing of it twice.
    data = collect_scores([run])
    scores_by_model = ScoresByModel(data.scores)
    tables = control_runs(data, scores_by_model)
    assert tables.stability_names == ["expected ACC", "consensus ACC", "sd over repeats", "agreement over repeats"]
    (row,) = [one for one in tables.stability if one.test.test == "rephrase"]
    assert row.cells[0].value == percent(found["acc_expected"].value or 0.0)
    assert row.cells[2].interval == ""
    assert not {one.measure for one in other_measures(data, scores_by_model).rows} & {*tables.stability_names}
    once = run_suite(suite, Recorder(), tmp_path / "once")
    assert not {"noise_floor", "cons_identical", "order_noise"} & set(by_name(score_run(once)))
