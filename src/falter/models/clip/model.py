"""A dual encoder as a model: captions are scored by similarity to the image, questions as statements."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache, partial
from threading import Lock
from typing import NamedTuple

from falter.english.statements import Statements
from falter.files import sha256_of_bytes
from falter.models.capabilities import Capabilities
from falter.models.clip.embedding_cache import InMemoryEmbeddingCache
from falter.models.clip.encoder import DualEncoder, Pixels, Vectors
from falter.models.request import Request
from falter.models.request_image import load_image
from falter.models.weights.batching import BatchingConfig, LoadedRequest, infer_unordered, replies_in_order
from falter.models.weights.devices import Placement
from falter.runs.reply import Reply

__all__ = ["DualEncoderModel"]

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
        statements: Statements,
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
        if _key(request) in self._images or self._texts_to_encode(request) is None:
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
        shown = {_key(asked.request): asked for asked in open_to_it}
        # Of several requests about one image, only the first may have its pixels.
        shown |= {_key(asked.request): asked for asked in open_to_it if asked.pixels is not None}

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
        image = images[_key(request)]
        scores = {name: self._similarity.score(image, vectors[text]) for name, text in asked.texts.items()}
        if request.task == "match":
            return Reply(item_id=request.item_id, score=scores[""], score_kind=self._similarity.kind)
        return Reply(
            item_id=request.item_id,
            answer=max(scores, key=scores.__getitem__),
            score_kind=self._similarity.kind,
            choice_scores=scores,
        )


def _key(request: Request) -> Hashable:
    """An image by its bytes where they are hashed, else by its file."""
    if request.image_sha256 is not None:
        return request.image_sha256
    return (str(request.image), request.image_id)


def _pixels(asked: _EncodableRequest, encoder: DualEncoder) -> Pixels:
    """Pixels that were not loaded before, because the vector was cached at that time."""
    return asked.pixels if asked.pixels is not None else encoder.preprocess(load_image(asked.request))
