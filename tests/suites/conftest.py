"""One world and one suite for all tests of this folder."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from falter.data.suite import Suite, open_suite

from .made import make_suite, raw_graphs, write_graphs

SCENES = 480
TESTS = ("rephrase", "ontology", "order", "negation", "antonym")
"""All tests that change the question."""


class World(NamedTuple):
    graphs: dict[str, dict[str, Any]]
    source: str
    suite: Suite


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A world of scenes, and a suite with all that five tests can ask of it: more than 20,000 items."""
    base = tmp_path_factory.getbasetemp()
    # Processes that share the tests share what takes long to make too.
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "made for the tests of suites"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "suite").exists():
            make_suite(write_graphs(folder / "gqa", raw_graphs(SCENES)), folder / "suite", tests=TESTS, workers=1)
    graphs: dict[str, dict[str, Any]] = json.loads(Path(folder / "gqa" / "val_sceneGraphs.json").read_text())
    return World(graphs, f"gqa:{folder / 'gqa'}", open_suite(folder / "suite"))
