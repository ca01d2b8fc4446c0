"""How little of Falter a command imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import falter
from tests.measures.tables import probe, write

MOST = 70
"""So many of our modules the scores of a yes/no run take, at most: what they need, and one or two more."""

PROGRAM = """
import json, pathlib, sys
from falter.cli.main import main
run, listing = sys.argv[1:]
sys.argv = ["falter", "score", run, "--json"]
try:
    main()
except SystemExit as end:
    assert not end.code
pathlib.Path(listing).write_text("\\n".join(name for name in sys.modules if name.partition(".")[0] == "falter"))
"""


def test_scoring_a_yes_no_run_imports_few_modules(tmp_path: Path) -> None:
    write(tmp_path / "suite", *(probe(f"p{number}", "same", ["yes", "no"]) for number in range(3)))
    run = falter.run(tmp_path / "suite", "builtin:always-yes", out=tmp_path / "run")
    listing = tmp_path / "modules.txt"
    subprocess.run([sys.executable, "-c", PROGRAM, str(run.folder), str(listing)], capture_output=True, check=True)
    loaded = listing.read_text().splitlines()
    assert "falter.evaluation.measures.scoring" in loaded
    assert not [name for name in loaded if name.startswith("falter.generation")]
    assert len(loaded) <= MOST, "\n".join(sorted(loaded))
