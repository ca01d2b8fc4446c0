"""Running the real program in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["falter", "refused"]


def falter(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What ``falter ARGUMENTS`` prints and how it exits."""
    return subprocess.run(
        [sys.executable, "-c", "from falter.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200"},
        check=False,
    )


def refused(*arguments: str | Path) -> str:
    """The one line that a refused command prints; it must exit 2 and show no traceback."""
    done = falter(*arguments)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("falter: ")]
    assert len(lines) == 1, done.stderr
    return lines[0]
