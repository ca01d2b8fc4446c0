"""Many items from a server that does everything wrong, through the command line, with and without a kill."""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from falter.evaluation.runs import open_run
from falter.evaluation.runs.replies import read_log
from tests.models.openai.asked import make_suite
from tests.models.openai.commands import finish, here, start
from tests.models.openai.faulty import FAULTS, NUMBER, Schedule
from tests.models.openai.server import Asked, Out, Server


@pytest.mark.parametrize("items", [400, pytest.param(2000, marks=pytest.mark.soak)])
def test_every_answer_is_right_and_a_kill_in_the_middle_changes_nothing(tmp_path: Path, items: int) -> None:
    killed_after = items * 2 // 5
    suite = make_suite(tmp_path / "suite", items)
    schedule = Schedule(seed=2, slow=0.02)
    faults = [fault for item in suite.items() for fault in schedule.faults(item.text)]
    assert set(faults) == set(FAULTS)
    held = threading.Event()

    def script(asked: Asked) -> Out:
        out = schedule(asked)
        # The last quarter has to wait for the kill, so that it comes in the middle.
        late = held.is_set() and int(NUMBER.findall(asked.text)[0]) >= items * 3 // 4
        return replace(out, delay=3600.0) if late else out

    with Server(script) as server:
        arguments = ["run", str(suite.folder), "--model", f"openai:tiny-vl@{server.base}", "--out"]

        clean = here(*arguments, str(tmp_path / "clean"))
        assert clean.code == 0, clean
        assert len(server.asked) == items + len(faults)
        assert server.most_under_way > 1
        run = open_run(tmp_path / "clean")
        assert run.manifest.counts["ok"] == items
        answers = dict(run.replies().select("item_id", "answer").iter_rows())
        assert answers == {item.item_id: item.gold for item in suite.items()}

        server.forget()
        held.set()
        log = tmp_path / "killed" / "replies.jsonl"
        process = start(*arguments, str(tmp_path / "killed"))
        while not log.exists() or log.read_bytes().count(b"\n") < killed_after:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        held.clear()
        kept = read_log(log).replies
        assert killed_after <= len(kept) < items
        assert {reply.status for reply in kept.values()} == {"ok"}
        before = len(server.asked)

        resumed = finish(*arguments, str(tmp_path / "killed"))
        assert resumed.code == 0, resumed
        # Nothing that is on disk is asked again; what was under way at the kill is.
        assert len(server.asked) - before <= items - len(kept) + len(faults)
    for name in ("replies.parquet", "run.json"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "clean" / name).read_bytes()
