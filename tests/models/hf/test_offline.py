"""An id that is not on disk, where the hub cannot be reached: one line, at once."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.small_suite import make_suite


class HangingUp:
    """A server that counts who connects, and says nothing to anyone."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.connections = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                caller, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            caller.close()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@pytest.fixture
def hanging_up() -> Iterator[HangingUp]:
    server = HangingUp()
    yield server
    server.close()


@pytest.mark.parametrize(("kind", "offline", "connections"), [("hf", "0", 1), ("hf", "1", 0), ("lm", "0", 1)])
def test_without_a_hub_a_run_ends_after_one_attempt(
    tmp_path: Path, hanging_up: HangingUp, kind: str, offline: str, connections: int
) -> None:
    suite = make_suite(tmp_path / "suite")
    out = tmp_path / "run"
    done = subprocess.run(
        [sys.executable, "-m", "falter", "run", str(suite.folder), "--model", f"{kind}:org/name", "--out", str(out)],
        env=os.environ
        | {
            "HF_ENDPOINT": hanging_up.address,
            "HF_HOME": str(tmp_path / "hub"),
            "HF_HUB_OFFLINE": offline,
            "NO_PROXY": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "org/name is no folder here and the hub cannot be reached" in done.stderr
    assert hanging_up.connections == connections
    assert not out.exists()
