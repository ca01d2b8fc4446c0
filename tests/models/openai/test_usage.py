"""What a run took of a server: requests, tokens and money, over kills and resumptions."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from falter.data.usage import RunUsage, sum_usage
from falter.evaluation.engine import run_suite
from falter.evaluation.runs import open_run
from tests.models.openai.asked import make_suite, model_of
from tests.models.openai.commands import here, start
from tests.models.openai.faulty import right_answer
from tests.models.openai.server import Asked, Out, Server, completion, problem

PRICES = "tiny-vl: {input_per_million: 1.0, output_per_million: 10.0}\n"
"""A reply of the server (100 tokens read, 2 written) is 0.00012."""


def well(asked: Asked) -> Out:
    return Out(completion(asked, right_answer(asked.text)))


def at_second(asked: Asked) -> Out:
    """Every fourth question is refused with 429 once, every fourth fails once."""
    number = int(asked.text.split()[2])
    if asked.times == 0 and number % 4 == 0:
        return problem(429, "slow down", headers={"retry-after-ms": "1"})
    if asked.times == 0 and number % 4 == 1:
        return problem(500, "oops")
    return well(asked)


def test_a_run_ends_with_requests_tokens_and_money_and_keeps_them(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 12)
    (tmp_path / "prices.yaml").write_text(PRICES)
    arguments = ["run", str(tmp_path / "suite"), "--out", str(tmp_path / "run")]
    with Server(at_second) as server:
        arguments += ["--model", f"openai:tiny-vl@{server.base}"]
        ended = here(*arguments, "-M", f"prices={tmp_path}/prices.yaml")
        assert ended.code == 0, ended
        assert len(server.asked) == 18
        before = (tmp_path / "run" / "run.json").read_bytes()
        # Nothing is left to ask: nothing is added.
        again = here(*arguments, "--json")
    line = "18 requests (6 of them retries, 3 answered with 429); 1,200 tokens read, 24 written; cost 0.00144 USD"
    assert line in ended.out
    found = open_run(tmp_path / "run").usage
    assert found is not None
    assert found.cost == {"USD": pytest.approx(12 * 0.00012)}
    assert (found.uncounted, found.unpriced) == (0, 0)
    assert json.loads(again.out)[0]["usage"] == json.loads((tmp_path / "run" / "usage.json").read_text())
    assert (tmp_path / "run" / "run.json").read_bytes() == before
    with Server(well) as server:
        run_suite(open_run(tmp_path / "run").suite(), model_of(server), tmp_path / "other")
    other = open_run(tmp_path / "other").usage
    assert other is not None
    assert "cost unknown" in str(other)
    assert (tmp_path / "other" / "replies.parquet").read_bytes() == (tmp_path / "run" / "replies.parquet").read_bytes()


def test_sums_go_on_after_a_kill_and_after_a_budget(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 40)
    hold = [True]

    def slow(asked: Asked) -> Out:
        # Enough is answered for the record to be written, and the rest waits for the kill.
        number = int(asked.text.split()[2])
        return Out(completion(asked, right_answer(asked.text)), delay=0.1 if number < 30 or not hold[0] else 600.0)

    out = tmp_path / "run"
    with Server(slow) as server:
        arguments = ["run", str(tmp_path / "suite"), "--out", str(out), "-M", "concurrency=1"]
        arguments += ["--model", f"openai:tiny-vl@{server.base}"]
        process = start(*arguments)
        ends = time.monotonic() + 120
        while not (out / "usage.json").exists():
            assert process.poll() is None
            assert time.monotonic() < ends
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed = open_run(out).usage
        assert killed is not None
        assert 0 < killed.requests <= len(server.asked)
        hold[0] = False
        server.forget()
        ended = here(*arguments, "-M", "max_requests=3")
        assert ended.code == 1
        assert open_run(out).usage == sum_usage([killed, _plain(3)])
        assert here(*arguments).code == 0
        run = open_run(out)
        assert run.manifest.complete
        assert run.usage == sum_usage([killed, _plain(len(server.asked))])


def _plain(requests: int) -> RunUsage:
    return RunUsage(requests=requests, unpriced=requests, input_tokens=100 * requests, output_tokens=2 * requests)


def test_parts_of_a_run_are_summed_and_a_server_that_counts_nothing_is_told(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 12)
    (tmp_path / "prices.yaml").write_text(PRICES)
    folders = [tmp_path / "one", tmp_path / "two"]
    with Server(lambda asked: Out(completion(asked, right_answer(asked.text), usage=None))) as server:
        for number, folder in enumerate(folders, start=1):
            ended = here(
                *("run", str(tmp_path / "suite"), "--out", str(folder), "--shard", f"{number}/2"),
                *("--model", f"openai:tiny-vl@{server.base}", "-M", f"prices={tmp_path}/prices.yaml"),
            )
            assert ended.code == 0, ended
    assert here("merge", *map(str, folders), "--out", str(tmp_path / "whole")).code == 0
    usage = open_run(tmp_path / "whole").usage
    assert usage is not None
    assert (usage.requests, usage.uncounted, usage.input_tokens) == (12, 12, 0)
    assert "the server counted none for 12 replies" in str(usage)
    assert usage.cost["USD"] > 0, "what nobody counted is taken by estimate"
