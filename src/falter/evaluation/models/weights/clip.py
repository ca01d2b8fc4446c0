"""A dual encoder as a model, ``clip:NAME``: image and text are encoded separately and compared by similarity.

Captions are scored by similarity to the image, questions as statements. Each vector is computed once and cached.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

import numpy as np

from falter.core.errors import InputError
from falter.core.files import sha256_of_bytes
from falter.core.optional_packages import import_package
from falter.data.images import blank_image
from falter.data.model import Capabilities, Reply, Request, load_image
from falter.data.model_loading import STATEMENT_WRITERS, LoadContext, StatementWriter
from falter.data.model_options import ModelOptions
from falter.evaluation.models.weights.batching import BatchingConfig, LoadedRequest
from falter.evaluation.models.weights.checkpoint import Checkpoint, open_checkpoint
from falter.evaluation.models.weights.clip_encoders import (
    CONFIG,
    DualEncoder,
    OpenClipEncoder,
    Pixels,
    TransformersEncoder,
    Vectors,
    open_clip_fingerprint,
)
from falter.evaluation.models.weights.devices import Placement, placements
from falter.evaluation.models.weights.inference import infer_unordered, replies_in_order
from falter.evaluation.models.weights.pipeline import AS_IT_CAME, fits_together

K = TypeVar("K", bound=Hashable)


class _NotMade(Exception):
    """The thread that was to compute a vector failed."""


class InMemoryEmbeddingCache:
    """The most recently used vectors, shared by all devices; others wait for a vector that one is computing."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Future[Vectors]] = OrderedDict()
        self._lock = Lock()
        self.made = 0
        """Number of vectors computed."""

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def get(self, keys: Sequence[K], make: Callable[[list[K]], Vectors]) -> dict[K, Vectors]:
        """The vectors of some keys; ``make`` is called once with those that nobody has worked out yet."""
        with self._lock:
            mine: dict[K, Future[Vectors]] = {}
            wanted: dict[K, Future[Vectors]] = {}
            for key in keys:
                if key not in self._kept:
                    mine[key] = self._kept[key] = Future()
                wanted[key] = self._kept[key]
                self._kept.move_to_end(key)
        if mine:
            self._make(mine, make)
        found: dict[K, Vectors] = {}
        for key, future in wanted.items():
            try:
                found[key] = future.result()
            except _NotMade:
                # Another device ran out of memory over it; this one may have room.
                found.update(self.get([key], make))
        return found

    def _make(self, mine: dict[K, Future[Vectors]], make: Callable[[list[K]], Vectors]) -> None:
        try:
            vectors = make(list(mine))
        except BaseException:
            with self._lock:
                for key in mine:
                    self._kept.pop(key, None)
            for future in mine.values():
                future.set_exception(_NotMade())
            raise
        for future, vector in zip(mine.values(), vectors, strict=True):
            future.set_result(vector)
        with self._lock:
            self.made += len(mine)
            while len(self._kept) > self._most and next(iter(self._kept.values())).done():
                self._kept.popitem(last=False)


_VERSION = 1
"""Changes whenever the same weights would reply to the same request otherwise."""

_BATCH_SIZE = 64
_MOST_IMAGES = 100_000
_MOST_TEXTS = 100_000
_MOST_QUESTIONS = 65_536


class _EncodableRequest(NamedTuple):
    """A request with the texts to encode (one per choice, or the caption) and its image."""

    request: Request
    texts: dict[str, str] | None
    pixels: Pixels | None


class DualEncoderModel:
    """Encodes every image and every text once, and compares.

    ``match``: how near the caption is to the image. ``answer``: every choice becomes a statement, and the nearest
    wins; a question that no template reads is unsupported. In a dialogue, the choices stand after the question as they
    are; its earlier turns are too long for such encoders and stay unread.
    """

    def __init__(
        self,
        copies: Sequence[tuple[DualEncoder, Placement]],
        statements: StatementWriter,
        *,
        name: str,
        weights: str,
        dtype: str = "auto",
    ) -> None:
        """``copies`` are the same weights, one for each device; ``weights`` identifies them."""
        self.name = name
        self._copies = copies
        self._one = copies[0][0]
        self._similarity = self._one.similarity
        method = f"clip:{self._similarity.method}"
        self.capabilities = Capabilities(
            tasks=frozenset(("answer", "match")),
            needs_image=True,
            reads_context=True,
            batch_size=_BATCH_SIZE,
            method=method,
            reply_unordered=self.reply_unordered,
        )
        self._images = InMemoryEmbeddingCache(_MOST_IMAGES)
        self._texts = InMemoryEmbeddingCache(_MOST_TEXTS)
        self._statements = statements
        self._reading = Lock()
        self._stated = lru_cache(maxsize=_MOST_QUESTIONS)(self._state)
        identity = ("clip", _VERSION, weights, method, statements.fingerprint, dtype)
        self._fingerprint = sha256_of_bytes(repr(identity).encode())

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def encoded(self) -> tuple[int, int]:
        """How many images and texts were encoded so far."""
        return self._images.made, self._texts.made

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return replies_in_order(batch, self.reply_unordered(iter(batch), len(batch) or None))

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        """Replies batch by batch, questions about one image together."""
        config = BatchingConfig(
            default_size=_BATCH_SIZE,
            largest_size=1024,
            group_key=lambda _: None,
            # Encoding images is expensive and texts are cheap: batches are formed by image, not by length of text.
            length=lambda _: 0,
            load_image=self._load,
            collate=self._prepare,
            can_grow=self._copies[0][1].has_room,
        )
        workers = [partial(self._ask, copy) for copy, _ in self._copies]
        return infer_unordered(requests, workers, config, batch_size)

    def _load(self, request: Request) -> Pixels | None:
        """The image as pixels; nothing where its vector is there already, or nothing can be asked about it."""
        if _image_key(request) in self._images or self._texts_to_encode(request) is None:
            return None
        return self._one.preprocess(load_image(request))

    def _prepare(self, loaded: list[LoadedRequest]) -> list[_EncodableRequest]:
        return [_EncodableRequest(one.request, self._texts_to_encode(one.request), one.image) for one in loaded]

    def _texts_to_encode(self, request: Request) -> dict[str, str] | None:
        if request.task == "match":
            return {"": request.text}
        if request.context:
            return {choice: f"{request.text} {choice}" for choice in request.choices or ()} or None
        return self._stated(request.text, request.choices)

    def _state(self, text: str, choices: tuple[str, ...] | None) -> dict[str, str] | None:
        # Images are loaded in several threads, and parsing keeps a cache of its own.
        with self._reading:
            return self._statements.for_question(text, choices)

    def _ask(self, encoder: DualEncoder, batch: list[_EncodableRequest]) -> list[Reply]:
        open_to_it = [asked for asked in batch if asked.texts is not None]
        shown = {_image_key(asked.request): asked for asked in open_to_it}
        # Of several requests about one image, only the first may have its pixels.
        shown |= {_image_key(asked.request): asked for asked in open_to_it if asked.pixels is not None}

        def see(keys: list[Hashable]) -> Vectors:
            return encoder.encode_images([_pixels(shown[key], encoder) for key in keys])

        texts = list(dict.fromkeys(text for asked in open_to_it for text in (asked.texts or {}).values()))
        images = self._images.get(list(shown), see) if shown else {}
        vectors = self._texts.get(texts, encoder.encode_texts) if texts else {}
        return [self._make_reply(asked, images, vectors) for asked in batch]

    def _make_reply(
        self, asked: _EncodableRequest, images: dict[Hashable, Vectors], vectors: dict[str, Vectors]
    ) -> Reply:
        request = asked.request
        if asked.texts is None:
            return Reply(item_id=request.item_id, status="unsupported")
        image = images[_image_key(request)]
        scores = {name: self._similarity.score(image, vectors[text]) for name, text in asked.texts.items()}
        if request.task == "match":
            return Reply(item_id=request.item_id, score=scores[""], score_kind=self._similarity.kind)
        return Reply(
            item_id=request.item_id,
            answer=max(scores, key=scores.__getitem__),
            score_kind=self._similarity.kind,
            choice_scores=scores,
        )


def _image_key(request: Request) -> Hashable:
    """An image by its bytes where they are hashed, else by its file."""
    if request.image_sha256 is not None:
        return request.image_sha256
    return (str(request.image), request.image_id)


def _pixels(asked: _EncodableRequest, encoder: DualEncoder) -> Pixels:
    """Pixels that were not loaded before, because the vector was cached at that time."""
    return asked.pixels if asked.pixels is not None else encoder.preprocess(load_image(asked.request))


_HUB = "hf-hub:"
_SMOKE_TEST_TEXTS = ("A dog.", "There are two red cars on the other side of the street.")


def load_clip(rest: str, context: LoadContext) -> DualEncoderModel:
    """A folder or an id on the hub, read by transformers, or by OpenCLIP where only that can."""
    options = context.options
    placed = placements(options)
    copies: list[DualEncoder]
    source = rest.removeprefix(_HUB)
    checkpoint = None if _is_for_open_clip(rest) else _open_for_transformers(source, options)
    if checkpoint is None:
        name = Path(source).resolve().name if Path(source).is_dir() else source
        copies = [OpenClipEncoder(source, place) for place in placed]
        weights = open_clip_fingerprint(source)
    else:
        name, weights = checkpoint.name, checkpoint.fingerprint()
        copies = [TransformersEncoder(checkpoint, place) for place in placed]
    _smoke_test(source, copies[0])
    return DualEncoderModel(
        list(zip(copies, placed, strict=True)),
        STATEMENT_WRITERS.get("english")(*context.plugin_dirs),
        name=name,
        weights=weights,
        dtype=options.dtype,
    )


def _is_for_open_clip(rest: str) -> bool:
    """Whether there is OpenCLIP's configuration and none of transformers', or the user wrote OpenCLIP's own prefix."""
    if rest.startswith(_HUB):
        return True
    return (Path(rest) / CONFIG).is_file() and not (Path(rest) / "config.json").is_file()


def _open_for_transformers(source: str, options: ModelOptions) -> Checkpoint | None:
    """The checkpoint as transformers reads it; None for one on the hub that only OpenCLIP can read."""
    try:
        return open_checkpoint(source, options)
    except InputError:
        if Path(source).is_dir() or not _on_the_hub(source, CONFIG):
            raise
        return None


def _on_the_hub(source: str, file: str) -> bool:
    find = import_package("transformers.utils", "this model").cached_file
    try:
        return find(source, file, _raise_exceptions_for_missing_entries=False) is not None
    except Exception:
        # A wrong name was reported when the configuration was read.
        return False


def _smoke_test(source: str, encoder: DualEncoder) -> None:
    """Fail if encoding gives no vectors, or the same vector for all texts."""
    with fits_together(source):
        encoder.encode_images([encoder.preprocess(blank_image())])
        one, other = encoder.encode_texts(_SMOKE_TEST_TEXTS)
    # CLIP reads a text off at its last token; where the tokenizer ends texts otherwise, that is the first for all.
    if np.array_equal(one, other):
        raise InputError(
            source,
            "its weights cannot tell the texts of its tokenizer apart: they do not belong together",
            hint=AS_IT_CAME,
        )
