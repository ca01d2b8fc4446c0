"""ViLT: answers from a list, or scores how well a text fits a picture."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from falter.models.hf.labels import labels_of
from falter.models.hf.pipeline import Prepared, Road, on_device
from falter.models.hf.pixels import pixels_of, side_by_side
from falter.models.hf.tokens import longest_text, tokens_of
from falter.models.options import ModelOptions
from falter.models.prompts import prompt_for
from falter.models.request import Request
from falter.models.weights.batching_config import Loaded
from falter.models.weights.checkpoint import Checkpoint
from falter.models.weights.devices import Placement, load_torch
from falter.models.weights.processor import load_processor
from falter.runs.reply import Reply

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["ViltAnswers", "ViltMatches"]

_SEEDING = threading.Lock()


class _Vilt(Road):
    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        self._processor = load_processor(checkpoint)
        self.tokenizer = self._processor.tokenizer
        self._most = longest_text(checkpoint.config)
        self.prompt = prompt_for(options, default="plain")

    def prepare(self, loaded: list[Loaded]) -> Prepared:
        requests = [one.request for one in loaded]
        inputs = tokens_of(self.tokenizer, [self.said(request) for request in requests], self._most)
        pixels = side_by_side([one.picture for one in loaded])
        return Prepared(requests, inputs | {"pixel_values": pixels.values, "pixel_mask": pixels.mask})

    def seen(self, picture: Image) -> Any:
        return pixels_of(self._processor.image_processor, picture)

    def fit(self, model: Any) -> None:
        """Take the chance out of it: ViLT draws the order of patches, and with it the last digits of its scores."""
        embeddings = model.vilt.embeddings
        drawn = embeddings.visual_embed
        torch = load_torch()

        def settled(*given: Any, **named: Any) -> Any:
            with _SEEDING, torch.random.fork_rng(devices=[]):
                torch.manual_seed(0)
                return drawn(*given, **named)

        embeddings.visual_embed = settled

    def _logits(self, model: Any, place: Placement, prepared: Prepared) -> Any:
        with place.running():
            return model(**on_device(prepared.inputs, model)).logits.float().cpu()


class ViltAnswers(_Vilt):
    """A classifier over a list of answers."""

    class_name = "ViltForQuestionAnswering"
    prompted_tasks = frozenset(("answer", "match"))

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        super().__init__(checkpoint, options)
        self._labels = labels_of(checkpoint, checkpoint.config.num_labels)
        self._decide = options.decide
        self.identity = self._labels.names
        self.tasks = frozenset(("answer", "match") if self._labels.know_yes_and_no else ("answer",))
        self.method = f"decide:{options.decide},match:yes-no"

    def said(self, request: Request) -> str:
        return self.prompt.question(request)

    def ask(self, model: Any, place: Placement, prepared: Prepared) -> list[Reply]:
        logits = self._logits(model, place, prepared)
        return [
            self._labels.match(request, row)
            if request.task == "match"
            else self._labels.answer(request, row, self._decide)
            for request, row in zip(prepared.requests, logits, strict=True)
        ]


class ViltMatches(_Vilt):
    """A score for a picture and a text."""

    class_name = "ViltForImageAndTextRetrieval"
    tasks = frozenset(("match",))
    method = "match:head"

    def said(self, request: Request) -> str:
        return request.text

    def ask(self, model: Any, place: Placement, prepared: Prepared) -> list[Reply]:
        scores = self._logits(model, place, prepared)[:, 0].double().sigmoid()
        return [
            Reply(item_id=request.item_id, score=float(score), score_kind="probability")
            for request, score in zip(prepared.requests, scores, strict=True)
        ]
