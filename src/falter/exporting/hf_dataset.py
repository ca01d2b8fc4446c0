"""A suite as a data set on disk: ``datasets.load_from_disk(DIR)["test"]``, with images and a card."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from falter.exporting.dataset_card import dataset_card
from falter.exporting.dataset_records import RECORD_SCHEMA, describe_features, record_batches
from falter.files import write_atomically
from falter.models import ModelOptions
from falter.models.prompts import load_prompt
from falter.probes import Suite

__all__ = ["HF_DATASET", "HfDataset"]

SPLIT = "test"
_SHARD_BYTES = 512 << 20


class HfDataset:
    """Writes ``test/data-*.arrow`` with the two descriptions that ``load_from_disk`` reads, and ``README.md``.

    The files are Arrow streams, which polars reads with ``read_ipc_stream``. The package is not needed for writing.
    """

    def write(self, suite: Suite, folder: Path, out: Path) -> dict[str, int]:
        del out
        split = folder / SPLIT
        split.mkdir()
        rows = list(_write_shards(suite, split))
        names = [f"data-{number:05d}-of-{len(rows):05d}.arrow" for number in range(len(rows))]
        for number, name in enumerate(names):
            (split / _unfinished(number)).rename(split / name)
        info = {
            "citation": suite.manifest.citation,
            "description": suite.manifest.title,
            "features": describe_features(),
            "homepage": "",
            "license": suite.manifest.licence,
        }
        state: dict[str, object] = {
            "_data_files": [{"filename": name} for name in names],
            "_fingerprint": suite.fingerprint[:16],
            "_format_columns": None,
            "_format_kwargs": {},
            "_format_type": None,
            "_output_all_columns": False,
            "_split": SPLIT,
        }
        _write_json(split / "dataset_info.json", info)
        _write_json(split / "state.json", state)
        _write_json(folder / "dataset_dict.json", {"splits": [SPLIT]})
        write_atomically(folder / "README.md", dataset_card(suite).encode())
        return {f"{SPLIT}/{name}": count for name, count in zip(names, rows, strict=True)}


def _write_shards(suite: Suite, folder: Path) -> Iterator[int]:
    """Write files of at most about half a gigabyte; gives the number of rows of each."""
    batches = record_batches(suite, load_prompt(ModelOptions()))
    batch = next(batches, None)
    number = 0
    while batch is not None or not number:
        rows = size = 0
        with pa.OSFile(str(folder / _unfinished(number)), "wb") as sink, pa.ipc.new_stream(sink, RECORD_SCHEMA) as out:
            while batch is not None and size < _SHARD_BYTES:
                out.write_batch(batch)
                rows, size = rows + batch.num_rows, size + batch.nbytes
                batch = next(batches, None)
        number += 1
        yield rows


def _unfinished(number: int) -> str:
    return f"part-{number}.arrow"


def _write_json(path: Path, value: object) -> None:
    write_atomically(path, json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n")


HF_DATASET = HfDataset()
