"""Write the goldens anew: ``python -m tests.goldens.regenerate [SCENARIO ...] [--table TABLE]``.

All scenarios when none is named; with a table, the golden records of all others stay as they are.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.goldens.records import read_records, write_records
from tests.goldens.scenarios import DATA, REAL, SCENARIOS, collect, make_world


def regenerate(names: list[str], table: str | None = None) -> None:
    """Run scenarios and write a file for each; published data must be there for those that need it."""
    DATA.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        make_world(Path(folder))
        for name in names:
            path = DATA / f"{name}.jsonl"
            found = collect(name, Path(folder))
            if table is not None:
                kept = {key: value for key, value in read_records(path).items() if key.table != table}
                found = kept | {key: value for key, value in found.items() if key.table == table}
            write_records(path, found)


if __name__ == "__main__":
    possible = [name for name in SCENARIOS if not name.startswith("real_") or REAL.is_dir()]
    parser = argparse.ArgumentParser(description="Write the goldens anew.")
    parser.add_argument("scenario", nargs="*", help=f"any of {', '.join(SCENARIOS)}; default: all that can be run")
    parser.add_argument("--table", help="replace the records of this table alone, e.g. r_score")
    given = parser.parse_args()
    regenerate(given.scenario or possible, given.table)
