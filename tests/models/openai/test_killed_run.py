"""A real ``falter run`` against a faulty server, killed in the middle and given again."""

from __future__ import annotations

import signal
import socket
import time
from pathlib import Path

import pytest

from falter.runs.log import read_log
from tests.models.openai.asked import make_suite
from tests.models.openai.commands import finish, here, start
from tests.models.openai.faulty import Schedule
from tests.models.openai.server import Server


def killed_and_resumed(folder: Path, items: int, kills: list[int]) -> None:
    suite = make_suite(folder / "suite", items)
    schedule = Schedule(seed=8, slow=0.02)
    faults = sum(len(schedule.faults(item.text)) for item in suite.items())
    with Server(schedule) as server:
        arguments = ["run", str(folder / "suite"), "--model", f"openai:tiny-vl@{server.base}"]
        log = folder / "killed" / "replies.jsonl"
        lost = 0
        for enough in kills:
            process = start(*arguments, "--out", str(folder / "killed"))
            while not log.exists() or log.read_bytes().count(b"\n") < enough:
                assert process.poll() is None, process.communicate()
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            assert process.returncode == -signal.SIGKILL
            kept = read_log(log).replies
            assert enough <= len(kept) < items
            assert {reply.status for reply in kept.values()} == {"ok"}
            lost = len(server.asked) - len(kept)
        last = finish(*arguments, "--out", str(folder / "killed"))
        assert last.code == 0, last
        # Only what was under way at a kill is asked again.
        assert len(server.asked) <= items + faults + lost
    # The same server, as good as new: it has forgotten which faults it has shown.
    port = int(server.base.rpartition(":")[2].partition("/")[0])
    with Server(schedule, port=port) as again:
        clean = here(*arguments, "--out", str(folder / "clean"))
        assert clean.code == 0, clean
        assert len(again.asked) == items + faults
    for name in ("replies.parquet", "run.json"):
        assert (folder / "killed" / name).read_bytes() == (folder / "clean" / name).read_bytes()
    assert f"tiny-vl: {items} ok" in clean.out


def test_killed_in_the_middle_and_resumed_it_is_the_same_run(tmp_path: Path) -> None:
    killed_and_resumed(tmp_path, 240, [60])


@pytest.mark.slow
def test_two_thousand_items_and_four_kills(tmp_path: Path) -> None:
    killed_and_resumed(tmp_path, 2000, [100, 700, 1200, 1900])


def test_nobody_at_the_address_is_one_line(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 4)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    spec = f"openai:tiny-vl@http://127.0.0.1:{port}/v1"
    ended = here("run", str(tmp_path / "suite"), "--model", spec, "--out", str(tmp_path / "run"))
    assert ended.code == 2
    line = ended.err.splitlines()[-1]
    assert line.startswith(f"falter: nobody answers at http://127.0.0.1:{port}/v1")
    assert "Traceback" not in ended.err
    assert not ended.out
