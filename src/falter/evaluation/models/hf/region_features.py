"""Inputs of LXMERT and VisualBERT: regions of a detector, from a file or from the user's own detector.

A file is a NumPy archive or a folder of them, Parquet, or the TSV that bottom-up features came in.
"""

from __future__ import annotations

import base64
import binascii
import importlib
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from falter.core.errors import InputError, UsageError
from falter.core.files import (
    ArrayArchive,
    is_regular,
    open_parquet,
    open_regular,
    read_archive,
    read_array,
    read_lines,
    sha256_of_bytes,
    sha256_of_file,
)
from falter.data.model import PermanentError, Request, load_image
from falter.data.model_options import ModelOptions

if TYPE_CHECKING:
    from PIL.Image import Image

_REMEDY = "give an .npz, a .parquet, a .tsv of bottom-up features, or a folder of .npz or .npy; see the docs"
_FEATURES, _BOXES = ".features", ".boxes"
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

    def for_request(self, request: Request) -> tuple[Any, Any]:
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

    def get(self, name: str) -> tuple[Any, Any]:
        """Features and boxes under an existing name."""
        found = self._find(name)
        if found is None:
            raise PermanentError(f"{self.path.name} has no region features for {name}")
        return found

    @abstractmethod
    def names(self) -> Iterable[str]:
        """All names that have features."""

    @abstractmethod
    def _find(self, name: str) -> tuple[Any, Any] | None:
        """The arrays under a name, or None."""


class _Archive(FeatureFile):
    """``ID.features`` and ``ID.boxes`` in one ``.npz``."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._arrays = ArrayArchive(path, hint=_REMEDY)
        for name in sorted(self._arrays.names):
            other = _partner(name)
            if other is None or other not in self._arrays:
                raise InputError(
                    path, f"has no array {other or 'ID.features'} to go with it", record=name, hint=_REMEDY
                )
        # An open archive has one place in its file: two threads must not move it.
        self._lock = Lock()

    def _find(self, name: str) -> tuple[Any, Any] | None:
        keys = f"{name}.features", f"{name}.boxes"
        if any(key not in self._arrays for key in keys):
            return None
        with self._lock, _fails_alone(name):
            return self._arrays[keys[0]], self._arrays[keys[1]]

    def names(self) -> Iterable[str]:
        return (name.removesuffix(_FEATURES) for name in sorted(self._arrays.names) if name.endswith(_FEATURES))


class _Folder(FeatureFile):
    """``ID.npz`` with ``features`` and ``boxes``, or ``ID.npy`` and ``ID.boxes.npy``."""

    def _find(self, name: str) -> tuple[Any, Any] | None:
        archive, features, boxes = (self.path / f"{name}{end}" for end in (".npz", ".npy", ".boxes.npy"))
        # A name is never made into a path out of the folder.
        if archive.parent != self.path or "\0" in name:
            return None
        with _fails_alone(name):
            if is_regular(archive):
                arrays = read_archive(archive, ["features", "boxes"])
                return arrays["features"], arrays["boxes"]
            if is_regular(features):
                return read_array(features), read_array(boxes)
        return None

    def names(self) -> Iterable[str]:
        found = sorted(path.name for path in self.path.iterdir() if path.suffix in (".npz", ".npy"))
        return dict.fromkeys(name.removesuffix(".npz").removesuffix(".npy").removesuffix(_BOXES) for name in found)


class _Parquet(FeatureFile):
    """One row per image: ``image_id``, ``features`` and ``boxes`` as lists of lists."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        import pyarrow as pa

        rows = pa.list_(pa.list_(pa.float64()))
        schema = pa.schema([pa.field("features", rows, nullable=False), pa.field("boxes", rows, nullable=False)])
        file = open_parquet(path, schema, hint=_REMEDY, memory_map=True)
        if "image_id" not in file.names:
            raise InputError(path, "lacks the columns image_id", hint=_REMEDY)
        self._table = file.read(["image_id", "features", "boxes"])
        self._rows = {str(name): row for row, name in enumerate(self._table["image_id"].to_pylist())}
        if len(self._rows) != len(self._table):
            raise InputError(path, "has an image_id more than once", hint=_REMEDY)

    def _find(self, name: str) -> tuple[Any, Any] | None:
        row = self._rows.get(name)
        if row is None:
            return None
        with _fails_alone(name):
            features, boxes = (np.asarray(self._table[one][row].as_py(), np.float32) for one in ("features", "boxes"))
            return features, boxes

    def names(self) -> Iterable[str]:
        return list(self._rows)


class _BottomUp(FeatureFile):
    """The TSV of the bottom-up attention features: arrays in base 64, boxes in pixels."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._places: dict[str, int] = {}
        place = 0
        for number, line in enumerate(read_lines(path, hint=_REMEDY), start=1):
            if line.count(b"\t") != len(_TSV) - 1:
                problem = f"does not have the {len(_TSV)} fields of bottom-up features"
                raise InputError(path, problem, record=f"line {number}", hint=_REMEDY)
            name = line[: line.index(b"\t")].decode("utf-8", "replace")
            if name in self._places:
                raise InputError(path, f"has the image {name:.80} more than once", record=f"line {number}")
            self._places[name] = place
            place += len(line)

    def _find(self, name: str) -> tuple[Any, Any] | None:
        place = self._places.get(name)
        if place is None:
            return None
        with _fails_alone(name), open_regular(self.path) as stream:
            stream.seek(place)
            line = stream.readline().decode().rstrip("\r\n")
            fields = dict(zip(_TSV, line.split("\t"), strict=False))
            count = int(fields["num_boxes"])
            features = np.frombuffer(base64.b64decode(fields["features"]), np.float32).reshape(count, -1)
            boxes = np.frombuffer(base64.b64decode(fields["boxes"]), np.float32).reshape(count, 4)
            width, height = int(fields["img_w"]), int(fields["img_h"])
            if width < 1 or height < 1:
                raise ValueError("the image has no size")
            return features, boxes / np.array([width, height, width, height], np.float32)

    def names(self) -> Iterable[str]:
        return list(self._places)


@contextmanager
def _fails_alone(name: str) -> Iterator[None]:
    """Turn an error in the features of one image into a failure of that image alone."""
    try:
        yield
    except (InputError, KeyError, ValueError, TypeError, OverflowError, MemoryError, OSError, binascii.Error) as error:
        raise PermanentError(f"the region features of {name} cannot be read: {error}") from error


def _partner(name: str) -> str | None:
    """The array that belongs to another one of an archive."""
    if name.endswith(_FEATURES):
        return name.removesuffix(_FEATURES) + _BOXES
    return name.removesuffix(_BOXES) + _FEATURES if name.endswith(_BOXES) else None


def open_features(path: Path) -> FeatureFile:
    """Open a file or a folder of region features by what it is."""
    if path.is_dir():
        return _Folder(path)
    if not path.exists():
        raise InputError(path, "there is no such file of region features", hint=_REMEDY)
    kinds: dict[str, type[FeatureFile]] = {".npz": _Archive, ".parquet": _Parquet, ".tsv": _BottomUp}
    if path.suffix not in kinds:
        raise InputError(path, "is no file of region features", hint=_REMEDY)
    return kinds[path.suffix](path)


_DETECTOR = "python:"
_CHECKED = 3


class Regions(NamedTuple):
    """``features`` [N, D] and ``boxes`` [N, 4]: left, top, right, bottom, each as a part of the image's size."""

    features: NDArray[np.float32]
    boxes: NDArray[np.float32]


@runtime_checkable
class RegionDetector(Protocol):
    """Finds the regions of an image; given with ``-M region_features=python:module:attribute``."""

    def regions(self, image: Image) -> tuple[Any, Any]:
        """Features [N, D] and boxes [N, 4], the boxes as parts of the width and the height."""
        ...


class RegionFeatures:
    """Gives the regions of a request's image, checked."""

    def __init__(self, found: FeatureFile | RegionDetector, size: int, fingerprint: str) -> None:
        self._found = found
        self._size = size
        self.fingerprint = fingerprint

    def __call__(self, request: Request) -> Regions:
        if isinstance(self._found, FeatureFile):
            features, boxes = self._found.for_request(request)
        else:
            features, boxes = self._found.regions(load_image(request))
        return _check_regions(np.asarray(features, np.float32), np.asarray(boxes, np.float32), self._size)


def open_region_features(options: ModelOptions, size: int, name: str) -> RegionFeatures:
    """The source of regions that the user gave, for a model that takes features of a size."""
    if options.region_features is None:
        raise UsageError(
            f"{name} sees regions, not pixels: give -M region_features with a file of region features, or with a "
            "detector of yours as python:module:attribute"
        )
    given = str(options.region_features)
    if given.startswith(_DETECTOR):
        detector, fingerprint = _detector(given.removeprefix(_DETECTOR))
        return RegionFeatures(detector, size, fingerprint)
    opened = open_features(options.region_features)
    _check_first(opened, size)
    return RegionFeatures(opened, size, opened.fingerprint)


def _check_first(opened: FeatureFile, size: int) -> None:
    """Refuse a file whose first images show that it was made for another model, before any model is loaded."""
    names = list(islice(opened.names(), _CHECKED))
    if not names:
        raise InputError(opened.path, "holds no region features", hint="see the docs for what it should hold")
    for name in names:
        try:
            features, boxes = opened.get(name)
            _check_regions(np.asarray(features, np.float32), np.asarray(boxes, np.float32), size)
        except (PermanentError, ValueError, TypeError) as error:
            raise InputError(opened.path, str(error), record=f"image {name}") from error


def _detector(spec: str) -> tuple[RegionDetector, str]:
    module_name, _, attribute = spec.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
        made = getattr(module, attribute)
        detector = made() if isinstance(made, type) else made
    except Exception as error:
        raise UsageError(
            f"-M region_features=python:{spec} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(detector, RegionDetector):
        raise UsageError(f"-M region_features=python:{spec} has no method regions(image) that gives features and boxes")
    file = getattr(module, "__file__", None)
    own = getattr(detector, "fingerprint", None) or (sha256_of_file(Path(file)) if file else "no source")
    return detector, sha256_of_bytes(f"{spec}\n{own}".encode())


def _check_regions(features: NDArray[np.float32], boxes: NDArray[np.float32], size: int) -> Regions:
    if features.ndim != 2 or features.shape[1] != size or not len(features):
        raise PermanentError(f"its region features have the shape {features.shape}, and the model takes [N, {size}]")
    if boxes.shape != (len(features), 4):
        raise PermanentError(f"its boxes have the shape {boxes.shape}, and there are {len(features)} regions")
    if not np.isfinite(features).all() or not np.isfinite(boxes).all():
        raise PermanentError("its region features hold values that are no numbers")
    if boxes.min() < -1e-3 or boxes.max() > 1 + 1e-3:
        raise PermanentError("its boxes are not parts of the image's size (0 to 1): divide them by width and height")
    return Regions(features, boxes)


class RegionBatch(NamedTuple):
    """Regions of several images, filled up to the same number; ``mask`` tells which are real."""

    features: NDArray[np.float32]
    boxes: NDArray[np.float32]
    mask: NDArray[np.int64]


def collate_regions(regions: list[Regions]) -> RegionBatch:
    """Pad and stack the regions of a batch."""
    most = max(len(one.features) for one in regions)
    size = regions[0].features.shape[1]
    features = np.zeros((len(regions), most, size), np.float32)
    boxes = np.zeros((len(regions), most, 4), np.float32)
    mask = np.zeros((len(regions), most), np.int64)
    for row, one in enumerate(regions):
        count = len(one.features)
        features[row, :count], boxes[row, :count], mask[row, :count] = one.features, one.boxes, 1
    return RegionBatch(features, boxes, mask)
