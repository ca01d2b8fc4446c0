"""A checkpoint of transformers as a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from falter.files import sha256_of_bytes
from falter.images.load import image_size
from falter.models.capabilities import Capabilities
from falter.models.hf.pipeline_selection import select_pipeline
from falter.models.load_context import LoadContext
from falter.models.request import Request
from falter.models.weights.batching import BatchingConfig, infer_unordered, replies_in_order
from falter.models.weights.checkpoint import open_checkpoint
from falter.models.weights.devices import Placement, load_torch, placements
from falter.models.weights.load import load_weights
from falter.models.weights.pipeline import Pipeline
from falter.models.weights.processor import check_vocabulary
from falter.models.weights.smoke_test import smoke_test
from falter.runs.reply import Reply

__all__ = ["HuggingFaceModel", "load_hf"]

_VERSION = 1
"""Changes whenever the same weights would reply otherwise to the same request."""

_SQUARE = (448, 448)
"""The size that an image is taken for where it cannot be read."""


class HuggingFaceModel:
    """Weights on one or several devices, run by the pipeline of their family."""

    def __init__(
        self, name: str, pipeline: Pipeline, copies: Sequence[tuple[Any, Placement]], *, weights: str, precision: str
    ) -> None:
        """``copies`` are the same weights, one for each device; ``weights`` is their fingerprint."""
        self.name = name
        self.capabilities = Capabilities(
            tasks=pipeline.tasks,
            needs_image=True,
            accepts_text_only=pipeline.accepts_text_only,
            reads_context=pipeline.reads_context,
            batch_size=pipeline.batch_size,
            method=pipeline.method,
            prompt=pipeline.prompt,
            prompted_tasks=pipeline.prompted_tasks,
            generates=pipeline.generates,
            count_tokens=self.count_tokens,
            count_image_tokens=self.count_image_tokens if _has_image_tokens(pipeline) else None,
            reply_unordered=self.reply_unordered,
        )
        self._pipeline = pipeline
        self._copies = copies
        prompt = pipeline.prompt.fingerprint if pipeline.prompted_tasks else None
        identity = (
            "hf",
            _VERSION,
            weights,
            pipeline.class_name,
            pipeline.method,
            prompt,
            pipeline.fingerprint_parts,
            precision,
        )
        self._fingerprint = sha256_of_bytes(repr(identity).encode())

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return replies_in_order(batch, self.reply_unordered(iter(batch), len(batch) or None))

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        """Replies in batches of like length; with several devices, each works on batches of its own."""
        pipeline = self._pipeline
        config = BatchingConfig(
            default_size=pipeline.batch_size,
            group_key=pipeline.group_key,
            length=pipeline.length,
            load_image=pipeline.load_image,
            collate=pipeline.collate,
            can_grow=lambda: all(place.has_room() for _, place in self._copies),
        )
        workers = [partial(pipeline.infer, model, place) for model, place in self._copies]
        return infer_unordered(requests, workers, config, batch_size)

    def count_tokens(self, requests: Sequence[Request]) -> int:
        """The tokens of the texts that the model would read; images come on top."""
        texts = [self._pipeline.prompt_text(request) for request in requests]
        return sum(len(ids) for ids in self._pipeline.tokenizer(texts)["input_ids"]) if texts else 0

    def count_image_tokens(self, requests: Sequence[Request]) -> int:
        """The tokens that the images become, by the sizes of their files."""
        sizes = [image_size(request.image) or _SQUARE for request in requests if request.image is not None]
        return sum(self._pipeline.count_image_tokens(*size) or 0 for size in sizes)


def _has_image_tokens(pipeline: Pipeline) -> bool:
    """Whether images become tokens of the prompt, and the processor says how many."""
    try:
        return pipeline.count_image_tokens(*_SQUARE) is not None
    except (AttributeError, KeyError, NotImplementedError, TypeError, ValueError):
        return False


def load_hf(rest: str, context: LoadContext) -> HuggingFaceModel:
    """Open a checkpoint, take the pipeline of its family, and put a copy of the weights on each device."""
    load_torch()
    options = context.options
    placed = placements(options)
    checkpoint = open_checkpoint(rest, options)
    pipeline = select_pipeline(checkpoint, options)
    copies = []
    for place in placed:
        model = load_weights(checkpoint, pipeline.class_name, place)
        check_vocabulary(checkpoint, pipeline.tokenizer, model)
        pipeline.configure(model)
        copies.append((model, place))
    smoke_test(checkpoint, pipeline, *copies[0])
    # By what the weights are, not by what was asked for: the same run can go on elsewhere.
    precision = f"{copies[0][0].dtype}{' mixed' if placed[0].mixed else ''}"
    return HuggingFaceModel(checkpoint.name, pipeline, copies, weights=checkpoint.fingerprint(), precision=precision)
