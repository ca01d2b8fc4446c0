"""Write the goldens anew: ``python -m tests.goldens.regenerate [SCENARIO ...]``; all scenarios when none is named."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.goldens.records import write_records
from tests.goldens.scenarios import DATA, REAL, SCENARIOS, collect, make_world


def regenerate(names: list[str]) -> None:
    """Run scenarios and write a file for each; real data must be there for those that need it."""
    DATA.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        make_world(Path(folder))
        for name in names:
            write_records(DATA / f"{name}.jsonl", collect(name, Path(folder)))


if __name__ == "__main__":
    known = [name for name in SCENARIOS if not name.startswith("real_") or REAL.is_dir()]
    regenerate(sys.argv[1:] or known)
