"""Inputs of LXMERT and VisualBERT: regions of a detector, from a file or from the user's own detector."""

from __future__ import annotations

import importlib
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from falter.core.errors import InputError, UsageError
from falter.core.files import sha256_of_bytes, sha256_of_file
from falter.data.model import PermanentError, Request, load_image
from falter.data.model_options import ModelOptions
from falter.evaluation.models.hf.region_feature_files import FeatureFile, open_features

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["RegionDetector", "RegionFeatures", "Regions", "collate_regions", "open_region_features"]

_DETECTOR = "python:"
_CHECKED = 3


class Regions(NamedTuple):
    """``features`` [N, D] and ``boxes`` [N, 4]: left, top, right, bottom, each as a part of the image's size."""

    features: NDArray[np.float32]
    boxes: NDArray[np.float32]


@runtime_checkable
class RegionDetector(Protocol):
    """Finds the regions of an image; given with ``--region-features python:module:attribute``."""

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
            f"{name} sees regions, not pixels: give --region-features with a file of region features, or with a "
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
            f"--region-features python:{spec} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(detector, RegionDetector):
        raise UsageError(f"--region-features python:{spec} has no method regions(image) that gives features and boxes")
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
