"""The real program, and what it says when it refuses."""

from __future__ import annotations

from pathlib import Path

from tests.program import falter

__all__ = ["falter", "refused"]


def refused(*arguments: str | Path) -> str:
    """The one line that a refused command prints; it must exit 2 and show no traceback."""
    done = falter(*arguments)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("falter: ")]
    assert len(lines) == 1, done.stderr
    return lines[0]
