"""The distinct requests of a suite, and what a model is shown instead of an image: nothing, a gray image or another.

Requests are read from the columns that a model may see and from no other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from falter.core.errors import UsageError
from falter.core.files import open_parquet, sha256_of_bytes, write_atomically
from falter.core.tables import format_count
from falter.data.images import blank_png, image_size
from falter.data.items import Turn
from falter.data.model import Model, PublishedItem, Request, own_id
from falter.data.suite import ITEM_SCHEMA, Suite
from falter.evaluation.runs.manifest import RunSettings, Shard

CONTEXT_VERSION = 1
"""Changes whenever earlier turns would be put differently to a model that reads none."""

_COLUMNS = (
    "probe_id",
    "item_id",
    "task",
    "text",
    "image",
    "image_id",
    "image_sha256",
    "context",
    "choices",
    "source_id",
)
_ROWS = 4096
_PROBES = 256


def distinct_requests(
    suite: Suite,
    probes: Collection[str] | None = None,
    shard: Shard | None = None,
    own: Collection[tuple[str, str]] = (),
) -> Iterator[Request]:
    """Each distinct item of a suite (or of some of its probes, or of a part) once, in the suite's order.

    ``own`` holds the item id and the published id of rows that have a request of their own besides.
    """
    seen: set[str] = set()
    for row in _rows(suite):
        probe_id, item_id, image_id, source_id = row[0], row[1], row[5], row[9]
        asked = own_id(item_id, source_id) if (item_id, source_id) in own else item_id
        if asked in seen or (probes is not None and probe_id not in probes):
            continue
        seen.add(asked)
        if shard is not None and not shard.holds(item_id, image_id):
            continue
        yield _request(suite, asked, row)


def _request(suite: Suite, asked: str, row: tuple[Any, ...]) -> Request:
    _, _, task, text, image, image_id, image_sha256, context, choices, source_id = row
    return Request(
        item_id=asked,
        task=task,
        text=text,
        image=None if image is None else suite.image_folders.find(image),
        image_id=image_id,
        image_sha256=image_sha256,
        context=None if context is None else tuple(Turn(turn["speaker"], turn["text"]) for turn in context),
        choices=None if choices is None else tuple(choices),
        source_id=source_id,
    )


class OrderedRequests:
    """The distinct requests of a suite, probe by probe in any order; an item is asked with the first of its probes.

    ``given`` gets the ids of all requests that were given out.
    """

    def __init__(self, suite: Suite, own: Collection[tuple[str, str]], given: set[str]) -> None:
        self._suite, self._own = suite, own
        self._table = open_parquet(suite.items_path, ITEM_SCHEMA).read(_COLUMNS)
        self._places: dict[str, list[int]] = {}
        for place, probe_id in enumerate(self._table["probe_id"].to_pylist()):
            self._places.setdefault(probe_id, []).append(place)
        self._given = given

    def of(self, probes: Sequence[str]) -> Iterator[Request]:
        """The requests of some probes that were not given before."""
        for start in range(0, len(probes), _PROBES):
            places = [place for probe_id in probes[start : start + _PROBES] for place in self._places[probe_id]]
            part = self._table.take(pa.array(places, pa.int64()))
            for row in zip(*(part[name].to_pylist() for name in _COLUMNS), strict=True):
                item_id, source_id = row[1], row[9]
                asked = own_id(item_id, source_id) if (item_id, source_id) in self._own else item_id
                if asked not in self._given:
                    self._given.add(asked)
                    yield _request(self._suite, asked, row)


def item_and_source_ids(suite: Suite, probes: Collection[str] | None = None) -> Iterator[tuple[str, str | None]]:
    """Of every row the id of its item and its published id: an item may be published under several."""
    for batch in open_parquet(suite.items_path, ITEM_SCHEMA).iter_batches(["probe_id", "item_id", "source_id"]):
        for probe_id, item_id, source_id in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if probes is None or probe_id in probes:
                yield item_id, source_id


def own_requests(suite: Suite, model: Model, probes: Collection[str] | None) -> frozenset[tuple[str, str]]:
    """The item id and the published id of rows for which a model has a reply of their own."""
    join = model.capabilities.join_ids
    return frozenset() if join is None else frozenset(join(lambda: published_items(suite, probes)))


def published_items(suite: Suite, probes: Collection[str] | None = None) -> Iterator[PublishedItem]:
    """All rows with their published ids; the file is what the ids of probes have before the published id."""
    file = ""
    columns = ["probe_id", "variant", "item_id", "source_id", "test"]
    for batch in open_parquet(suite.items_path, ITEM_SCHEMA).iter_batches(columns):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            probe_id, variant, item_id, source_id, test = row
            if variant == 0:
                file = probe_id.removesuffix(source_id or "")
            if probes is None or probe_id in probes:
                yield PublishedItem(item_id, source_id, file, test)


def _rows(suite: Suite) -> Iterator[tuple[Any, ...]]:
    for batch in open_parquet(suite.items_path, ITEM_SCHEMA).iter_batches(_COLUMNS, batch_size=_ROWS):
        values: list[Callable[[], list[Any]]] = [batch.column(name).to_pylist for name in _COLUMNS]
        yield from zip(*(column() for column in values), strict=True)


def flatten_context(request: Request) -> Request:
    """Put the earlier turns before the text, for a model that reads no context."""
    if not request.context:
        return request
    turns = [f"{turn.speaker}: {turn.text}" for turn in request.context]
    return msgspec.structs.replace(request, text="\n".join([*turns, request.text]), context=None)


RequestTransform = Callable[[Request], Request]
"""Turns a request into the one that the model is shown."""

UNKNOWN_SIZE = (224, 224)
"""The size of the gray image where the real one is not available or cannot be read."""


def check_image_input(model: Model, settings: RunSettings) -> None:
    """Refuse a model that the settings make no sense for, before it is called."""
    if model.capabilities.replays and (settings.image_input is not None or settings.repeat > 1):
        raise UsageError(
            f"{model.name} replays stored predictions; --image-input and --repeat need a model that can be called"
        )
    if settings.image_input == "none" and not model.capabilities.works_without_image:
        raise UsageError(f"{model.name} needs an image; use --image-input blank or --image-input shuffle")


def needs_images(model: Model, settings: RunSettings) -> bool:
    """Whether the images must be available."""
    return model.capabilities.needs_image and settings.image_input != "none"


def image_transform(suite: Suite, settings: RunSettings, folder: Path | None) -> RequestTransform:
    """The transform of these settings; gray images are written to ``folder``, or nowhere for a plan."""
    if settings.image_input == "none":
        return without_image
    if settings.image_input == "blank":
        return BlankImages(folder)
    if settings.image_input == "shuffle":
        return ShuffledImages.from_suite(suite, settings.seed)
    return lambda request: request


def without_image(request: Request) -> Request:
    """The text alone."""
    if request.image is None and request.image_id is None:
        return request
    return msgspec.structs.replace(request, image=None, image_id=None, image_sha256=None)


class BlankImages:
    """A uniform gray image of the same size; its id is another, since features may be stored under the original's."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._sizes: dict[Path | None, tuple[int, int]] = {None: UNKNOWN_SIZE}
        self._made: dict[tuple[int, int], _ShownImage] = {}

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

    def _make(self, size: tuple[int, int]) -> _ShownImage:
        name = f"blank-{size[0]}x{size[1]}"
        data = blank_png(size)
        path = None if self._folder is None else self._folder / f"{name}.png"
        if path is not None:
            write_atomically(path, data)
        return _ShownImage(path, name, sha256_of_bytes(data))


class _ShownImage(NamedTuple):
    image: Path | None
    image_id: str
    sha256: str | None


class ShuffledImages:
    """Another image of the suite for every image: drawn by the seed, the same for all items of an image.

    Images are put in an order drawn by the seed, and each gives its files to the one before it, so that none keeps
    its own and each is used once. Where an image has several files (the original and obfuscated ones), the first
    replaces the first, the second the second, and so on, cyclically.
    """

    def __init__(self, images: dict[str, list[_ShownImage]], seed: int) -> None:
        order = sorted(images, key=lambda image_id: _draw(seed, image_id))
        self._other: dict[tuple[str, Path | None], _ShownImage] = {}
        for image_id, other in zip(order, [*order[1:], order[0]], strict=True):
            instead = images[other]
            for number, own in enumerate(images[image_id]):
                self._other[image_id, own.image] = instead[number % len(instead)]

    @classmethod
    def from_suite(cls, suite: Suite, seed: int) -> ShuffledImages:
        """Over a whole suite: a limited run shuffles as the whole one does."""
        table = open_parquet(suite.items_path, ITEM_SCHEMA).read(["image_id", "image", "image_sha256"])
        images: dict[str, dict[_ShownImage, None]] = {}
        for image_id, image, sha256 in zip(*(column.to_pylist() for column in table.itercolumns()), strict=True):
            if image_id is not None:
                path = None if image is None else suite.image_folders.find(image)
                images.setdefault(image_id, {})[_ShownImage(path, image_id, sha256)] = None
        if len(images) < 2:
            raise UsageError(
                f"{suite.name} has {format_count(len(images), 'images')}; --image-input shuffle needs at least 2"
            )
        return cls({image_id: list(found) for image_id, found in images.items()}, seed)

    def __call__(self, request: Request) -> Request:
        if request.image_id is None:
            return without_image(request)
        other = self._other[request.image_id, request.image]
        return msgspec.structs.replace(request, image=other.image, image_id=other.image_id, image_sha256=other.sha256)


def _draw(seed: int, image_id: str) -> bytes:
    return hashlib.sha256(f"swap\n{seed}\n{image_id}".encode()).digest()
