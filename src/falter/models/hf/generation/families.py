"""Families of generative models that need code of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from falter.models.hf.generation.prompt_formats import PromptInput
from falter.models.hf.generation.runners import DecoderOnly, EncoderDecoder, greedy
from falter.models.weights.devices import load_torch
from falter.models.weights.pixels import pad_images, preprocess_pixels

__all__ = ["BlipVqaRunner", "GitRunner"]


class BlipVqaRunner(EncoderDecoder):
    """BLIP for questions: image and question are encoded together, and the answer is decoded from that.

    Its decoder takes the padding of shorter questions for words, so that a batch would change answers: questions of
    one length go through it together, without padding.
    """

    def preprocess_image(self, image: Any) -> Any:
        return preprocess_pixels(self._processor.image_processor, image)

    def encode(self, asked: Sequence[PromptInput], *, side: str) -> dict[str, Any]:
        self._tokenizer.padding_side = side
        inputs = self._processor(text=[one.text for one in asked], padding=True, return_tensors="pt")
        return {**inputs, "pixel_values": pad_images([one.images[0] for one in asked]).values}

    def generate(self, model: Any, inputs: dict[str, Any], most: int) -> Any:
        torch = load_torch()
        settings = greedy(most, self._tokenizer)
        written: dict[int, Any] = {}
        for rows, some in _even(inputs):
            tokens = model.text_decoder.generate(
                input_ids=some["input_ids"].new_full((len(rows), 1), self.start(model)),
                eos_token_id=model.config.text_config.sep_token_id,
                encoder_hidden_states=_read(model, some),
                **settings,
            )
            written |= zip(rows, tokens, strict=True)
        padding = self._tokenizer.pad_token_id
        in_order = [written[row] for row in range(len(written))]
        return torch.nn.utils.rnn.pad_sequence(in_order, batch_first=True, padding_value=padding)

    def start(self, model: Any) -> int:
        return int(model.decoder_start_token_id)

    def decoded(self, model: Any, inputs: dict[str, Any], ids: Any) -> Any:
        torch = load_torch()
        logits: dict[int, Any] = {}
        for rows, some in _even(inputs):
            output = model.text_decoder(input_ids=ids[rows], encoder_hidden_states=_read(model, some))
            logits |= zip(rows, output.logits, strict=True)
        return torch.stack([logits[row] for row in range(len(logits))])


def _even(inputs: dict[str, Any]) -> Iterator[tuple[list[int], dict[str, Any]]]:
    """The rows of a batch by the length of their questions, without padding."""
    lengths = inputs["attention_mask"].sum(-1).tolist()
    for length in sorted(set(lengths)):
        rows = [row for row, own in enumerate(lengths) if own == length]
        yield rows, {"input_ids": inputs["input_ids"][rows, :length], "pixel_values": inputs["pixel_values"][rows]}


def _read(model: Any, inputs: dict[str, Any]) -> Any:
    seen = model.vision_model(pixel_values=inputs["pixel_values"]).last_hidden_state
    read = model.text_encoder(
        input_ids=inputs["input_ids"],
        attention_mask=inputs["input_ids"].new_ones(inputs["input_ids"].shape),
        encoder_hidden_states=seen,
        encoder_attention_mask=inputs["input_ids"].new_ones(seen.shape[:2]),
    )
    return read.last_hidden_state


class GitRunner(DecoderOnly):
    """GIT: the image's tokens come first and are not counted, and a question has no closing token."""

    def preprocess_image(self, image: Any) -> Any:
        return preprocess_pixels(self._processor.image_processor, image)

    def encode(self, asked: Sequence[PromptInput], *, side: str) -> dict[str, Any]:
        tokenizer = self._tokenizer
        tokenizer.padding_side = side
        first = [] if tokenizer.cls_token_id is None else [tokenizer.cls_token_id]
        rows = [first + tokenizer(one.text, add_special_tokens=False)["input_ids"] for one in asked]
        inputs = dict(tokenizer.pad({"input_ids": rows}, padding=True, return_tensors="pt"))
        return {
            "input_ids": inputs["input_ids"],
            "attention_mask": inputs["attention_mask"],
            "pixel_values": pad_images([one.images[0] for one in asked]).values,
        }
