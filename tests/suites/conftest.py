"""One world and one suite for all tests of this folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from falter.probes import Suite, open_suite

from .made import make_suite, raw_graphs, write_graphs

SCENES = 290
TESTS = ("rephrase", "ontology", "order", "negation", "antonym")
"""All tests that change the question."""


class World(NamedTuple):
    graphs: dict[str, dict[str, Any]]
    source: str
    suite: Suite


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A world of scenes, and a suite with all that five tests can ask of it: more than 20,000 items."""
    folder: Path = tmp_path_factory.mktemp("world")
    graphs = raw_graphs(SCENES)
    source = write_graphs(folder / "gqa", graphs)
    make_suite(source, folder / "suite", tests=TESTS)
    return World(graphs, source, open_suite(folder / "suite"))
