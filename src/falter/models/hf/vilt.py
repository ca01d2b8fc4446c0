"""ViLT: answers from a list, or scores how well a text fits an image."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from falter.models.hf.labels import load_labels
from falter.models.options import ModelOptions
from falter.models.prompts import load_prompt
from falter.models.request import Request
from falter.models.weights.batching_config import LoadedRequest
from falter.models.weights.checkpoint import Checkpoint
from falter.models.weights.devices import Placement, load_torch
from falter.models.weights.pipeline import ModelInputs, Pipeline, move_to_device
from falter.models.weights.pixels import pad_images, preprocess_pixels
from falter.models.weights.processor import load_processor
from falter.models.weights.tokens import max_text_tokens, tokenize
from falter.runs.reply import Reply

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["ViltMatchingPipeline", "ViltVqaPipeline"]

_SEEDING = threading.Lock()


class _ViltPipeline(Pipeline):
    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        self._processor = load_processor(checkpoint)
        self.tokenizer = self._processor.tokenizer
        self._most = max_text_tokens(checkpoint.config)
        self.prompt = load_prompt(options, default="plain")

    def collate(self, loaded: list[LoadedRequest]) -> ModelInputs:
        requests = [one.request for one in loaded]
        inputs = tokenize(self.tokenizer, [self.prompt_text(request) for request in requests], self._most)
        pixels = pad_images([one.image for one in loaded])
        return ModelInputs(requests, inputs | {"pixel_values": pixels.values, "pixel_mask": pixels.mask})

    def preprocess_image(self, image: Image) -> Any:
        return preprocess_pixels(self._processor.image_processor, image)

    def configure(self, model: Any) -> None:
        """Make it deterministic: ViLT draws the order of patches, which changes the last digits of its scores."""
        embeddings = model.vilt.embeddings
        drawn = embeddings.visual_embed
        torch = load_torch()

        def settled(*given: Any, **named: Any) -> Any:
            with _SEEDING, torch.random.fork_rng(devices=[]):
                torch.manual_seed(0)
                return drawn(*given, **named)

        embeddings.visual_embed = settled

    def _logits(self, model: Any, place: Placement, batch: ModelInputs) -> Any:
        with place.running():
            return model(**move_to_device(batch.inputs, model)).logits.float().cpu()


class ViltVqaPipeline(_ViltPipeline):
    """A classifier over a list of answers."""

    class_name = "ViltForQuestionAnswering"
    prompted_tasks = frozenset(("answer", "match"))

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        super().__init__(checkpoint, options)
        self._labels = load_labels(checkpoint, checkpoint.config.num_labels)
        self._answer_by = options.answer_by
        self.fingerprint_parts = self._labels.names
        self.tasks = frozenset(("answer", "match") if self._labels.know_yes_and_no else ("answer",))
        self.method = f"decide:{options.answer_by},match:yes-no"

    def prompt_text(self, request: Request) -> str:
        return self.prompt.question(request)

    def infer(self, model: Any, place: Placement, batch: ModelInputs) -> list[Reply]:
        logits = self._logits(model, place, batch)
        return [
            self._labels.match(request, row)
            if request.task == "match"
            else self._labels.answer(request, row, self._answer_by)
            for request, row in zip(batch.requests, logits, strict=True)
        ]


class ViltMatchingPipeline(_ViltPipeline):
    """A score for an image and a text."""

    class_name = "ViltForImageAndTextRetrieval"
    tasks = frozenset(("match",))
    method = "match:head"

    def prompt_text(self, request: Request) -> str:
        return request.text

    def infer(self, model: Any, place: Placement, batch: ModelInputs) -> list[Reply]:
        scores = self._logits(model, place, batch)[:, 0].double().sigmoid()
        return [
            Reply(item_id=request.item_id, score=float(score), score_kind="probability")
            for request, score in zip(batch.requests, scores, strict=True)
        ]
