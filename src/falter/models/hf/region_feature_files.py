"""Files of region features: NumPy archives and folders, Parquet, and the TSV that bottom-up features came in."""

from __future__ import annotations

import base64
import json
import zipfile
from abc import ABC, abstractmethod
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from falter.errors import InputError
from falter.files import sha256_of_bytes, sha256_of_file
from falter.models.failures import PermanentError
from falter.models.request import Request

__all__ = ["FeatureFile", "open_features"]

_REMEDY = "give an .npz, a .parquet, a .tsv of bottom-up features, or a folder of .npz or .npy; see the docs"
_TSV = (
    "img_id",
    "img_h",
    "img_w",
    "objects_id",
    "objects_conf",
    "attrs_id",
    "attrs_conf",
    "num_boxes",
    "boxes",
    "features",
)


class FeatureFile(ABC):
    """Region features by image."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def fingerprint(self) -> str:
        """The hash of the file; of a folder, the names and sizes in it."""
        if self.path.is_file():
            return sha256_of_file(self.path)
        listing = [(entry.name, entry.stat().st_size) for entry in sorted(self.path.iterdir())]
        return sha256_of_bytes(json.dumps(listing).encode())

    def of(self, request: Request) -> tuple[Any, Any]:
        """Features and boxes of a request's image.

        An image is looked up by the hash of its bytes and by its file name. By its id only where the file bears the
        id as its name: a blurred version shares the id of the original, and must not be given its features.
        """
        stem = None if request.image is None else request.image.stem
        names = [request.image_sha256, stem]
        if request.image_id is not None and (stem is None or stem in {request.image_id, request.image_sha256}):
            names.append(request.image_id)
        for name in names:
            found = None if name is None else self._find(name)
            if found is not None:
                return found
        wanted = stem or request.image_id or ""
        grey = wanted.startswith("blank-")
        hint = ", the grey image: add them so named, give a detector, or take --image-input shuffle" if grey else ""
        raise PermanentError(f"{self.path.name} has no region features for {wanted}{hint}")

    @abstractmethod
    def _find(self, name: str) -> tuple[Any, Any] | None:
        """The arrays under a name, or None."""


class _Archive(FeatureFile):
    """``ID.features`` and ``ID.boxes`` in one ``.npz``."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self._arrays = np.load(path)
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise InputError(path, f"is no NumPy archive: {error}", hint=_REMEDY) from None
        # An open archive has one place in its file: two threads must not move it.
        self._lock = Lock()

    def _find(self, name: str) -> tuple[Any, Any] | None:
        keys = f"{name}.features", f"{name}.boxes"
        if any(key not in self._arrays for key in keys):
            return None
        with self._lock:
            return self._arrays[keys[0]], self._arrays[keys[1]]


class _Folder(FeatureFile):
    """``ID.npz`` with ``features`` and ``boxes``, or ``ID.npy`` and ``ID.boxes.npy``."""

    def _find(self, name: str) -> tuple[Any, Any] | None:
        archive, features, boxes = (self.path / f"{name}{end}" for end in (".npz", ".npy", ".boxes.npy"))
        try:
            if archive.is_file():
                with np.load(archive) as arrays:
                    return arrays["features"], arrays["boxes"]
            if features.is_file():
                return np.load(features), np.load(boxes)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise PermanentError(f"the region features of {name} cannot be read: {error}") from error
        return None


class _Parquet(FeatureFile):
    """One row an image: ``image_id``, ``features`` and ``boxes`` as lists of lists."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(path, columns=["image_id", "features", "boxes"], memory_map=True)
        except (OSError, pa.ArrowException) as error:
            raise InputError(path, f"has no image_id, features and boxes: {error}", hint=_REMEDY) from None
        self._table = table
        self._rows = {str(name): row for row, name in enumerate(table["image_id"].to_pylist())}

    def _find(self, name: str) -> tuple[Any, Any] | None:
        row = self._rows.get(name)
        if row is None:
            return None
        return tuple(np.asarray(self._table[column][row].as_py(), np.float32) for column in ("features", "boxes"))  # type: ignore[return-value]


class _BottomUp(FeatureFile):
    """The TSV of the bottom-up attention features: arrays in base 64, boxes in pixels."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._places: dict[str, int] = {}
        with path.open("rb") as stream:
            place = stream.tell()
            for line in iter(stream.readline, b""):
                self._places[line.split(b"\t", 1)[0].decode("utf-8", "replace")] = place
                place = stream.tell()

    def _find(self, name: str) -> tuple[Any, Any] | None:
        place = self._places.get(name)
        if place is None:
            return None
        with self.path.open("rb") as stream:
            stream.seek(place)
            fields = dict(zip(_TSV, stream.readline().decode().rstrip("\n").split("\t"), strict=False))
        try:
            count = int(fields["num_boxes"])
            features = np.frombuffer(base64.b64decode(fields["features"]), np.float32).reshape(count, -1)
            boxes = np.frombuffer(base64.b64decode(fields["boxes"]), np.float32).reshape(count, 4)
            width, height = int(fields["img_w"]), int(fields["img_h"])
        except (KeyError, ValueError) as error:
            raise PermanentError(f"the region features of {name} cannot be read: {error}") from error
        return features, boxes / np.array([width, height, width, height], np.float32)


def open_features(path: Path) -> FeatureFile:
    """Open a file or a folder of region features by what it is."""
    if path.is_dir():
        return _Folder(path)
    if not path.is_file():
        raise InputError(path, "there is no such file of region features", hint=_REMEDY)
    kinds: dict[str, type[FeatureFile]] = {".npz": _Archive, ".parquet": _Parquet, ".tsv": _BottomUp}
    if path.suffix not in kinds:
        raise InputError(path, "is no file of region features", hint=_REMEDY)
    return kinds[path.suffix](path)
