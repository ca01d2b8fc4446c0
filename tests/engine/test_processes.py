"""Real processes: killed, starved of disk, locked out, given nonsense."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from falter.data.suite import open_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.runs import open_run
from falter.evaluation.runs.replies import read_log
from tests.engine.killing import HERE, falter, finish, kill_and_compare
from tests.engine.small_suite import Recorder, make_suite
from tests.goldens.releases import write_valse

STREAM = "python:self_batching_models:slow"


@pytest.mark.parametrize(
    ("model", "more", "kills"),
    [
        ("python:slow_models:slow", (), 4),
        ("python:slow_models:slow", ("--shard", "1/2"), 1),
        (STREAM, ("--repeat", "2", "--shard", "2/2"), 2),
        ("python:slow_models:slow", ("--repeat", "2", "--image-input", "blank"), 2),
        (STREAM, ("--until", "small.negation.acc<=70%", "--look-every", "8"), 2),
    ],
)
def test_killing_a_run_again_and_again_changes_nothing(
    tmp_path: Path, model: str, more: tuple[str, ...], kills: int
) -> None:
    make_suite(tmp_path / "suite", probes=80)
    slow_seconds = 0.01 if model == STREAM else 0.03
    outcome = kill_and_compare(
        tmp_path / "suite", tmp_path, kills=kills, seed=1, slow_seconds=slow_seconds, model=model, more=more
    )
    assert outcome.same, outcome


@pytest.mark.soak
@pytest.mark.parametrize(
    ("model", "more", "slow_seconds"),
    [
        ("python:slow_models:slow", (), 0.03),
        ("python:slow_models:slow", ("--repeat", "3"), 0.01),
        ("python:slow_models:slow", ("--shard", "1/2"), 0.03),
        (STREAM, (), 0.01),
        (STREAM, ("--repeat", "2"), 0.01),
        (STREAM, ("--repeat", "2", "--shard", "2/3"), 0.01),
        (STREAM, ("--until", "small.negation.acc<=60%", "--look-every", "8"), 0.01),
        ("python:slow_models:slow", ("--until", "small.negation.acc<=55%", "--look-every", "5"), 0.03),
    ],
)
def test_fifty_kills(tmp_path: Path, model: str, more: tuple[str, ...], slow_seconds: float) -> None:
    make_suite(tmp_path / "suite", probes=150)
    outcome = kill_and_compare(
        tmp_path / "suite", tmp_path, kills=50, seed=0, slow_seconds=slow_seconds, model=model, more=more
    )
    assert outcome.same, outcome
    assert outcome.kills_midway > 5, outcome


@pytest.mark.soak
def test_killed_parts_are_merged_to_the_undivided_run(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", probes=150)
    model = ("--model", STREAM, "--repeat", "2")
    assert finish("run", str(tmp_path / "suite"), *model, "--out", str(tmp_path / "whole"))[0] == 0
    parts = []
    for number in (1, 2):
        folder = tmp_path / f"part{number}"
        folder.mkdir()
        more = ("--repeat", "2", "--shard", f"{number}/2")
        outcome = kill_and_compare(
            tmp_path / "suite", folder, kills=10, seed=number, slow_seconds=0.01, model=STREAM, more=more
        )
        assert outcome.same, outcome
        parts.append(str(sorted(folder.glob("run*"))[-1]))
    assert finish("merge", *parts, "--out", str(tmp_path / "merged"))[0] == 0
    whole, merged = ({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("whole", "merged"))
    assert merged == whole


@pytest.mark.soak
def test_thirty_killed_overwrites_leave_a_whole_suite(tmp_path: Path) -> None:
    """Each finds the suite of before or the new one, and the last removes what the others left."""
    draw = random.Random(0)
    commands = []
    for name in ("whole", "part"):
        write_valse(tmp_path / name)
        commands.append(("import", "valse", str(tmp_path / name), "--out", str(tmp_path / "suite"), "--overwrite"))
    (tmp_path / "part" / "plurals.json").unlink()
    counts = []
    for command in commands:
        assert finish(*command)[0] == 0
        counts.append(open_suite(tmp_path / "suite").item_count)
    killed = 0
    for number in range(30):
        process = falter(*commands[number % 2])
        try:
            process.wait(timeout=draw.uniform(0.2, 2.5))
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
        process.communicate()
        assert open_suite(tmp_path / "suite").item_count in counts
    assert killed > 5
    assert finish(*commands[0])[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["part", "suite", "whole"]


def test_two_processes_and_one_folder(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", probes=100)
    arguments = ["run", str(tmp_path / "suite"), "--model", "python:slow_models:slow", "--out", str(tmp_path / "run")]
    first = falter(*arguments, slow_seconds=30)
    try:
        while not (tmp_path / "run" / "replies.jsonl").exists():
            assert first.poll() is None, first.communicate()
            time.sleep(0.01)
        code, _, err = finish(*arguments)
        assert code == 2
        assert err.count("\n") == 1
        assert "another falter run" in err
    finally:
        first.kill()
        first.communicate()
    assert finish(*arguments)[0] == 0


@pytest.mark.filterwarnings("ignore:.*cut off, damaged or edited:falter.core.errors.FalterWarning")
def test_a_full_disk_is_one_line_and_the_run_goes_on_later(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(small)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("only root can mount a small disk")
    try:
        make_suite(tmp_path / "suite", probes=150)
        arguments = ["run", str(tmp_path / "suite"), "--model", "python:slow_models:wordy"]
        code, _, err = finish(*arguments, "--out", str(small / "run"))
        assert code == 2
        last = err.splitlines()[-1]
        assert last.startswith("falter: no space left on the disk while writing ")
        assert "Traceback" not in err
        kept = read_log(small / "run" / "replies.jsonl").replies
        assert 0 < len(kept) < 300
        subprocess.run(["mount", "-o", "remount,size=8m", str(small)], check=True)
        assert finish(*arguments, "--out", str(small / "run"))[0] == 0
        assert finish(*arguments, "--out", str(tmp_path / "clean"))[0] == 0
        assert (small / "run" / "replies.parquet").read_bytes() == (tmp_path / "clean" / "replies.parquet").read_bytes()
    finally:
        subprocess.run(["umount", str(small)], check=True)


@pytest.mark.filterwarnings("ignore:.*cut off, damaged or edited:falter.core.errors.FalterWarning")
def test_a_write_that_stops_half_way_leaves_a_log_that_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = make_suite(tmp_path / "suite")
    real_write = os.write
    left = [3_000]

    def write(handle: int, data: memoryview) -> int:
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = real_write(handle, bytes(data)[: left[0]])
        left[0] -= taken
        return taken

    with monkeypatch.context() as patch:
        patch.setattr("falter.evaluation.runs.replies.os.write", write)
        with pytest.raises(OSError, match="replies") as caught:
            run_suite(suite, Recorder(lambda request: "yes " * 30), tmp_path / "run")
        assert caught.value.errno == errno.ENOSPC
    log = (tmp_path / "run" / "replies.jsonl").read_bytes()
    assert not log.endswith(b"\n")
    run_suite(suite, Recorder(lambda request: "yes " * 30), tmp_path / "run")
    run_suite(suite, Recorder(lambda request: "yes " * 30), tmp_path / "clean")
    assert open_run(tmp_path / "run").replies().equals(open_run(tmp_path / "clean").replies())


BAD = [
    (["--model", "nonsense"], "unknown model 'nonsense'"),
    (["--model", "gpt:2"], "unknown model 'gpt:...'"),
    (["--model", "builtin:always-yes", "--prompt", "polite"], "unknown prompt 'polite': there are plain, standard"),
    (["--model", "builtin:always-yes", "-M", "max_cost=2"], "-M max_cost needs -M prices"),
    (["--model", "builtin:always-yes", "-M", "timeout=0"], "-M timeout is a number of seconds above 0"),
    (["--model", "builtin:nobody"], "unknown builtin model 'nobody': there are always-yes, blind"),
    (["--model", "builtin:always-yes,p=1"], "has no option 'p'"),
    (["--model", "builtin:oracle"], "give --scenes"),
    (["--model", "builtin:blind"], "give --train"),
    (["--model", "builtin:blind@nowhere:x"], "unknown source 'nowhere'"),
    (["--model", "python:no_such_module:f"], "cannot be imported"),
    (["--model", "python:slow_models:nothing"], "has no nothing"),
    (["--model", "python:slow_models"], "python:module:attribute"),
    (["--model", "python:slow_models:broken"], "failed on all of the first 20 items"),
    (["--model", "file:no/such/file.jsonl"], "is not a file"),
    (["--model", "builtin:always-yes", "--limit", "0"], "at least 1 probe"),
    (["--model", "builtin:always-yes", "--batch-size", "0"], "at least 1 item"),
    (["--model", "builtin:always-yes", "--scenes", "gqa"], "is not a source"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD, ids=[said for _, said in BAD])
def test_bad_use_is_one_line_and_exit_code_2(tmp_path: Path, arguments: list[str], said: str) -> None:
    make_suite(tmp_path / "suite")
    code, _, err = finish("run", str(tmp_path / "suite"), "--out", str(tmp_path / "run"), *arguments)
    assert code == 2
    assert said in err.splitlines()[-1]
    assert err.splitlines()[-1].startswith("falter: ")
    assert "Traceback" not in err


def test_not_a_suite(tmp_path: Path) -> None:
    code, _, err = finish("run", str(tmp_path), "--model", "builtin:always-yes", "--out", str(tmp_path / "run"))
    assert code == 2
    assert "is not a suite" in err


def test_several_models_get_a_folder_each_and_the_plan_comes_first(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    code, out, err = finish(
        *["run", str(tmp_path / "suite"), "--model", "builtin:always-yes", "--model", "python:slow_models:slow"],
        *["--out", str(tmp_path / "runs"), "--json"],
    )
    assert code == 0
    assert f"always-yes on small: {len({item.item_id for item in suite.items()})} distinct items" in err
    assert "30 probes, 60 rows, 7 images" in err
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["always-yes", "slow"]
    assert '"complete": true' in out
    code, out, _ = finish(
        "run", str(tmp_path / "suite"), "--model", "builtin:always-yes", "--out", str(tmp_path / "x"), "--dry-run"
    )
    assert code == 0
    assert not (tmp_path / "x").exists()


def test_models_are_listed_and_shown() -> None:
    code, out, _ = finish("list", "models")
    assert code == 0
    for word in ("builtin:oracle", "python:module:attribute", "file:PATH", "--scenes SOURCE"):
        assert word in out
    code, out, _ = finish("list", "model", "builtin:always-yes", "--json")
    assert code == 0
    assert '"abilities"' in out
    assert finish("list", "model", "builtin:never")[0] == 2
    assert HERE.name == "engine"
