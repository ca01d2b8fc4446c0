"""Dual encoders of the transformers library: CLIP, SigLIP, ALIGN, BLIP's contrastive head, and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from falter.errors import InputError, UsageError
from falter.images.blank import blank_image
from falter.models.clip.encoder import Pixels, Similarity, Vectors
from falter.models.weights.checkpoint import Checkpoint
from falter.models.weights.devices import Placement, load_torch
from falter.models.weights.load import load_weights
from falter.models.weights.pipeline import move_to_device
from falter.models.weights.processor import check_vocabulary, load_processor
from falter.models.weights.smoke_test import AS_IT_CAME, fits_together
from falter.nlp.tokenizer_check import has_vocabulary

__all__ = ["TransformersEncoder", "encoder_class"]

_BLIP = "BlipForImageTextRetrieval"
_LONGEST_TEXT = 512
_TEXTS_AT_ONCE = 128


def encoder_class(checkpoint: Checkpoint) -> str:
    """The transformers class with both encoders of a checkpoint."""
    return _BLIP if checkpoint.model_type == "blip" and checkpoint.architecture in (None, _BLIP) else "AutoModel"


class TransformersEncoder:
    """One copy of the weights, with the checkpoint's own processor."""

    def __init__(self, checkpoint: Checkpoint, place: Placement) -> None:
        self._place = place
        self._model = load_weights(checkpoint, encoder_class(checkpoint), place)
        self._is_blip = type(self._model).__name__ == _BLIP
        if not self._is_blip and not all(
            hasattr(self._model, name) for name in ("get_image_features", "get_text_features")
        ):
            raise UsageError(
                f"{checkpoint.source} is no dual encoder but a {type(self._model).__name__}: hf: takes models that "
                "look at image and text together"
            )
        processor = load_processor(checkpoint)
        self._images, self._tokenizer = processor.image_processor, processor.tokenizer
        if not has_vocabulary(self._tokenizer):
            raise InputError(checkpoint.source, "has no tokenizer", hint="put its tokenizer.json beside the weights")
        self._is_siglip = checkpoint.model_type.startswith("siglip")
        with fits_together(checkpoint.source):
            made = self.preprocess(blank_image())
        _check_image_size(checkpoint, made)
        self._longest = _places(checkpoint.config, self._tokenizer)
        if hasattr(self._model, "get_input_embeddings"):
            _check_vocabulary(checkpoint, self._tokenizer, self._model)
        self.similarity = _similarity(self._model)

    def preprocess(self, image: Any) -> Pixels:
        made = self._images(images=[image], return_tensors="np")
        return {name: np.asarray(value)[0] for name, value in made.items()}

    def encode_images(self, images: Sequence[Pixels]) -> Vectors:
        torch = load_torch()
        # Tensors and not arrays: some processors give shapes beside the pixels.
        inputs = {name: torch.from_numpy(np.stack([image[name] for image in images])) for name in images[0]}
        with self._place.running():
            moved = move_to_device(inputs, self._model)
            if self._is_blip:
                hidden = self._model.vision_model(**moved).last_hidden_state
                return _unit(self._model.vision_proj(hidden[:, 0]))
            return _unit(_projected_vectors(self._model.get_image_features(**moved)))

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        # Of like length, so that little is padded.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        parts = [
            self._encode_texts([texts[index] for index in order[start : start + _TEXTS_AT_ONCE]])
            for start in range(0, len(order), _TEXTS_AT_ONCE)
        ]
        found = np.concatenate(parts)
        vectors: Vectors = np.empty_like(found)
        vectors[order] = found
        return vectors

    def _encode_texts(self, texts: list[str]) -> Vectors:
        # SigLIP was trained on lower case, and on texts that are all padded to one length.
        texts = [text.lower() for text in texts] if self._is_siglip else texts
        inputs = dict(
            self._tokenizer(
                texts,
                padding="max_length" if self._is_siglip else True,
                truncation=True,
                max_length=self._longest,
                return_tensors="pt",
            )
        )
        with self._place.running():
            moved = move_to_device(inputs, self._model)
            if self._is_blip:
                kept = {name: moved[name] for name in ("input_ids", "attention_mask")}
                hidden = self._model.text_encoder(**kept).last_hidden_state
                return _unit(self._model.text_proj(hidden[:, 0]))
            return _unit(_projected_vectors(self._model.get_text_features(**moved)))


def _projected_vectors(output: Any) -> Any:
    """The projected vectors; newer versions of the library return them inside a larger output."""
    return output if hasattr(output, "norm") else output.pooler_output


def _unit(vectors: Any) -> Vectors:
    vectors = vectors.float()
    found: Vectors = (vectors / vectors.norm(dim=-1, keepdim=True)).cpu().numpy()
    return found


def _similarity(model: Any) -> Similarity:
    bias = getattr(model, "logit_bias", None)
    if bias is None:
        return Similarity()
    return Similarity(scale=float(model.logit_scale.detach().float().exp()), bias=float(bias.detach().float()))


def _places(config: Any, tokenizer: Any) -> int:
    """How many tokens of a text the text side takes."""
    text = getattr(config, "text_config", config)
    places = getattr(text, "max_position_embeddings", None) or _LONGEST_TEXT
    return int(min(places, tokenizer.model_max_length, _LONGEST_TEXT))


def _check_image_size(checkpoint: Checkpoint, made: Pixels) -> None:
    """Stop where images come out larger or smaller than the places that the vision side has for their patches."""
    vision = getattr(checkpoint.config, "vision_config", checkpoint.config)
    size = getattr(vision, "image_size", None)
    pixels = made.get("pixel_values")
    # Convolutions take any size, and what comes as patches already has none.
    if size is None or getattr(vision, "patch_size", None) is None or pixels is None or pixels.ndim != 3:
        return
    wanted = (size, size) if isinstance(size, int) else tuple(size)
    if pixels.shape[-2:] != wanted:
        height, width = pixels.shape[-2:]
        raise InputError(
            checkpoint.source,
            f"its processor makes images of {height} x {width} and its weights take {wanted[0]} x {wanted[1]}: they "
            "do not belong together",
            hint=AS_IT_CAME,
        )


def _check_vocabulary(checkpoint: Checkpoint, tokenizer: Any, model: Any) -> None:
    for part in ("text_model", "text_encoder"):
        inside = getattr(model, part, None)
        if inside is not None:
            check_vocabulary(checkpoint, tokenizer, inside)
