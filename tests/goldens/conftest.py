"""Each scenario is run once, however many processes share the tests."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.goldens.records import Records, read_records, write_records
from tests.goldens.scenarios import collect, make_world


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Records]:
    """What a scenario gives now, by its name."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "goldens"
    folder.mkdir(exist_ok=True)

    def records(name: str) -> Records:
        path, failed = folder / f"{name}.jsonl", folder / f"{name}.failed"
        with _lock(folder / "world.lock"):
            if not (folder / "world").exists():
                make_world(folder)
        with _lock(folder / f"{name}.lock"):
            if not path.exists() and not failed.exists():
                try:
                    write_records(path, collect(name, folder))
                except AssertionError as error:
                    failed.write_text(str(error))
        if failed.exists():
            pytest.fail(f"{name} could not be run: {failed.read_text()}", pytrace=False)
        return read_records(path)

    return records


class _lock:
    """Holds a file for one process."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w")

    def __enter__(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()
