"""A server that does everything wrong: nothing of it becomes an answer, and nothing is asked more than needed."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from falter.data.model import Reply, Request, is_transient
from falter.evaluation.engine import run_suite
from falter.evaluation.models.openai.errors import EndpointRejectedError, EndpointUnreachableError
from falter.evaluation.models.openai.pacing import RetryPolicy
from falter.evaluation.runs import open_run
from tests.models.openai.asked import by_id, make_suite, model_of, png, question
from tests.models.openai.commands import here
from tests.models.openai.faulty import FAULTS, right_answer
from tests.models.openai.server import Asked, Out, Server, completion, problem


def well(asked: Asked) -> Out:
    return Out(completion(asked, right_answer(asked.text)))


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_each_fault_costs_one_request_and_is_never_an_answer(fault: str) -> None:
    def script(asked: Asked) -> Out:
        return FAULTS[fault](asked) if asked.text.startswith("Is thing 7") and not asked.times else well(asked)

    with Server(script) as server:
        replies = by_id(model_of(server).reply_unordered(question(number) for number in range(5, 10)))
        assert len(server.asked) == 6
    assert {name: reply.text for name, reply in replies.items()} == {
        f"i{number}": right_answer(f"thing {number}") for number in range(5, 10)
    }


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"somebody else's model"}))
def test_a_fault_that_stays_is_a_failure_that_may_pass(fault: str) -> None:
    def script(asked: Asked) -> Out:
        return FAULTS[fault](asked) if asked.text.startswith("Is thing 7") else well(asked)

    retry_policy = RetryPolicy(attempts=3, rate_limits=2, first_wait=0.001)
    with Server(script) as server:
        replies = by_id(
            model_of(server, retry_policy=retry_policy).reply_unordered(question(number) for number in range(6, 9))
        )
        assert len(server.asked) == 2 + 3
    failed = replies.pop("i7")
    assert is_transient(failed)
    assert failed.text is failed.answer is failed.score is None
    assert {reply.status for reply in replies.values()} == {"ok"}


@pytest.mark.parametrize(("first", "second", "strays"), [("tiny-vl-05", "tiny-vl-06", 2), ("m-1", "m-2", 3)])
def test_another_name_of_the_model_is_a_stray_until_it_is_the_servers_way(first: str, second: str, strays: int) -> None:
    def renamed(asked: Asked) -> Out:
        # A service whose alias moves on to the next snapshot in the middle of a run.
        name = first if len(server.asked) < 10 else second
        return Out(completion(asked, right_answer(asked.text), model=name))

    with Server(renamed) as server:
        replies = list(model_of(server, concurrency=1).reply_unordered(question(number) for number in range(30)))
        assert [reply.status for reply in replies] == ["ok"] * 30
        assert len(server.asked) == 30 + strays


def test_all_wait_when_the_server_asks_for_it() -> None:
    moments: list[float] = []

    def limited(asked: Asked) -> Out:
        moments.append(time.monotonic())
        if len(moments) == 10:
            return problem(429, "slow down", headers={"Retry-After": "0.5"})
        return Out(completion(asked, "yes"), delay=0.002)

    with Server(limited) as server:
        replies = list(model_of(server, concurrency=2).reply_unordered(question(number) for number in range(30)))
        assert len(server.asked) == 31
    assert len(replies) == 30
    # The other request may be on its way when the server says so.
    assert sum(moment < moments[9] + 0.5 for moment in moments[10:]) <= 1


def test_the_server_sets_the_pace() -> None:
    def crowded(asked: Asked) -> Out:
        if server.under_way > 8:
            return problem(429, "too many at once", headers={"retry-after-ms": "5"})
        # Long beside what it takes to send a request, however busy the machine is.
        return Out(completion(asked, "yes"), delay=0.05)

    with Server(crowded) as server:
        replies = list(model_of(server).reply_unordered(question(number) for number in range(200)))
        refused = len(server.asked) - 200
        assert {reply.status for reply in replies} == {"ok"}
        assert server.most_under_way <= 40
        assert refused <= 100, "most requests are put when there is room for them"


@pytest.mark.parametrize(("concurrency", "batch_size", "most"), [(1, None, 1), (3, 50, 3), (None, 2, 2)])
def test_never_more_at_once_than_the_user_says(concurrency: int | None, batch_size: int | None, most: int) -> None:
    def script(asked: Asked) -> Out:
        # All that may be under way after the first reply come while each other waits.
        return Out(completion(asked, "yes"), delay=1.0 if 1 < len(server.asked) <= 1 + most else 0.001)

    with Server(script) as server:
        model = model_of(server, concurrency=concurrency)
        assert len(list(model.reply_unordered((question(number) for number in range(40)), batch_size))) == 40
        assert server.most_under_way == most


def test_requests_are_drawn_as_they_are_needed() -> None:
    drawn = itertools.count()
    last = 0

    def endless() -> Iterator[Request]:
        nonlocal last
        for last in drawn:
            yield question(last)

    with Server(lambda asked: Out(completion(asked, "yes"), delay=0.001)) as server:
        replies = model_of(server, concurrency=4).reply_unordered(endless())
        assert len(list(itertools.islice(replies, 50))) == 50
        replies.close()  # type: ignore[attr-defined]
        drawn_at_close = last
        assert drawn_at_close < 50 + 2 * 4 + 4
        server.wait_until_left()
        assert last == drawn_at_close, "nothing is drawn behind a closed stream"
        assert len(server.asked) <= drawn_at_close + 1, "and nothing is asked twice"
    assert not [thread for thread in threading.enumerate() if thread.name == "falter-openai"]


def test_a_reply_that_never_comes_is_given_up_in_time() -> None:
    def stuck(asked: Asked) -> Out:
        return Out(completion(asked, "yes"), delay=0.0 if asked.times or "thing 3 " not in asked.text else 60.0)

    with Server(stuck) as server:
        replies = by_id(model_of(server, timeout=2.0).reply_unordered(question(number) for number in range(6)))
        # On a busy machine others may be late as well.
        assert sum("thing 3 " in asked.text for asked in server.asked) >= 2
    assert {reply.status for reply in replies.values()} == {"ok"}


def test_bytes_that_drip_are_given_up_too() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    ending = threading.Event()

    def drip() -> None:
        while not ending.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.recv(1 << 16)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                    while not ending.wait(0.02):
                        connection.sendall(b" ")
                except OSError:
                    pass

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        base = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        retry_policy = RetryPolicy(attempts=2, first_wait=0.001)
        (reply,) = model_of(base, timeout=1.0, retry_policy=retry_policy).reply([question(1)])
        assert is_transient(reply)
        assert "no reply within 1 s" in str(reply.error)
    finally:
        ending.set()
        # A close alone does not wake a thread that waits for a connection.
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(timeout=30)
    assert not thread.is_alive()


STOPS = [
    (problem(401, "Incorrect API key"), r"refused the key \(401\): check FALTER_OPENAI_API_KEY or OPENAI_API_KEY"),
    (problem(403, "Country not supported"), r"refused the key \(403: Country not supported\)"),
    (problem(402, "Payment required"), r"no credit left"),
    (problem(429, "You exceeded your current quota", code="insufficient_quota"), r"no credit left"),
    (
        problem(404, "The model tiny-vl does not exist"),
        r"knows no model tiny-vl \(404: .*\): check the name.*; it has tiny-vl-7b, tiny-vl-2b",
    ),
    (problem(400, "model 'tiny-vl' not found"), r"knows no model tiny-vl \(400"),
    (problem(500, "image input is not supported - hint: provide the mmproj"), r"takes no images \(500"),
    (problem(400, "This model does not support image input."), r"takes no images .*--image-input none"),
    (problem(429, "Later", headers={"Retry-After": "86400"}), r"left alone for 86,400 s .*: run again later"),
]


@pytest.mark.parametrize(("out", "line"), STOPS, ids=[line for _, line in STOPS])
def test_what_nobody_but_the_user_can_mend_stops_the_run_at_once(tmp_path: Path, out: Out, line: str) -> None:
    (tmp_path / "a.png").write_bytes(png())

    def script(asked: Asked) -> Out:
        return out if len(server.asked) > 20 else Out(completion(asked, "yes"), delay=0.001)

    replies: list[Reply] = []
    with Server(script, models=("tiny-vl-7b", "tiny-vl-2b", "other")) as server:
        requests = (question(number, image=tmp_path / "a.png") for number in range(500))
        with pytest.raises((EndpointRejectedError, EndpointUnreachableError), match=line) as caught:
            replies.extend(model_of(server, key="a-secret-key", concurrency=4).reply_unordered(requests))
        assert len(server.asked) <= 20 + 4 + 1
    assert "\n" not in str(caught.value)
    assert [reply.text for reply in replies] == ["yes"] * 20, "what came before is given out"


def test_replies_that_came_before_the_end_are_kept(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", 100)

    def script(asked: Asked) -> Out:
        return problem(401, "Expired") if len(server.asked) > 30 and not mended.is_set() else well(asked)

    mended = threading.Event()
    with Server(script) as server:
        with pytest.raises(EndpointRejectedError):
            run_suite(suite, model_of(server), tmp_path / "run")
        lines = (tmp_path / "run" / "replies.jsonl").read_text().splitlines()
        assert len(lines) == 30
        assert not any("failed" in line for line in lines)
        mended.set()
        before = len(server.asked)
        run_suite(suite, model_of(server), tmp_path / "run")
        assert len(server.asked) - before == 70
    assert open_run(tmp_path / "run").manifest.counts["ok"] == 100


def test_nobody_at_the_address(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 4)
    with socket.socket() as silent:
        # Taken, so that nobody else gets it, and not listened at.
        silent.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        model = f"openai:tiny-vl@{base}"
        ended = here("run", str(tmp_path / "suite"), "--model", model, "--out", str(tmp_path / "run"))
    assert ended.code == 2
    line = ended.err.splitlines()[-1]
    assert line.startswith(f"falter: nobody answers at {base} (no connection: ")
    assert line.endswith("check the URL, and that the server runs")
    assert not ended.out


def test_a_server_that_goes_away_stops_the_run() -> None:
    retry_policy = RetryPolicy(attempts=2, first_wait=0.001, failures_to_stop=5)
    kept: list[Reply] = []
    with Server(well) as server:
        replies = model_of(server, retry_policy=retry_policy, concurrency=2).reply_unordered(
            question(n) for n in range(1000)
        )
        kept.append(next(replies))
    with pytest.raises(EndpointUnreachableError, match="stopped answering: 5 items in a row"):
        kept.extend(replies)
    assert kept[0].status == "ok"


def test_a_server_that_never_worked_stops_the_run_soon() -> None:
    retry_policy = RetryPolicy(attempts=2, first_wait=0.001)
    with Server(lambda asked: problem(500, "out of order")) as server:
        with pytest.raises(EndpointUnreachableError, match=r"does not answer: 3 items in a row .*out of order"):
            list(
                model_of(server, retry_policy=retry_policy).reply_unordered(question(number) for number in range(1000))
            )
        assert len(server.asked) <= 12


def test_a_wrong_path_is_told() -> None:
    with Server(well) as server, pytest.raises(EndpointRejectedError, match=r"404: Not Found.*often ends in /v1"):
        model_of(server.base.removesuffix("/v1")).reply([question(1)])


def test_a_picture_that_cannot_be_read_is_a_failure_of_its_item(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"no image")
    with Server(well) as server:
        replies = by_id(model_of(server).reply_unordered(iter([question(1), question(2, image=tmp_path / "bad.png")])))
    assert replies["i1"].status == "ok"
    assert "bad.png is not an image" in str(replies["i2"].error)
    assert not is_transient(replies["i2"])
