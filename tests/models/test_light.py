"""What needs no model loads none, and naming models loads no weights' libraries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from falter.evaluation.engine import run_suite
from tests.engine.small_suite import Recorder, make_suite


def modules_after(code: str) -> set[str]:
    """The modules that are loaded once some code has run in a process of its own."""
    printed = f"{code}\nimport sys\nprint(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", printed], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


def test_scoring_a_run_loads_no_model(tmp_path: Path) -> None:
    run_suite(make_suite(tmp_path / "suite"), Recorder(), tmp_path / "run")
    command = ["falter", "score", str(tmp_path / "run"), "--json"]
    code = (
        f"import sys\nsys.argv = {command!r}\nfrom falter.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code"
    )
    loaded = modules_after(code)
    assert "falter.evaluation.measures" in loaded
    assert [name for name in loaded if name.startswith(("falter.evaluation.models", "falter.evaluation.engine"))] == []


def test_models_are_named_without_loading_what_they_need() -> None:
    loaded = modules_after("from falter.evaluation.models import BACKENDS, Capabilities, LoadContext, load_model")
    assert "falter.data.model" in loaded
    heavy = {
        "torch",
        "transformers",
        "sklearn",
        "openai",
        "polars",
        "falter.evaluation.models.hf",
        "falter.evaluation.models.openai",
    }
    assert loaded & heavy == set()
