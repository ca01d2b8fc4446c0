"""Filters of ``falter view`` over many items, each beside a polars scan of the same columns; and peak memory.

    python benchmarks/viewer.py [--items N] [--runs N] [--keep DIR] [--short]

Makes a suite of N items from the world's data, as benchmarks/reports.py does, and runs on it. Prints how long the
viewer takes to open, the time of each filter with the page of pairs that it gives and without, the time in which
polars scans the same columns of the same files with the same condition, the ratio, and the peak memory.
"""

from __future__ import annotations

import argparse
import re
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import polars as pl
from _short_form import apart, parse_options
from reports import copy_suite, write_run

from falter.api.paths import as_runs
from falter.apps.viewer.application import ViewerPages
from falter.apps.viewer.selection import Filters, select_pairs
from falter.apps.viewer.workbench import Workbench
from falter.data.suite import open_suite

REPEATS = 5
WORD = "umbrella"


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--items", type=int, default=1_000_000)
    arguments.add_argument("--runs", type=int, default=2)
    arguments.add_argument("--pairs", type=int, default=300, help="per test of the suite that is scaled up")
    arguments.add_argument("--scenes", type=int, default=300, help="of the world that the suite is generated from")
    arguments.add_argument("--keep", type=Path, help="write suite and runs here, or take those that are here")
    options = parse_options(arguments, given, items=200, pairs=6, scenes=40)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        sizes = options.items, options.runs, options.pairs, options.scenes
        apart(make, folder, *sizes, short=options.short)
        apart(measure, folder, short=options.short)


def make(folder: Path, items: int, runs: int, pairs: int, scenes: int) -> None:
    """The suite and the runs that are not there yet."""
    import falter

    small, large = folder / "small", folder / "view"
    if not (small / "suite.json").exists():
        falter.write_world(folder / "world", scenes=scenes, seed=0)
        falter.generate("carets", f"gqa:{folder}/world/val", out=small, size=pairs, seed=0)
    if not (large / "suite" / "suite.json").exists():
        copy_suite(small, large / "suite", -(-items // open_suite(small).item_count))
    for number in range(runs):
        if not (large / "runs" / f"model-{number:02d}" / "run.json").exists():
            write_run(large / "suite", large / "runs" / f"model-{number:02d}", 0.7 + 0.05 * number, number)


def seconds(work: Callable[[], object]) -> float:
    """The median of several times, after one that warms the caches."""
    work()
    found = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return median(found)


def measure(folder: Path) -> None:
    large = folder / "view"
    started = time.perf_counter()
    bench = Workbench(as_runs(large / "runs"))
    index = bench.indices[0]
    opened = time.perf_counter() - started
    items, replies = index.items_path, [column.run.folder / "replies.parquet" for column in index.columns]
    pages = ViewerPages(bench)
    pattern = f"(?i){re.escape(WORD)}"
    facet, value = "class", "person"

    def contains(path: Path, *names: str) -> pl.LazyFrame:
        return pl.scan_parquet(path).select(
            pl.any_horizontal(pl.col(name).str.contains(pattern).fill_null(False) for name in names)
        )

    def has_facet() -> pl.LazyFrame:
        wanted = (pl.element().struct["name"] == facet) & (pl.element().struct["value"] == value)
        return pl.scan_parquet(items).select(pl.col("facets").list.eval(wanted).list.any())

    def outcome(*paths: Path) -> list[pl.LazyFrame]:
        gold = pl.scan_parquet(items).select("item_id", "gold")
        return [
            gold.join(pl.scan_parquet(path).select("item_id", "answer"), on="item_id").select(
                pl.col("gold") != pl.col("answer")
            )
            for path in paths
        ]

    trials: list[tuple[str, dict[str, str], Callable[[], object]]] = [
        ("test", {"test": "negation"}, lambda: pl.scan_parquet(items).select(pl.col("test") == "negation").collect()),
        ("facet", {"facet": facet, "value": value}, lambda: has_facet().collect()),
        ("wrong", {"wrong": "model-00"}, lambda: pl.collect_all(outcome(replies[0]))),
        ("A right, B wrong", {"right": "model-01", "wrong": "model-00"}, lambda: pl.collect_all(outcome(*replies))),
        (
            "search",
            {"q": WORD},
            lambda: [
                contains(items, "text", "gold", "probe_id").collect(),
                *(contains(path, "text").collect() for path in replies),
            ],
        ),
    ]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    size = f"{len(index.file_row):,} items, {len(index):,} pairs, {len(replies)} runs"
    print(f"{size}: open in {opened:.1f} s, {memory:.2f} GB")
    print(f"{'filter':<20}{'viewer, ms':>12}{'with page':>12}{'polars, ms':>12}{'ratio':>8}{'pairs':>12}")
    for name, query, scan in trials:
        filters = Filters.from_query(query)
        own = seconds(lambda filters=filters: select_pairs(index, filters, bench.model_numbers))
        page = seconds(lambda query=query: pages.list_pairs(query))
        polars = seconds(scan)
        number = len(select_pairs(index, filters, bench.model_numbers))
        print(
            f"{name:<20}{own * 1e3:>12.0f}{page * 1e3:>12.0f}{polars * 1e3:>12.0f}{own / polars:>8.2f}{number:>12,}",
            flush=True,
        )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak memory, with polars' own scans: {memory:.2f} GB")


if __name__ == "__main__":
    main()
