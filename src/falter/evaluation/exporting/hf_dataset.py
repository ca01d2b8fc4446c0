"""A suite as a data set on disk: ``datasets.load_from_disk(DIR)["test"]``, with images and a card.

Its items are Arrow batches with a description of their columns, which ``datasets`` reads without a script, and polars
too. The card says what the data set is, how it was made, and how its scores are computed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from falter.core.files import write_atomically
from falter.core.tables import format_count
from falter.data.items import Item
from falter.data.model_options import ModelOptions
from falter.data.suite import Suite
from falter.evaluation.exporting.harness_items import prompt_of, read_image, target_of
from falter.evaluation.models.prompts import Prompt, load_prompt

_BATCH = 256

_NAMED_VALUE = {"name": pa.string(), "value": pa.string()}
_TURN = {"speaker": pa.string(), "text": pa.string()}
_PLAIN = pa.schema(
    [
        ("item_id", pa.string()),
        ("probe_id", pa.string()),
        ("variant", pa.int32()),
        ("suite", pa.string()),
        ("test", pa.string()),
        ("role", pa.string()),
        ("expects", pa.string()),
        ("task", pa.string()),
        ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
        ("image_id", pa.string()),
        ("question", pa.string()),
        ("prompt", pa.string()),
        ("context", pa.list_(pa.struct(list(_TURN.items())))),
        ("choices", pa.list_(pa.string())),
        ("answer", pa.string()),
        ("answers", pa.list_(pa.string())),
        ("facets", pa.list_(pa.struct(list(_NAMED_VALUE.items())))),
        ("source_id", pa.string()),
    ]
)


def describe_features() -> dict[str, Any]:
    """The columns in the words of the package ``datasets``."""
    return {field.name: _feature(field) for field in _PLAIN}


def _feature(field: pa.Field) -> Any:
    if field.name == "image":
        return {"_type": "Image"}
    if pa.types.is_list(field.type):
        inner = field.type.value_type
        if pa.types.is_struct(inner):
            return [{part.name: _value(part.type) for part in inner}]
        return {"feature": _value(inner), "_type": "Sequence"}
    return _value(field.type)


def _value(kind: pa.DataType) -> dict[str, str]:
    return {"dtype": str(kind), "_type": "Value"}


RECORD_SCHEMA = _PLAIN.with_metadata({"huggingface": json.dumps({"info": {"features": describe_features()}})})
"""The columns, with the description that makes ``datasets`` decode the images."""


def record_batches(suite: Suite, prompt: Prompt) -> Iterator[pa.RecordBatch]:
    """All items, a row each, in the order of the suite, with the bytes of their images; a batch in memory at a time."""
    rows: list[dict[str, Any]] = []
    for item in suite.items():
        rows.append(_row(item, suite, prompt))
        if len(rows) == _BATCH:
            yield pa.RecordBatch.from_pylist(rows, schema=RECORD_SCHEMA)
            rows = []
    if rows:
        yield pa.RecordBatch.from_pylist(rows, schema=RECORD_SCHEMA)


def _row(item: Item, suite: Suite, prompt: Prompt) -> dict[str, Any]:
    return {
        "item_id": item.item_id,
        "probe_id": item.probe_id,
        "variant": item.variant,
        "suite": item.suite,
        "test": item.test,
        "role": item.role,
        "expects": item.expects,
        "task": item.task,
        "image": _image(suite.image_path(item), item.image_sha256),
        "image_id": item.image_id,
        "question": item.text,
        "prompt": prompt_of(item, suite, prompt),
        "context": None
        if item.context is None
        else [{"speaker": one.speaker, "text": one.text} for one in item.context],
        "choices": None if item.choices is None else list(item.choices),
        "answer": target_of(item),
        "answers": None if item.answers is None else list(item.answers),
        "facets": [{"name": name, "value": value} for name, value in sorted(item.facets.items())],
        "source_id": item.source_id,
    }


def _image(path: Path | None, sha256: str | None) -> dict[str, Any] | None:
    return None if path is None else {"bytes": read_image(path, sha256), "path": path.name}


_SIZE_CATEGORIES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def dataset_card(suite: Suite, configs: Sequence[dict[str, object]] = ()) -> str:
    """The card as Markdown with its YAML header."""
    manifest = suite.manifest
    size = next((name for most, name in _SIZE_CATEGORIES if suite.item_count < most), "1M<n<10M")
    header: dict[str, object] = {
        "pretty_name": manifest.title or manifest.name,
        "language": ["en"],
        "license": "other",
        "license_name": manifest.licence,
        "task_categories": ["visual-question-answering"],
        "size_categories": [size],
        **({"configs": list(configs)} if configs else {}),
    }
    tests = manifest.counts.get("tests", {})
    table = [f"| {test} | {counts['probes']:,} | {counts['items']:,} |" for test, counts in sorted(tests.items())]
    lines = [
        "---",
        yaml.safe_dump(header, sort_keys=False, allow_unicode=True).rstrip(),
        "---",
        "",
        f"# {manifest.title or manifest.name}",
        "",
        f"{format_count(len(suite), 'probes')}, {format_count(suite.item_count, 'items')}, "
        f"{format_count(suite.image_count, 'images')}. A probe is an original and "
        "its variants: rows with the same `probe_id`, the original has `variant` 0. `expects` says how the answers of "
        "a probe relate.",
        "",
        *(["| test | probes | items |", "|---|---:|---:|", *table, ""] if table else []),
        f"Made by `{manifest.made_by}` with Falter {manifest.falter}"
        + ("." if manifest.seed is None else f", seed {manifest.seed}."),
        f"Licence of the items and images: {manifest.licence}.",
        f"Fingerprint of the suite: `{suite.fingerprint}`.",
        *(["", f"Citation: {manifest.citation}"] if manifest.citation else []),
        "",
        "`prompt` is the question with its instruction. Answers of any harness are scored pair by pair, with "
        "intervals: `falter run SUITE --model file:ANSWERS.jsonl`, one line an item with `item_id` and `text`.",
        "",
    ]
    return "\n".join(lines)


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
