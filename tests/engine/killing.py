"""Killing a real ``falter run`` at random moments and comparing what comes of it with a clean run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tests import program

HERE = Path(__file__).parent


class Outcome(NamedTuple):
    kills: int
    kills_midway: int
    """Kills that found some replies on disk and some missing."""
    torn: int
    """Kills that left a torn last line."""
    same: bool


def falter(*arguments: str, slow_seconds: float = 0.0, **options: object) -> subprocess.Popen[str]:
    """Start the command line."""
    paths = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": paths, "SLOW_SECONDS": str(slow_seconds)}
    return subprocess.Popen(
        [sys.executable, "-c", "from falter.cli import main; main()", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,  # type: ignore[call-overload]
    )


def finish(*arguments: str, slow_seconds: float = 0.0) -> tuple[int, str, str]:
    """Run a command to its end."""
    environment = os.environ | program.ENVIRONMENT | {"SLOW_SECONDS": str(slow_seconds)}
    done = program.falter(*arguments, path=HERE, environment=environment)
    return done.returncode, done.stdout, done.stderr


def _wait_for_replies(process: subprocess.Popen[str], out: Path) -> None:
    """Wait until a run has more replies on disk than now, or ends."""

    def size() -> int:
        return sum(log.stat().st_size for log in out.glob("replies*.jsonl")) if out.exists() else 0

    before = size()
    while process.poll() is None:
        try:
            if size() > before:
                return
        except FileNotFoundError:
            return
        time.sleep(0.005)


def kill_and_compare(
    suite: Path,
    folder: Path,
    *,
    kills: int,
    seed: int,
    slow_seconds: float = 0.03,
    model: str = "python:slow_models:slow",
    more: tuple[str, ...] = (),
) -> Outcome:
    """Kill ``kills`` times, beginning a new run whenever one gets to its end; compare every finished one."""
    draw = random.Random(seed)
    arguments = ["run", str(suite), "--model", model, *more]
    assert finish(*arguments, "--out", str(folder / "clean"))[0] == 0
    clean = {path.name: path.read_bytes() for path in (folder / "clean").iterdir()}
    done = midway = torn = number = 0
    same = True
    while done < kills:
        out = folder / f"run{number}"
        process = falter(*arguments, "--out", str(out), slow_seconds=slow_seconds)
        # Moments are drawn over the start, the asking and the closing up alike, however busy the machine is.
        if draw.random() < 0.3:
            patience = draw.uniform(0.0, 3.0)
        else:
            _wait_for_replies(process, out)
            patience = draw.uniform(0.0, 1.0)
        try:
            process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
            logs = sorted(out.glob("replies*.jsonl")) if out.exists() else []
            data = b"".join(log.read_bytes() for log in logs)
            midway += bool(data)
            torn += any(log.read_bytes()[-1:] not in (b"", b"\n") for log in logs)
        _, err = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), err
        if process.returncode == 0:
            same = same and clean == {path.name: path.read_bytes() for path in out.iterdir()}
            number += 1
    code, _, _ = finish(*arguments, "--out", str(folder / f"run{number}"))
    last = {path.name: path.read_bytes() for path in (folder / f"run{number}").iterdir()}
    return Outcome(done, midway, torn, same and code == 0 and last == clean)


if __name__ == "__main__":
    import tempfile

    from tests.engine.small_suite import make_suite

    with tempfile.TemporaryDirectory() as name:
        began = time.monotonic()
        make_suite(Path(name) / "suite", probes=150)
        outcome = kill_and_compare(
            Path(name) / "suite", Path(name), kills=int(sys.argv[1]) if len(sys.argv) > 1 else 50, seed=0
        )
        print(outcome, f"{time.monotonic() - began:.0f} s")
        sys.exit(0 if outcome.same else 1)
