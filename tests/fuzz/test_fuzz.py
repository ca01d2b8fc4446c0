"""Files made wrong in every way are read or refused: no traceback, no hang, no crash, no use of the net in main()."""

from __future__ import annotations

import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHORT = 2000
LONG = int(os.environ.get("FALTER_FUZZ_CASES", "100000"))
SILENT_SECONDS = 300
"""After so long without a word from a worker, the case that it named is a hang."""


class Tally:
    """What became of the cases."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.failures: list[str] = []

    def run(self, first: int, last: int) -> None:
        """Run cases; where one ends or blocks the worker, a new worker begins with the next case."""
        while first < last:
            first = self._work(first, last)

    def _work(self, first: int, last: int) -> int:
        arguments = [sys.executable, "-m", "tests.fuzz.worker", str(first), str(last)]
        process = subprocess.Popen(
            arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
        )
        lines: queue.Queue[str | None] = queue.Queue()
        errors: list[str] = []
        assert process.stdout is not None
        readers = [
            threading.Thread(target=lambda: [*map(lines.put, process.stdout or ()), lines.put(None)], daemon=True),
            threading.Thread(target=lambda: errors.extend(process.stderr or ()), daemon=True),
        ]
        for reader in readers:
            reader.start()
        begun, ended = "", first - 1
        while True:
            try:
                line = lines.get(timeout=SILENT_SECONDS)
            except queue.Empty:
                process.kill()
                self._fail(begun, "a hang")
                break
            if line is None:
                break
            if line.startswith("case "):
                begun = line.strip()
            elif line.startswith("end "):
                _, number, outcome = line.strip().split(" ", 2)
                ended, begun_before, begun = int(number), begun, ""
                if outcome.startswith("FAILED"):
                    self._fail(begun_before, outcome)
                else:
                    self.outcomes[outcome] += 1
        code = process.wait()
        for reader in readers:
            reader.join(SILENT_SECONDS)
        if ended == last - 1:
            return last
        assert begun, "".join(errors)[-3000:]
        if code >= 0 or code == -9:
            self._fail(begun, f"exit code {code}") if code >= 0 else None
        else:
            self._fail(begun, f"signal {-code}")
        return int(begun.split()[1]) + 1

    def _fail(self, case: str, why: str) -> None:
        self.outcomes["failed"] += 1
        self.failures.append(f"{case}: {why}")

    def summary(self) -> str:
        """How many were tried, read, refused, failed; and the failures by kind."""
        kinds = Counter(re.sub(r"case \d+ ", "", failure)[:160] for failure in self.failures)
        counted = ", ".join(f"{name} {count}" for name, count in sorted(self.outcomes.items()))
        return "\n".join(
            [f"{self.outcomes.total()} cases: {counted}", *(f"{n} x {kind}" for kind, n in kinds.most_common())]
        )


def test_files_made_wrong_are_refused() -> None:
    tally = Tally()
    tally.run(0, SHORT)
    assert tally.outcomes["failed"] == 0, tally.summary()
    assert tally.outcomes.total() == SHORT
    # A fuzzer whose inputs are all refused, or all read, would test nothing.
    assert min(tally.outcomes["read"], tally.outcomes["refused"]) > SHORT / 10


@pytest.mark.soak
@pytest.mark.slow
def test_a_hundred_thousand_files_made_wrong_are_refused() -> None:
    workers = os.cpu_count() or 1
    started = time.monotonic()
    tally = Tally()
    step = 5000
    with ThreadPoolExecutor(workers) as pool:
        list(
            pool.map(lambda first: tally.run(first, min(first + step, SHORT + LONG)), range(SHORT, SHORT + LONG, step))
        )
    print(f"{tally.summary()}\n{time.monotonic() - started:.0f} s")
    assert tally.outcomes["failed"] == 0, tally.summary()
