"""The notebook of the Python API runs from top to bottom, offline."""

from __future__ import annotations

import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import falter

NOTEBOOK = Path(__file__).parents[2] / "examples" / "tour.ipynb"


def test_outputs_are_stripped() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.outputs for cell in code] == [[]] * len(code)
    assert {cell.execution_count for cell in code} == {None}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notebook")


@pytest.fixture(scope="module")
def shown(folder: Path) -> dict[str, str]:
    """By the id of a code cell, its output as text."""
    package = str(Path(falter.__file__).parents[1])
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")])))
        client = NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        )
        client.execute()
    return {
        cell.id: "".join(output.get("text") or output["data"]["text/plain"] for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


def test_every_step_shows_what_it_did(shown: dict[str, str]) -> None:
    counts = re.search(r"(\d+) probes, (\d+) items", shown["generate"])
    assert counts is not None and 110 <= int(counts[1]) <= 120
    assert "golds yes 20, no 20" in shown["inspect"]
    assert f"agree={counts[2]}, disagree=0" in shown["audit"]
    assert "always-no" in shown["run-lambda"]
    assert "complete" in shown["run-builtin"]
    assert "shape: (5, " in shown["to-polars"]


def test_models_are_scored_compared_and_reported(shown: dict[str, str], folder: Path) -> None:
    assert "Scores" in shown["score"]
    assert "Comparisons" in shown["compare"]
    assert "CheckResults" in shown["check"]
    assert "report.html" in shown["report"]
    assert "always-no" in (folder / "tour" / "report.html").read_text(encoding="utf-8")
