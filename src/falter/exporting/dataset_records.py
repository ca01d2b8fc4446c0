"""The items of a suite as rows of a data set with images, in Arrow batches with a description of their columns.

Files with these columns and this description are read by ``datasets`` without a script, and by polars.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from falter.exporting.asked_items import prompt_of, read_image, target_of
from falter.models.prompts import Prompt
from falter.probes import Item, Suite

__all__ = ["RECORD_SCHEMA", "describe_features", "record_batches"]

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
