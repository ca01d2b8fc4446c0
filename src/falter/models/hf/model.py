"""A checkpoint of transformers as a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from falter.files import sha256_of_bytes
from falter.models.capabilities import Capabilities
from falter.models.hf.pipeline import Road
from falter.models.request import Request
from falter.models.weights.batching import Arrangement, replies_in_order, stream_batches
from falter.models.weights.devices import Placement
from falter.runs.reply import Reply

__all__ = ["HuggingFaceModel"]

_VERSION = 1
"""Changes whenever the same weights would reply otherwise to the same request."""


class HuggingFaceModel:
    """Weights on one device or several, asked along the road of their family."""

    def __init__(
        self, name: str, road: Road, copies: Sequence[tuple[Any, Placement]], *, weights: str, precision: str
    ) -> None:
        """``copies`` are the same weights, one for each device; ``weights`` is their fingerprint."""
        self.name = name
        self.capabilities = Capabilities(
            tasks=road.tasks,
            needs_image=True,
            accepts_text_only=road.accepts_text_only,
            reads_context=road.reads_context,
            batch_size=road.batch_size,
            method=road.method,
            prompt=road.prompt,
            prompted_tasks=road.prompted_tasks,
            generates=road.generates,
            count_tokens=self.count_tokens,
            reply_unordered=self.reply_unordered,
        )
        self._road = road
        self._copies = copies
        prompt = road.prompt.fingerprint if road.prompted_tasks else None
        identity = ("hf", _VERSION, weights, road.class_name, road.method, prompt, road.identity, precision)
        self._fingerprint = sha256_of_bytes(repr(identity).encode())

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return replies_in_order(batch, self.reply_unordered(iter(batch), len(batch) or None))

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        """Replies in batches of like length; with several devices, each works on batches of its own."""
        road = self._road
        arrangement = Arrangement(
            default_size=road.batch_size,
            kind=road.kind,
            length=road.length,
            load=road.load,
            prepare=road.prepare,
            has_room=lambda: all(place.has_room() for _, place in self._copies),
        )
        workers = [partial(road.ask, model, place) for model, place in self._copies]
        return stream_batches(requests, workers, arrangement, batch_size)

    def count_tokens(self, requests: Sequence[Request]) -> int:
        """The tokens of the texts that the model would read; pictures come on top."""
        texts = [self._road.said(request) for request in requests]
        return sum(len(ids) for ids in self._road.tokenizer(texts)["input_ids"]) if texts else 0
