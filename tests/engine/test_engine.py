"""The engine: everything once, nothing lost, nothing misaligned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from falter.core.errors import InputError, UsageError
from falter.data.items import Probe, Turn
from falter.data.model import PermanentError, Reply, Request, TransientError, is_transient
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import ReplyCache, dry_run, run_suite
from falter.evaluation.engine.cache import cache_key
from falter.evaluation.engine.model_calls import ModelBrokenError
from falter.evaluation.runs import RunSettings, open_run
from falter.evaluation.runs.replies import lock_folder, read_log
from tests.engine.small_suite import Recorder, make_item, make_suite, stop_after

no_sleep = {"sleep": lambda seconds: None}


def test_every_distinct_item_is_asked_once(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=40)
    model = Recorder()
    run = run_suite(suite, model, tmp_path / "run", spec="python:x:y")
    distinct = {item.item_id for item in suite.items()}
    assert len(distinct) < suite.item_count
    assert len(model.asked) == len(distinct)
    assert set(model.asked) == distinct
    frame = run.replies()
    assert frame["item_id"].to_list() == sorted(distinct)
    assert frame["answer"].unique().to_list() == ["yes"]
    assert run.manifest.complete
    assert run.manifest.counts == {"ok": len(distinct), "unparsed": 0, "unsupported": 0, "failed": 0}
    assert run.manifest.model.spec == "python:x:y"
    assert run.manifest.suite.path == "../suite"
    assert run.suite().fingerprint == suite.fingerprint
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["replies.parquet", "run.json"]


def test_a_complete_run_is_not_asked_again(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    run_suite(suite, Recorder(), tmp_path / "run")
    again = Recorder()
    run_suite(suite, again, tmp_path / "run")
    assert again.asked == []


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_size_of_batches_changes_nothing(tmp_path: Path, size: int) -> None:
    suite = make_suite(tmp_path / "suite")
    run_suite(suite, Recorder(), tmp_path / "one")
    model = Recorder()
    run_suite(suite, model, tmp_path / "two", batch_size=size)
    assert max(model.batches) <= size
    for name in ("replies.parquet", "run.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.filterwarnings("ignore:.*cut off, damaged or edited:falter.core.errors.FalterWarning")
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(stops=st.lists(st.integers(0, 25), max_size=4), torn=st.integers(0, 60))
def test_stopping_and_tearing_end_in_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, stops: list[int], torn: int
) -> None:
    folder = tmp_path_factory.mktemp("stops")
    suite = make_suite(folder / "suite", probes=20)
    clean = stop_after(10**9)
    run_suite(suite, clean, folder / "clean")
    out = folder / "run"
    received: set[str] = set()
    for stop in stops:
        model = stop_after(stop)
        if not (out / "run.json").exists() or not open_run(out).manifest.complete:
            try:
                run_suite(suite, model, out)
            except KeyboardInterrupt:
                log = out / "replies.jsonl"
                whole = read_log(log).replies
                # A killed process may leave any part of a line behind.
                line = b'{"item_id":"zzzz","text":"yes, there is","answer":"yes"}\n'
                log.write_bytes(log.read_bytes() + line[: torn % len(line)])
                assert read_log(log).replies == whole
        assert not received & set(model.asked[: len(model.asked) - model.capabilities.batch_size])
        received |= set(read_log(out / "replies.jsonl").replies)
    last = stop_after(10**9)
    run_suite(suite, last, out)
    for name in ("replies.parquet", "run.json"):
        assert (out / name).read_bytes() == (folder / "clean" / name).read_bytes()


def test_another_model_suite_or_limit_does_not_resume(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    run_suite(suite, Recorder(), tmp_path / "run")
    with pytest.raises(UsageError, match="the model recorder has changed"):
        run_suite(suite, Recorder(fingerprint="2"), tmp_path / "run")
    with pytest.raises(UsageError, match="limit"):
        run_suite(suite, Recorder(), tmp_path / "run", RunSettings(limit=3))
    with pytest.raises(UsageError, match="its suite is"):
        run_suite(make_suite(tmp_path / "other", probes=3), Recorder(), tmp_path / "run")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match=r"letter\.txt"):
        run_suite(suite, Recorder(), tmp_path / "full")


def test_two_processes_do_not_write_to_one_run(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    (tmp_path / "run").mkdir()
    with lock_folder(tmp_path / "run"), pytest.raises(UsageError, match="another falter run"):
        run_suite(suite, Recorder(), tmp_path / "run")
    run_suite(suite, Recorder(), tmp_path / "run")


def failing(error: Exception, *, on: str) -> Recorder:
    def answer(request: Request) -> str:
        if on in request.text:
            raise error
        return "yes"

    return Recorder(answer)


def test_one_failure_does_not_spoil_its_batch(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    run = run_suite(suite, failing(ValueError("boom"), on="a thing 5?"), tmp_path / "run", **no_sleep)
    failed = run.replies().filter(pl.col("status") == "failed")
    assert failed["error"].to_list() == ["ValueError: boom"]
    assert failed["answer"].to_list() == [None]
    assert run.manifest.complete
    # What failed for good is on record, and a later run leaves it.
    again = Recorder()
    run_suite(suite, again, tmp_path / "run")
    assert again.asked == []


def test_transient_failures_are_retried_with_growing_waits(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    left = [2]

    def answer(request: Request) -> str:
        if "a thing 5?" in request.text and left[0] >= 0:
            left[0] -= 1
            raise TransientError("busy")
        return "yes"

    waits: list[float] = []
    run = run_suite(suite, Recorder(answer), tmp_path / "run", sleep=waits.append)
    assert run.manifest.counts["failed"] == 0
    assert waits == [0.5, 1.0]


def test_transient_failures_that_stay_are_asked_again_by_the_next_run(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    run = run_suite(suite, failing(TransientError("busy", wait=7), on="a thing 5?"), tmp_path / "run", **no_sleep)
    assert not run.manifest.complete
    assert run.manifest.counts["failed"] == 1
    failed = [reply for reply in read_log(tmp_path / "run" / "replies.jsonl").replies.values() if is_transient(reply)]
    model = Recorder()
    run = run_suite(suite, model, tmp_path / "run")
    assert model.asked == [reply.item_id for reply in failed]
    run_suite(suite, Recorder(), tmp_path / "clean")
    assert (tmp_path / "run" / "replies.parquet").read_bytes() == (tmp_path / "clean" / "replies.parquet").read_bytes()


def test_a_broken_model_stops_the_run_and_leaves_no_failures_behind(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    broken = failing(RuntimeError("no weights"), on="")
    with pytest.raises(ModelBrokenError, match=r"first 20 items \(RuntimeError: no weights"):
        run_suite(suite, broken, tmp_path / "run", **no_sleep)
    assert len(set(broken.asked)) < 30
    mended = Recorder()
    run = run_suite(suite, mended, tmp_path / "run")
    assert run.manifest.counts["failed"] == 0


def test_early_failures_are_kept_once_something_works(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    run = run_suite(suite, failing(PermanentError("bad picture"), on="a thing 0?"), tmp_path / "run", batch_size=1)
    assert run.replies().filter(pl.col("status") == "failed")["error"].to_list() == ["bad picture"]


@pytest.mark.parametrize(
    "crooked",
    [
        lambda batch: [Reply(item_id="someone else", answer="yes") for _ in batch],
        lambda batch: [None for _ in batch],
        lambda batch: [Reply(item_id=request.item_id, answer=3) for request in batch],  # type: ignore[arg-type]
        lambda batch: [Reply(item_id=request.item_id, status="fine") for request in batch],  # type: ignore[arg-type]
        lambda batch: [Reply(item_id=request.item_id, score=float("nan")) for request in batch],
        lambda batch: [Reply(item_id=request.item_id, score="high") for request in batch],  # type: ignore[arg-type]
        lambda batch: [Reply(item_id=request.item_id) for request in batch],
    ],
)
def test_crooked_replies_are_failures(tmp_path: Path, crooked: object) -> None:
    suite = make_suite(tmp_path / "suite", probes=4)
    model = Recorder()
    model.reply = crooked  # type: ignore[method-assign,assignment]
    run = run_suite(suite, model, tmp_path / "run", **no_sleep)
    assert set(run.replies()["status"]) == {"failed"}
    assert set(run.replies()["answer"]) == {None}


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        (lambda batch: [], "returned 0 replies to 4 requests"),
        (lambda batch: ["yes"] * (len(batch) - 1), "returned 3 replies to 4 requests"),
        (lambda batch: ["yes"] * (len(batch) + 1), "returned 5 replies to 4 requests"),
        (lambda batch: "yes", "returned a str instead of a list of replies"),
        (lambda batch: None, "returned a NoneType instead of a list of replies"),
    ],
)
def test_not_one_reply_per_request_is_an_error(
    tmp_path: Path, returned: Callable[[Sequence[Request]], Any], told: str
) -> None:
    suite = make_suite(tmp_path / "suite", probes=6)
    model = Recorder()
    calls: list[int] = []

    def reply(batch: Sequence[Request]) -> Any:
        calls.append(len(batch))
        return ["yes"] * len(batch) if len(calls) == 1 else returned(batch)

    model.reply = reply  # type: ignore[method-assign]
    with pytest.raises(ModelBrokenError, match=f"recorder {told}; it must return one per request"):
        run_suite(suite, model, tmp_path / "run", **no_sleep)
    assert calls == [4, 4], "the batch is not called again item by item"
    assert len(open_run(tmp_path / "run").replies()) == 4, "what came before is kept"


def test_replies_in_another_order_go_by_their_ids(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    model = Recorder()

    def reversed_reply(batch: list[Request]) -> list[Reply]:
        return [Reply(item_id=request.item_id, answer=request.text) for request in reversed(batch)]

    model.reply = reversed_reply  # type: ignore[method-assign,assignment]
    frame = run_suite(suite, model, tmp_path / "run").replies()
    texts = {item.item_id: item.text for item in suite.items()}
    assert dict(zip(frame["item_id"], frame["answer"], strict=True)) == texts


def test_texts_are_read_as_answers(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=6)
    texts = iter(["Yes, there is.", "maybe", "**No**", "purple", "", "\ud800 yes \x00"] * 3)
    frame = run_suite(suite, Recorder(lambda request: next(texts)), tmp_path / "run").replies()
    read = {(row["text"], row["status"], row["answer"]) for row in frame.iter_rows(named=True)}
    assert {
        ("Yes, there is.", "ok", "yes"),
        ("maybe", "unparsed", None),
        ("**No**", "ok", "no"),
        ("purple", "ok", "purple"),
        ("", "unparsed", None),
    } <= read


def test_scores_of_choices_give_an_answer(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=2)

    def answer(request: Request) -> Reply:
        return Reply(item_id=request.item_id, choice_scores={"no": -1.0, "yes": -2.5})

    frame = run_suite(suite, Recorder(answer), tmp_path / "run").replies()
    assert set(frame["answer"]) == {"no"}
    assert frame["choice_scores"][0].to_list() == [{"choice": "no", "score": -1.0}, {"choice": "yes", "score": -2.5}]


def test_what_a_model_cannot_be_asked_is_unsupported(tmp_path: Path) -> None:
    with create_suite(tmp_path / "suite", SuiteManifest(name="mixed")) as writer:
        writer.add(Probe((make_item(0, 0, "A dog.", task="match", choices=None), make_item(0, 1, "Is there a dog?"))))
    suite = open_suite(tmp_path / "suite")
    model = Recorder()
    frame = run_suite(suite, model, tmp_path / "run").replies()
    assert sorted(frame["status"]) == ["ok", "unsupported"]
    assert len(model.asked) == 1
    sighted = Recorder()
    sighted.declare(needs_image=True)
    assert set(run_suite(suite, sighted, tmp_path / "run2").replies()["status"]) == {"unsupported"}


def test_missing_pictures_stop_a_model_that_needs_them(tmp_path: Path) -> None:
    with create_suite(tmp_path / "suite", SuiteManifest(name="pictures")) as writer:
        for number in range(8):
            writer.add(
                Probe((make_item(number, 0, f"Q{number}?", image=f"images/{number}.png", image_id=f"i{number}"),))
            )
    suite = open_suite(tmp_path / "suite")
    model = Recorder()
    model.declare(needs_image=True)
    with pytest.raises(InputError, match="8 are not available: i0, i1, i2, i3, i4 and 3 more"):
        run_suite(suite, model, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert model.asked == []
    assert run_suite(suite, Recorder(), tmp_path / "run").manifest.complete


@pytest.mark.parametrize(
    ("made_by", "hint"),
    [
        ("falter import valse", "put them back, give falter import valse --images with the folder that holds them, or"),
        ("falter generate carets", "put them back, give falter generate carets --images copy, or"),
        ("", "put them back, or run a model that needs none"),
    ],
)
def test_missing_pictures_are_brought_by_what_made_the_suite(tmp_path: Path, made_by: str, hint: str) -> None:
    with create_suite(tmp_path / "suite", SuiteManifest(name="pictures", made_by=made_by)) as writer:
        writer.add(Probe((make_item(0, 0, "Is it red?", image="images/0.png", image_id="i0"),)))
    model = Recorder()
    model.declare(needs_image=True)
    with pytest.raises(InputError) as caught:
        run_suite(open_suite(tmp_path / "suite"), model, tmp_path / "run")
    assert hint in str(caught.value)


def test_context_is_put_before_the_text_for_a_model_that_reads_none(tmp_path: Path) -> None:
    import msgspec

    item = msgspec.structs.replace(
        make_item(0, 0, "Is it black?"), context=(Turn("user", "What is it?"), Turn("bot", "A dog."))
    )
    with create_suite(tmp_path / "suite", SuiteManifest(name="dialogue")) as writer:
        writer.add(Probe((item,)))
    shown: list[Request] = []
    model = Recorder(lambda request: shown.append(request) or "yes")
    run_suite(open_suite(tmp_path / "suite"), model, tmp_path / "run")
    assert shown[0].text == "user: What is it?\nbot: A dog.\nIs it black?"
    model.declare(reads_context=True)
    run_suite(open_suite(tmp_path / "suite"), model, tmp_path / "run2")
    assert shown[1].context is not None
    assert shown[1].text == "Is it black?"


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    model = Recorder()
    plan = dry_run(suite, model, tmp_path / "run", RunSettings(limit=10))
    assert (plan.probes, plan.rows, plan.answered) == (10, 20, 0)
    assert plan.to_ask == plan.items <= 20
    assert model.asked == []
    assert not (tmp_path / "run").exists()


def test_the_cache_spares_questions_but_keeps_no_failures(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    with ReplyCache(tmp_path / "cache") as cache:
        run_suite(suite, failing(ValueError("boom"), on="a thing 5?"), tmp_path / "one", cache=cache)
        model = Recorder()
        run_suite(suite, model, tmp_path / "two", cache=cache)
        texts = {item.item_id: item.text for item in suite.items()}
        assert [texts[item_id] for item_id in model.asked] == ["Is there a thing 5?"]
        other = Recorder(fingerprint="2")
        run_suite(suite, other, tmp_path / "three", cache=cache)
        assert len(other.asked) == len(texts)
    run_suite(suite, Recorder(), tmp_path / "clean")
    assert (tmp_path / "two" / "replies.parquet").read_bytes() == (tmp_path / "clean" / "replies.parquet").read_bytes()


def test_the_cache_key_knows_model_text_choices_context_and_picture() -> None:
    base = {"item_id": "x", "task": "answer", "text": "Is there a dog?", "image_sha256": "s", "choices": ("yes", "no")}
    requests = [
        Request(**base),
        Request(**base | {"text": "Is there a cat?"}),
        Request(**base | {"image_sha256": "t"}),
        Request(**base | {"choices": ("no", "yes")}),
        Request(**base | {"choices": None}),
        Request(**base | {"task": "match"}),
        Request(**base, context=(Turn("user", "hello"),)),
    ]
    keys = {cache_key(Recorder(fingerprint=mark), request) for request in requests for mark in "12"}
    assert len(keys) == 14
    assert cache_key(Recorder(), Request(**base | {"item_id": "y", "source_id": "z"})) == cache_key(
        Recorder(), requests[0]
    )
