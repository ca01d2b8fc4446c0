"""What a table of one's own costs: ``falter import table`` against polars reading and writing the same table.

    python benchmarks/import_table.py [--rows N] [--kind csv] [--short]

A made-up table of yes/no questions on images that are not opened, as CSV, JSONL and Parquet. Every job runs in a
process of its own with one thread: CPU time, rows a second and the most memory it took, at a tenth of the rows and at
all of them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from _short_form import parse_options

WORDS = ("dog", "cat", "car", "bus", "lamp", "table", "chair", "cup", "tree", "boat")
FALTER = """
import falter
falter.import_table({table!r}, out={out!r}, images="none", overwrite=True)
"""
POLARS = """
import polars as pl
{read}({table!r}).write_parquet({out!r}, compression="zstd")
"""
READERS = {"csv": "pl.read_csv", "jsonl": "pl.read_ndjson", "parquet": "pl.read_parquet"}
REPORT = """
import resource
from pathlib import Path
used = resource.getrusage(resource.RUSAGE_SELF)
most = next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(used.ru_utime + used.ru_stime, most)
"""


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--kind", choices=tuple(READERS), action="append", help="by default all of them")
    options = parse_options(arguments, given, rows=300, kind=["csv"])
    sizes = (options.rows,) if options.short else (options.rows // 10, options.rows)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for number in sizes:
            _write(folder, number)
        print("format        rows   falter s    rows/s  MB most   polars s   ratio")
        for kind in options.kind or READERS:
            for number in sizes:
                table = str(folder / f"{number}.{kind}")
                ours, memory = _run(FALTER.format(table=table, out=str(folder / "suite")))
                theirs, _ = _run(POLARS.format(table=table, out=str(folder / "out.parquet"), read=READERS[kind]))
                told = f"{number:10,}{ours:11.2f}{number / ours:10,.0f}{memory / 1024:9.0f}"
                print(f"{kind:8}{told}{theirs:11.2f}{ours / theirs:8.1f}")


def _write(folder: Path, rows: int) -> None:
    numbers = range(rows)
    table = pl.DataFrame(
        {
            "id": [f"q{number}" for number in numbers],
            "image": [f"{number % 50_000:012}.jpg" for number in numbers],
            "question": [f"Is there a {WORDS[n % 10]} to the left of the {WORDS[n * 7 % 10]} {n}?" for n in numbers],
            "answer": ["yes" if number * 7919 % 13 < 6 else "no" for number in numbers],
            "kind": [WORDS[number % 7] for number in numbers],
        }
    )
    table.write_csv(folder / f"{rows}.csv")
    table.write_ndjson(folder / f"{rows}.jsonl")
    table.write_parquet(folder / f"{rows}.parquet")


def _run(code: str) -> tuple[float, int]:
    """The CPU seconds and the most kilobytes of a process that runs some code."""
    environment = {**os.environ, "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code + REPORT], env=environment, check=True, capture_output=True, text=True
    )
    seconds, memory = done.stdout.split()[-2:]
    return float(seconds), int(memory)


if __name__ == "__main__":
    main()
