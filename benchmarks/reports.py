"""Reports of many models and of many items: time, peak memory and size, from the world's data scaled up.

    python benchmarks/reports.py [--models N] [--items N] [--pairs N] [--keep DIR] [--short]

Generates a CARETS suite from the world. Then writes a report of N made-up models on it, and one of a model on a suite
with so many items: copies of the same probes under new ids, images and clusters. A model knows the gold answer and
replies otherwise at a rate of its own. Each report is written in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from _short_form import apart, parse_options

import falter
from falter.api.reporting import build_report
from falter.core.files import sha256_of_file
from falter.data.suite import open_suite
from falter.evaluation.answers import READER_VERSION
from falter.evaluation.runs import ModelRecord, RunManifest, RunSettings, SuiteRecord
from falter.evaluation.runs.replies import REPLY_SCHEMA, write_replies
from falter.evaluation.runs.store import write_complete_manifest

RENEWED = ("probe_id", "item_id", "image_id", "image_sha256")
"""What tells the copies of a probe apart."""


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--models", type=int, default=50)
    arguments.add_argument("--items", type=int, default=1_000_000)
    arguments.add_argument("--pairs", type=int, default=300, help="per test of the suite that is scaled up")
    arguments.add_argument("--scenes", type=int, default=300, help="of the world that the suite is generated from")
    arguments.add_argument("--keep", type=Path, help="write suites, runs and reports here, or take those that are here")
    options = parse_options(arguments, given, models=2, items=200, pairs=6, scenes=40)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        sizes = options.models, options.items, options.pairs, options.scenes
        apart(make, folder, *sizes, short=options.short)
        print(f"{'':<44}{'models':>8}{'items':>12}{'seconds':>9}{'CPU':>7}{'GB':>7}{'MB':>7}  failed pairs shown")
        for name in ("many-models", "many-items"):
            apart(measure, folder / name, name, short=options.short)


def measure(folder: Path, name: str) -> None:
    page = folder / "report.html"
    started, worked = time.perf_counter(), time.process_time()
    written = build_report(folder / "runs", page)
    seconds, work = time.perf_counter() - started, time.process_time() - worked
    memory, size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, page.stat().st_size / 1e6
    items = open_suite(folder / "suite").item_count
    print(
        f"{name:<44}{len(written.models):>8}{items:>12,}{seconds:>9.1f}{work:>7.1f}{memory:>7.2f}{size:>7.1f}"
        f"  {written.failures:,} of {written.failed:,}",
        flush=True,
    )


def make(folder: Path, models: int, items: int, pairs: int, scenes: int) -> None:
    """The suites and runs that are not there yet."""
    small = folder / "small"
    if not (small / "suite.json").exists():
        falter.write_world(folder / "world", scenes=scenes, seed=0)
        falter.generate("carets", f"gqa:{folder}/world/val", out=small, size=pairs, seed=0)
    rows = open_suite(small).item_count
    for name, copies, number in (("many-models", 1, models), ("many-items", -(-items // rows), 1)):
        if (folder / name / "runs").exists():
            continue
        copy_suite(small, folder / name / "suite", copies)
        for model in range(number):
            rate = 0.55 + 0.4 * model / max(number - 1, 1)
            write_run(folder / name / "suite", folder / name / "runs" / f"model-{model:02d}", rate, model)


def copy_suite(small: Path, out: Path, copies: int) -> None:
    """A suite that holds every probe so many times."""
    source = open_suite(small)
    out.mkdir(parents=True)
    shutil.copytree(small / "images", out / "images")
    table = pq.read_table(source.items_path)
    with pq.ParquetWriter(out / "items.parquet", table.schema, compression="zstd") as writer:
        for number in range(copies):
            writer.write_table(_renew(table, number), row_group_size=8192)
    manifest = msgspec.structs.replace(source.manifest, items_sha256=sha256_of_file(out / "items.parquet"))
    (out / "suite.json").write_bytes(manifest.to_json())


def _renew(table: pa.Table, number: int) -> pa.Table:
    for name in RENEWED if number else ():
        index = table.schema.get_field_index(name)
        field = table.schema.field(index)
        renewed = pc.binary_join_element_wise(table[name].cast(pa.string()), str(number), "-").cast(field.type)
        table = table.set_column(index, field, renewed)
    return table


def write_run(suite: Path, out: Path, rate: float, seed: int) -> None:
    """The run of a model that gives the gold answer at a rate."""
    opened = open_suite(suite)
    table = pq.read_table(opened.items_path, columns=["item_id", "gold", "choices"]).to_pylist()
    gives_gold = np.random.default_rng(seed).random(len(table)) < rate
    answers = {
        row["item_id"]: row["gold"] if right else next(choice for choice in row["choices"] if choice != row["gold"])
        for row, right in zip(table, gives_gold, strict=True)
    }
    columns = {
        "item_id": pa.array(answers),
        "status": pa.array(["ok"] * len(answers)),
        "text": pa.array([f"The answer is {answer}." for answer in answers.values()]),
        "answer": pa.array(answers.values()),
    }
    arrays = [columns.get(field.name, pa.nulls(len(answers), field.type)) for field in REPLY_SCHEMA]
    out.mkdir(parents=True)
    write_replies(out / "replies.parquet", pa.Table.from_arrays(arrays, schema=REPLY_SCHEMA))
    record = ModelRecord(
        spec=f"file:{out.name}", name=out.name, fingerprint=out.name, abilities=("answer",), needs_image=False
    )
    asked = SuiteRecord(
        name=opened.name, path=str(suite.resolve()), fingerprint=opened.fingerprint, items=opened.item_count
    )
    manifest = RunManifest(
        model=record,
        suite=asked,
        settings=RunSettings().recorded(),
        asked=len(answers),
        reader=READER_VERSION,
    )
    write_complete_manifest(out, manifest, {"ok": len(answers)}, 1)


if __name__ == "__main__":
    main()
