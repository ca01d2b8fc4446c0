"""A Hugging Face dataset as ``save_to_disk`` writes it: a folder of Arrow files with their features."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from falter.errors import InputError
from falter.files.json_reading import read_json
from falter.files.opening import check_regular

__all__ = ["arrow_dataset_rows", "is_arrow_dataset"]

_REMEDY = "give a folder that Dataset.save_to_disk wrote, or one of its splits"
_BATCH = 256


class _DataFile(msgspec.Struct):
    filename: str


class _State(msgspec.Struct):
    data_files: list[_DataFile] = msgspec.field(name="_data_files", default_factory=list)


def is_arrow_dataset(folder: Path) -> bool:
    """Whether a folder is a dataset, or holds several splits of one."""
    return (folder / "state.json").is_file() or (folder / "dataset_dict.json").is_file()


def arrow_dataset_rows(folder: Path) -> Iterator[dict[str, Any]]:
    """The rows of a dataset, a batch in memory at a time; class labels by their names."""
    import pyarrow as pa

    if (folder / "dataset_dict.json").is_file():
        splits = sorted(path.parent.name for path in folder.glob("*/state.json"))
        raise InputError(folder, "holds several splits", hint=f"give one of them: {', '.join(splits)[:300]}")
    if not (folder / "state.json").is_file():
        raise InputError(folder, "is a folder, and no dataset: it has no state.json", hint=_REMEDY)
    state = read_json(folder / "state.json", _State, what="the state of a dataset", hint=_REMEDY)
    labels = _class_labels(folder)
    for one in state.data_files:
        path = folder / Path(one.filename).name
        check_regular(path, hint=_REMEDY)
        try:
            with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
                for batch in reader:
                    for start in range(0, batch.num_rows, _BATCH):
                        for row in batch.slice(start, _BATCH).to_pylist():
                            for name, names in labels.items():
                                if isinstance(row.get(name), int) and 0 <= row[name] < len(names):
                                    row[name] = names[row[name]]
                            yield row
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            raise InputError(
                path, f"cannot be read as Arrow: {' '.join(str(error).split()):.200}", hint=_REMEDY
            ) from error


def _class_labels(folder: Path) -> dict[str, list[str]]:
    if not (folder / "dataset_info.json").is_file():
        return {}
    info = read_json(folder / "dataset_info.json", dict[str, Any], what="the features of a dataset", hint=_REMEDY)
    features = info.get("features")
    found: dict[str, list[str]] = {}
    for name, feature in features.items() if isinstance(features, dict) else ():
        if (
            isinstance(feature, dict)
            and feature.get("_type") == "ClassLabel"
            and isinstance(feature.get("names"), list)
        ):
            found[name] = [str(one) for one in feature["names"]]
    return found
