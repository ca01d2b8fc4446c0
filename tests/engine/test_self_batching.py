"""Models that arrange their own work: everything once, in any order and any thread, nothing lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from falter.core.errors import FalterError, InputError, UsageError
from falter.data.items import Probe, Turn
from falter.data.model import BudgetExceededError, Reply, Request, TransientError, failed_reply
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import ModelBrokenError, ReplyCache, run_suite
from falter.evaluation.runs import open_run
from falter.evaluation.runs.replies import read_log
from tests.engine.self_batching_models import Streamer, Threaded, said
from tests.engine.small_suite import Recorder, make_item, make_suite


class Batched(Recorder):
    """The same replies, asked batch by batch."""

    name = "streamer"

    def __init__(self) -> None:
        super().__init__(said, fingerprint="streamer")


def same_bytes(one: Path, other: Path) -> bool:
    names = sorted(path.name for path in one.iterdir())
    return names == sorted(path.name for path in other.iterdir()) and all(
        (one / name).read_bytes() == (other / name).read_bytes() for name in names
    )


@pytest.mark.parametrize("model", [Streamer(), Streamer(ahead=1000), Threaded()])
def test_a_stream_ends_in_the_same_bytes_as_batches(tmp_path: Path, model: Streamer) -> None:
    suite = make_suite(tmp_path / "suite", probes=40)
    run_suite(suite, Batched(), tmp_path / "batches")
    run_suite(suite, model, tmp_path / "stream", batch_size=3)
    assert same_bytes(tmp_path / "batches", tmp_path / "stream")
    assert sorted(model.asked) == sorted({item.item_id for item in suite.items()})


def test_the_users_batch_size_reaches_the_model_and_its_own_does_not(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=3)
    first, second = Streamer(), Streamer()
    run_suite(suite, first, tmp_path / "one", batch_size=3)
    run_suite(suite, second, tmp_path / "two")
    assert (first.given_size, second.given_size) == (3, None)


def stopping(after: int, error: BaseException) -> Streamer:
    left = [after]

    def answer(request: Request) -> Reply:
        left[0] -= 1
        if left[0] < 0:
            raise error
        return said(request)

    return Streamer(answer)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(stops=st.lists(st.integers(0, 30), max_size=4))
def test_stopping_anywhere_loses_no_reply_and_ends_in_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, stops: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("stops")
    suite = make_suite(folder / "suite", probes=20)
    run_suite(suite, Batched(), folder / "clean")
    out = folder / "run"
    received = 0
    for stop in stops:
        if not (out / "replies.parquet").exists():
            model = stopping(stop, KeyboardInterrupt())
            try:
                run_suite(suite, model, out)
            except KeyboardInterrupt:
                assert model.closed
                received += stop
                # A reply that has been given out is on disk before the next one is drawn.
                assert len(read_log(out / "replies.jsonl").replies) >= received - Streamer()._ahead
                received = len(read_log(out / "replies.jsonl").replies)
    run_suite(suite, Streamer(), out)
    assert same_bytes(out, folder / "clean")


def test_every_reply_is_on_disk_before_the_next_is_given(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")

    class Watching(Streamer):
        def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
            for number, request in enumerate(requests):
                assert len(read_log(tmp_path / "run" / "replies.jsonl").replies) == number
                yield said(request)

    assert run_suite(suite, Watching(), tmp_path / "run").manifest.complete


def test_a_spent_budget_keeps_what_came_and_says_how_to_go_on(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    items = len({item.item_id for item in suite.items()})

    class Poor(Streamer):
        def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
            for number, request in enumerate(requests):
                if number == 10:
                    raise BudgetExceededError("10 requests were made, as many as -M max_requests allows")
                yield said(request)

    with pytest.raises(BudgetExceededError) as caught:
        run_suite(suite, Poor(), tmp_path / "run")
    assert isinstance(caught.value, FalterError)
    assert "as many as -M max_requests allows" in str(caught.value)
    assert f"10 of {items} replies are kept in {tmp_path / 'run'}; rerun the command" in str(caught.value)
    run = open_run(tmp_path / "run")
    assert not run.manifest.complete
    assert sum(run.manifest.counts.values()) == len(run.replies()) == 10
    with pytest.raises(BudgetExceededError, match=f"20 of {items} replies"):
        run_suite(suite, Poor(), tmp_path / "run")
    run_suite(suite, Streamer(), tmp_path / "run")
    run_suite(suite, Batched(), tmp_path / "clean")
    assert same_bytes(tmp_path / "run", tmp_path / "clean")


def test_a_budget_that_a_batch_spends(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")

    def answer(request: Request) -> str:
        if len(model.asked) > 12:
            raise BudgetExceededError("all is spent")
        return "yes"

    model = Recorder(answer)
    with pytest.raises(BudgetExceededError, match=r"all is spent: 12 of \d+ replies are kept"):
        run_suite(suite, model, tmp_path / "run")
    assert len(open_run(tmp_path / "run").replies()) == 12


def test_a_model_that_fails_on_everything_is_broken_and_leaves_nothing(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    broken = Streamer(lambda request: failed_reply(request.item_id, TransientError("no server")), ahead=3)
    with pytest.raises(ModelBrokenError, match=r"streamer failed on all of the first 20 items \(transient: no server"):
        run_suite(suite, broken, tmp_path / "run")
    assert broken.closed
    assert len(broken.asked) < 30
    assert read_log(tmp_path / "run" / "replies.jsonl").replies == {}
    assert run_suite(suite, Streamer(), tmp_path / "run").manifest.counts["failed"] == 0


def test_a_stream_that_breaks_off_keeps_what_came(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    with pytest.raises(ModelBrokenError, match=r"streamer stopped \(RuntimeError: boom\)"):
        run_suite(suite, stopping(12, RuntimeError("boom")), tmp_path / "run")
    assert 12 - 7 < len(read_log(tmp_path / "run" / "replies.jsonl").replies) <= 12
    with pytest.raises(UsageError, match="mistaken"):
        run_suite(suite, stopping(3, UsageError("mistaken")), tmp_path / "run")


def test_transient_failures_leave_the_run_open_and_are_asked_again(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")

    def answer(request: Request) -> Reply:
        if request.text.endswith("3?"):
            return failed_reply(request.item_id, TransientError("busy"))
        return said(request)

    run = run_suite(suite, Streamer(answer), tmp_path / "run")
    assert not run.manifest.complete
    again = Streamer()
    run_suite(suite, again, tmp_path / "run")
    assert len(again.asked) == run.manifest.counts["failed"] == 6
    run_suite(suite, Batched(), tmp_path / "clean")
    assert same_bytes(tmp_path / "run", tmp_path / "clean")


class Crooked(Streamer):
    """Forgets some, tells some twice, answers what nobody asked."""

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        for number, request in enumerate(requests):
            yield Reply(item_id="nobody", text="yes")
            if number % 5:
                yield Reply(item_id=request.item_id, text="yes")
                yield Reply(item_id=request.item_id, text="no")


def test_forgotten_requests_are_failures_and_strays_are_nothing(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    frame = run_suite(suite, Crooked(), tmp_path / "run").replies()
    items = {item.item_id for item in suite.items()}
    assert set(frame["item_id"]) == items
    failed = frame.filter(frame["status"] == "failed")
    assert len(failed) == -(-len(items) // 5)
    assert set(failed["error"]) == {"the model gave no reply"}
    assert set(frame["answer"]) == {"yes", None}


def test_a_stream_that_ends_early_or_gives_no_replies(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")

    class Early(Streamer):
        def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
            for _ in range(6):
                yield said(next(requests))

    with pytest.raises(ModelBrokenError, match="before it had taken all requests"):
        run_suite(suite, Early(), tmp_path / "run")
    assert len(read_log(tmp_path / "run" / "replies.jsonl").replies) == 6
    with pytest.raises(ModelBrokenError, match="gave a str instead of a reply"):
        run_suite(suite, Streamer(lambda request: "yes"), tmp_path / "run")  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("kind", [Streamer, Threaded])
def test_what_the_model_need_not_see_goes_around_it(tmp_path: Path, kind: type[Streamer]) -> None:
    with create_suite(tmp_path / "suite", SuiteManifest(name="mixed")) as writer:
        for number in range(30):
            match = make_item(number, 1, f"A dog {number}.", task="match", choices=None)
            writer.add(Probe((make_item(number, 0, f"Is there a dog {number}?"), match)))
    suite = open_suite(tmp_path / "suite")
    with ReplyCache(tmp_path / "cache") as cache:
        first = kind()
        run_suite(suite, first, tmp_path / "one", cache=cache)
        again = kind()
        run = run_suite(suite, again, tmp_path / "two", cache=cache)
    assert (len(first.asked), len(again.asked)) == (30, 0)
    assert run.manifest.counts["unsupported"] == 30
    assert same_bytes(tmp_path / "one", tmp_path / "two")


def test_context_is_flattened_for_a_stream_too(tmp_path: Path) -> None:
    import msgspec

    item = msgspec.structs.replace(make_item(0, 0, "And blue?"), context=(Turn("user", "Is it red?"),))
    with create_suite(tmp_path / "suite", SuiteManifest(name="talk")) as writer:
        writer.add(Probe((item,)))
    seen: list[str] = []

    def answer(request: Request) -> Reply:
        seen.append(request.text)
        return said(request)

    run_suite(open_suite(tmp_path / "suite"), Streamer(answer), tmp_path / "run")
    assert seen == ["user: Is it red?\nAnd blue?"]


def test_trouble_with_the_suite_is_not_blamed_on_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = make_suite(tmp_path / "suite")

    def bad(*arguments: object) -> None:
        raise InputError(tmp_path / "cache", "cannot be used as a cache")

    with ReplyCache(tmp_path / "cache") as cache:
        monkeypatch.setattr(cache, "get", bad)
        with pytest.raises(InputError, match="cannot be used as a cache"):
            run_suite(suite, Streamer(), tmp_path / "run", cache=cache)
