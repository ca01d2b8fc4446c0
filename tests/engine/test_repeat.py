"""Asking everything several times: each time on disk by itself, resumed like the first, never from the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from falter.core.errors import UsageError
from falter.data.model import Request
from falter.evaluation.engine import ReplyCache, dry_run, run_suite
from falter.evaluation.runs import RunSettings, open_run
from falter.evaluation.runs.replies import read_log
from tests.engine.self_batching_models import Wavering
from tests.engine.small_suite import Recorder, make_suite


def wavering() -> Recorder:
    """Says yes the first time that it is asked something, no the second, and so on."""
    times: dict[str, int] = {}

    def answer(request: Request) -> str:
        times[request.item_id] = times.get(request.item_id, -1) + 1
        return ("yes", "no")[times[request.item_id] % 2]

    return Recorder(answer)


@pytest.mark.parametrize("model", [wavering(), Wavering()])
def test_every_item_is_asked_k_times_and_the_first_time_counts(tmp_path: Path, model: Recorder | Wavering) -> None:
    suite = make_suite(tmp_path / "suite")
    items = {item.item_id for item in suite.items()}
    run = run_suite(suite, model, tmp_path / "run", RunSettings(repeat=3))
    assert sorted(model.asked) == sorted([*items] * 3)
    assert run.repeat == 3
    assert run.manifest.settings["repeat"] == 3
    assert run.manifest.asked == sum(run.manifest.counts.values()) == len(items)
    assert [run.replies(number)["answer"].unique().to_list() for number in (1, 2, 3)] == [["yes"], ["no"], ["yes"]]
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        *("replies-2.parquet", "replies-3.parquet", "replies.parquet", "run.json")
    ]
    with pytest.raises(ValueError, match="there is no 4"):
        run.replies(4)


def test_the_first_time_is_the_run_that_asks_once(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    run_suite(suite, wavering(), tmp_path / "once")
    run_suite(suite, wavering(), tmp_path / "twice", RunSettings(repeat=2))
    name = "replies.parquet"
    assert (tmp_path / "once" / name).read_bytes() == (tmp_path / "twice" / name).read_bytes()
    with pytest.raises(UsageError, match="its repeat is 2, not 3"):
        run_suite(suite, wavering(), tmp_path / "twice", RunSettings(repeat=3))


def test_a_stop_in_any_repetition_goes_on_where_it_was(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=10)
    items = len({item.item_id for item in suite.items()})

    def stopped(after: int) -> Recorder:
        def answer(request: Request) -> str:
            if len(model.asked) > after:
                raise KeyboardInterrupt
            return "no" if "no thing" in request.text else "yes"

        model = Recorder(answer)
        model.declare(batch_size=1)
        return model

    run_suite(suite, stopped(10**9), tmp_path / "clean", RunSettings(repeat=3))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run_suite(suite, stopped(items - 4), tmp_path / "run", RunSettings(repeat=3))
    logs = [len(read_log(tmp_path / "run" / name).replies) for name in ("replies.jsonl", "replies-2.jsonl")]
    assert logs == [items, items - 8]
    assert open_run(tmp_path / "run").replies(3).is_empty()
    plan = dry_run(suite, stopped(0), tmp_path / "run", RunSettings(repeat=3))
    assert (plan.answered, plan.to_ask, plan.repeat) == (2 * items - 8, items + 8, 3)
    last = stopped(10**9)
    run_suite(suite, last, tmp_path / "run", RunSettings(repeat=3))
    assert len(last.asked) == items + 8
    for path in (tmp_path / "clean").iterdir():
        assert path.read_bytes() == (tmp_path / "run" / path.name).read_bytes()


def test_a_cache_answers_the_first_time_alone(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=10)
    items = len({item.item_id for item in suite.items()})
    with ReplyCache(tmp_path / "cache") as cache:
        run_suite(suite, Recorder(), tmp_path / "one", cache=cache)
        model = Recorder(lambda request: "no")
        run = run_suite(suite, model, tmp_path / "two", RunSettings(repeat=3), cache=cache)
    assert len(model.asked) == 2 * items
    assert set(run.replies()["answer"]) == {"yes"}
    assert set(run.replies(3)["answer"]) == {"no"}


def test_predictions_cannot_be_asked_twice(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=2)
    model = Recorder()
    model.declare(replays=True)
    for settings in (RunSettings(repeat=2), RunSettings(image_input="blank")):
        with pytest.raises(UsageError, match="--image-input and --repeat need a model that can be called"):
            run_suite(suite, model, tmp_path / "run", settings)
    with pytest.raises(UsageError, match="--repeat is at least 1"):
        RunSettings(repeat=0)
