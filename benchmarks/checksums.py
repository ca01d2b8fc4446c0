"""What checking costs: reading with checksums against reading without, alternated in the same run.

    python benchmarks/checksums.py [--items N] [--keep DIR] [--short]

Over a made-up suite of N items with its run: opening the suite and reading its columns, going through its items,
scoring the run, reading a log of replies and looking replies up in a cache. CPU time, the smallest of three.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest import mock

from _short_form import parse_options
from scoring import make

from falter.core.files import checksums
from falter.data.model import Reply
from falter.data.suite import open_suite
from falter.evaluation.engine import ReplyCache
from falter.evaluation.runs import open_run
from falter.evaluation.runs.replies import ReplyLog, read_log, read_replies, replies_from_table
from falter.evaluation.runs.scoring import score_run
from falter.evaluation.score_options import ScoreOptions

REPEATS = 3
OFF = (
    ("falter.data.suite.check_file", lambda *_, **__: None),
    ("falter.evaluation.runs.store.check_file", lambda *_, **__: None),
    ("falter.evaluation.runs.store.Run.check_replies", lambda _: None),
    ("falter.evaluation.runs.replies.check_record", lambda *_: True),
    ("falter.evaluation.engine.cache.check_record", lambda *_: True),
)
"""What is checked, replaced by nothing."""


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--items", type=int, default=1_000_000)
    arguments.add_argument("--keep", type=Path, help="write the suite and the run here, or take those that are here")
    options = parse_options(arguments, given, items=2000)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        if not (folder / "run" / "run.json").exists():
            make(folder, options.items // 2, min(10_000, options.items // 4))
        replies = list(replies_from_table(read_replies(folder / "run" / "replies.parquet")))
        keyed = [(f"{number:064x}", reply) for number, reply in enumerate(replies[:100_000])]
        _write(folder, replies, keyed)
        size = sum((folder / name).stat().st_size for name in ("suite/items.parquet", "run/replies.parquet"))
        print(f"{len(replies):,} items; items.parquet and replies.parquet have {size / 1e6:.0f} MB")
        _compare("open the suite and read its columns", lambda: open_suite(folder / "suite").to_polars())
        _compare("open the suite and go through it", lambda: sum(1 for _ in open_suite(folder / "suite").items()))
        _compare(
            "score the run, without intervals", lambda: score_run(open_run(folder / "run"), ScoreOptions(n_resamples=0))
        )
        _compare("score the run", lambda: score_run(open_run(folder / "run")))
        _compare("read a log", lambda: read_log(folder / "replies.jsonl"))
        with ReplyCache(folder / "cache") as cache:
            _compare("look up 100,000 replies", lambda: [cache.get(key, "item") for key, _ in keyed])


def _write(folder: Path, replies: list[Reply], keyed: list[tuple[str, Reply]]) -> None:
    (folder / "replies.jsonl").unlink(missing_ok=True)
    with ReplyLog(folder / "replies.jsonl") as log:
        log.append(replies)
    with ReplyCache(folder / "cache") as cache:
        cache.put(keyed)


def _compare(what: str, job: Callable[[], object]) -> None:
    times: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(REPEATS):
        for checked in (False, True):
            # Every process hashes a file once.
            checksums._known.clear()
            patches = [] if checked else [mock.patch(name, off) for name, off in OFF]
            for patch in patches:
                patch.start()
            began = time.process_time()
            job()
            times[checked].append(time.process_time() - began)
            for patch in patches:
                patch.stop()
    without, with_checks = min(times[False]), min(times[True])
    print(f"{what}: {without:.2f} s, with checksums {with_checks:.2f} s, {with_checks / without:.2f} times")


if __name__ == "__main__":
    main()
