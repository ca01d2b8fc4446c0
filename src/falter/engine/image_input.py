"""What a model is shown instead of the picture: nothing, a grey one of the same size, or that of another item."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow.parquet as pq

from falter.errors import UsageError
from falter.files import sha256_of_bytes, write_atomically
from falter.images.blank import blank_png
from falter.images.load import image_size
from falter.models.protocol import Model
from falter.models.request import Request
from falter.probes import Suite
from falter.runs.settings import Settings

__all__ = ["Show", "check_switch", "needs_pictures", "switch_for"]

Show = Callable[[Request], Request]
"""Turns a request into the one that the model is shown."""

UNKNOWN_SIZE = (224, 224)
"""The size of the grey picture where the real one is not at hand or cannot be read."""


def check_switch(model: Model, settings: Settings) -> None:
    """Refuse a model that the settings make no sense for, before anything is asked."""
    if model.capabilities.replays and (settings.image is not None or settings.repeat > 1):
        raise UsageError(
            f"{model.name} gives replies that were made elsewhere, whatever it is shown: "
            "--image and --repeat need a model that can be asked"
        )
    if settings.image == "none" and not model.capabilities.works_without_image:
        raise UsageError(f"{model.name} cannot be asked without a picture: give --image blank or --image shuffle")


def needs_pictures(model: Model, settings: Settings) -> bool:
    """Whether the pictures must be at hand."""
    return model.capabilities.needs_image and settings.image != "none"


def switch_for(suite: Suite, settings: Settings, folder: Path | None) -> Show:
    """The switch of these settings; grey pictures are written to ``folder``, or nowhere for a plan."""
    if settings.image == "none":
        return without_picture
    if settings.image == "blank":
        return Blank(folder)
    if settings.image == "shuffle":
        return Swap.of(suite, settings.seed)
    return lambda request: request


def without_picture(request: Request) -> Request:
    """The text alone."""
    if request.image is None and request.image_id is None:
        return request
    return msgspec.structs.replace(request, image=None, image_id=None, image_sha256=None)


class Blank:
    """A uniform grey picture of the same size; its id is not that of the picture, which features may be kept under."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._sizes: dict[Path | None, tuple[int, int]] = {None: UNKNOWN_SIZE}
        self._made: dict[tuple[int, int], _Picture] = {}

    def __call__(self, request: Request) -> Request:
        if request.image is None and request.image_id is None:
            return request
        if request.image not in self._sizes:
            self._sizes[request.image] = (request.image and image_size(request.image)) or UNKNOWN_SIZE
        size = self._sizes[request.image]
        if size not in self._made:
            self._made[size] = self._make(size)
        blank = self._made[size]
        path = request.image if blank.image is None else blank.image
        return msgspec.structs.replace(request, image=path, image_id=blank.image_id, image_sha256=blank.sha256)

    def _make(self, size: tuple[int, int]) -> _Picture:
        name = f"blank-{size[0]}x{size[1]}"
        data = blank_png(size)
        path = None if self._folder is None else self._folder / f"{name}.png"
        if path is not None:
            write_atomically(path, data)
        return _Picture(path, name, sha256_of_bytes(data))


class _Picture(NamedTuple):
    image: Path | None
    image_id: str
    sha256: str | None


class Swap:
    """Another image of the suite for every image: drawn by the seed, the same for all items of an image.

    Images are put in an order drawn by the seed, and each gives its pictures to the one before it, so that none keeps
    its own and each is used once. Where an image has several pictures (the original and obfuscated ones), the first
    stands for the first, the second for the second, and so on around.
    """

    def __init__(self, pictures: dict[str, list[_Picture]], seed: int) -> None:
        order = sorted(pictures, key=lambda image_id: _draw(seed, image_id))
        self._other: dict[tuple[str, Path | None], _Picture] = {}
        for image_id, other in zip(order, [*order[1:], order[0]], strict=True):
            instead = pictures[other]
            for number, own in enumerate(pictures[image_id]):
                self._other[image_id, own.image] = instead[number % len(instead)]

    @classmethod
    def of(cls, suite: Suite, seed: int) -> Swap:
        """The swap of a whole suite: a limited run swaps as the whole one does."""
        table = pq.read_table(suite.items_path, columns=["image_id", "image", "image_sha256"])
        pictures: dict[str, dict[_Picture, None]] = {}
        for image_id, image, sha256 in zip(*(column.to_pylist() for column in table.itercolumns()), strict=True):
            if image_id is not None:
                path = None if image is None else suite.folder / image
                pictures.setdefault(image_id, {})[_Picture(path, image_id, sha256)] = None
        if len(pictures) < 2:
            raise UsageError(f"{suite.name} has pictures of {len(pictures)} images: --image shuffle needs at least 2")
        return cls({image_id: list(found) for image_id, found in pictures.items()}, seed)

    def __call__(self, request: Request) -> Request:
        if request.image_id is None:
            return without_picture(request)
        other = self._other[request.image_id, request.image]
        return msgspec.structs.replace(request, image=other.image, image_id=other.image_id, image_sha256=other.sha256)


def _draw(seed: int, image_id: str) -> bytes:
    return hashlib.sha256(f"swap\n{seed}\n{image_id}".encode()).digest()
