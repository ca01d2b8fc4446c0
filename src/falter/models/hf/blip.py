"""BLIP and BLIP-2 with a head that tells whether a text belongs to an image."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from falter.models.options import ModelOptions
from falter.models.prompts import load_prompt
from falter.models.request import Request
from falter.models.weights.batching_config import LoadedRequest
from falter.models.weights.checkpoint import Checkpoint
from falter.models.weights.devices import Placement, load_torch
from falter.models.weights.pipeline import ModelInputs, Pipeline, move_to_device
from falter.models.weights.pixels import pad_images, preprocess_pixels
from falter.models.weights.processor import load_processor
from falter.models.weights.tokens import check_length, max_text_tokens
from falter.runs.reply import Reply

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Blip2MatchingPipeline", "BlipMatchingPipeline"]


class _MatchingPipeline(Pipeline):
    tasks = frozenset(("match",))
    method = "match:head"

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        self._processor = load_processor(checkpoint)
        self.tokenizer = self._processor.tokenizer
        self.prompt = load_prompt(options, default="plain")
        self._most = self.longest(checkpoint.config)

    def longest(self, config: Any) -> int | None:
        """How many tokens the text may have."""
        return max_text_tokens(config)

    def prompt_text(self, request: Request) -> str:
        return request.text

    def collate(self, loaded: list[LoadedRequest]) -> ModelInputs:
        requests = [one.request for one in loaded]
        self.tokenizer.padding_side = "right"
        inputs = self.tokens([request.text for request in requests])
        check_length(inputs["attention_mask"], self._most)
        return ModelInputs(requests, inputs | {"pixel_values": pad_images([one.image for one in loaded]).values})

    def preprocess_image(self, image: Image) -> Any:
        return preprocess_pixels(self._processor.image_processor, image)

    def tokens(self, texts: list[str]) -> dict[str, Any]:
        """Texts as the model takes them."""
        return dict(self._processor(text=texts, padding=True, return_tensors="pt"))

    @abstractmethod
    def logits(self, model: Any, inputs: dict[str, Any]) -> Any:
        """Two numbers for each pair: no match, match."""

    def infer(self, model: Any, place: Placement, batch: ModelInputs) -> list[Reply]:
        with place.running():
            logits = self.logits(model, move_to_device(batch.inputs, model)).double().cpu()
        scores = (logits[:, 1] - logits[:, 0]).sigmoid()
        return [
            Reply(item_id=request.item_id, score=float(score), score_kind="probability")
            for request, score in zip(batch.requests, scores, strict=True)
        ]


class BlipMatchingPipeline(_MatchingPipeline):
    """BLIP's image-text matching."""

    class_name = "BlipForImageTextRetrieval"

    def logits(self, model: Any, inputs: dict[str, Any]) -> Any:
        # The model's own forward makes one of its masks on the CPU.
        seen = model.vision_model(pixel_values=inputs["pixel_values"]).last_hidden_state
        read = model.text_encoder(
            input_ids=inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            encoder_hidden_states=seen,
            encoder_attention_mask=inputs["input_ids"].new_ones(seen.shape[:2]),
        )
        return model.itm_head(read.last_hidden_state[:, 0])


class Blip2MatchingPipeline(_MatchingPipeline):
    """BLIP-2's image-text matching, by its querying transformer."""

    class_name = "Blip2ForImageTextRetrieval"

    def longest(self, config: Any) -> int | None:
        return int(config.qformer_config.max_position_embeddings)

    def tokens(self, texts: list[str]) -> dict[str, Any]:
        inputs = super().tokens(texts)
        count = self._processor.num_query_tokens
        if count is None:
            return inputs
        # The processor puts the tokens of the image before the text only where it sees the image itself.
        mark = self.tokenizer.convert_tokens_to_ids(str(getattr(self._processor.image_token, "content", "<image>")))
        ids, mask = inputs["input_ids"], inputs["attention_mask"]
        torch = load_torch()
        return {
            "input_ids": torch.cat([ids.new_full((len(ids), count), mark), ids], dim=1),
            "attention_mask": torch.cat([mask.new_ones((len(ids), count)), mask], dim=1),
        }

    def logits(self, model: Any, inputs: dict[str, Any]) -> Any:
        return model(**inputs, use_image_text_matching_head=True).logits_per_image
