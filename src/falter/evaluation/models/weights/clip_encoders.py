"""Dual encoders: their protocol, and those of two libraries.

The transformers library has CLIP, SigLIP, ALIGN, BLIP's contrastive head, and their kin; OpenCLIP reads checkpoints
that only it can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from falter.core.errors import InputError, UsageError
from falter.core.files import sha256_of_bytes, sha256_of_file
from falter.core.optional_packages import has_vocabulary, import_package
from falter.data.images import blank_image
from falter.data.model import ScoreKind
from falter.evaluation.models.weights.checkpoint import (
    Checkpoint,
    check_vocabulary,
    explain_load_errors,
    load_processor,
    load_weights,
)
from falter.evaluation.models.weights.devices import Placement, load_torch
from falter.evaluation.models.weights.pipeline import AS_IT_CAME, fits_together, move_to_device

Vectors = NDArray[np.float32]
Pixels = dict[str, Any]
"""The input of the vision encoder for one image: arrays by name."""


@dataclass(frozen=True)
class Similarity:
    """How near an image and a text are: the cosine, or the probability of a model that was trained to give one.

    SigLIP was trained to tell, pair by pair, whether image and text belong together: the sigmoid of its scaled and
    shifted cosine is its own probability. CLIP's scale only means something among several texts.
    """

    scale: float = 1.0
    bias: float | None = None

    @property
    def kind(self) -> ScoreKind:
        return "similarity" if self.bias is None else "probability"

    @property
    def method(self) -> str:
        """Names the score in signatures."""
        return "cosine" if self.bias is None else "sigmoid"

    def score(self, image: Vectors, text: Vectors) -> float:
        """The score of two unit vectors."""
        cosine = float(np.dot(image.astype(np.float64), text.astype(np.float64)))
        if self.bias is None:
            return cosine
        logit = self.scale * cosine + self.bias
        # Written so that neither end overflows: small probabilities must still be told apart.
        return 1 / (1 + exp(-logit)) if logit >= 0 else exp(logit) / (1 + exp(logit))


class DualEncoder(Protocol):
    """Weights on one device."""

    similarity: Similarity

    def preprocess(self, image: Any) -> Pixels:
        """Preprocess an image for the vision encoder; called from several threads."""
        ...

    def encode_images(self, images: Sequence[Pixels]) -> Vectors:
        """Unit vectors of images, one row each."""
        ...

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts, one row each; a text that is too long is cut."""
        ...


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


CONFIG = "open_clip_config.json"
_PRECISIONS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16", None: "fp32"}
_OPEN_CLIP_FILES = ("*.safetensors", "*.bin", "*.pt", "*.json", "*.txt", "*.model")


class OpenClipEncoder:
    """One copy of the weights, with the transform and the tokenizer that the checkpoint names."""

    def __init__(self, source: str, place: Placement) -> None:
        """``source`` is a folder with ``open_clip_config.json``, or an id on the hub."""
        library = import_package("open_clip", f"the OpenCLIP checkpoint {source}")
        named = f"local-dir:{source}" if Path(source).is_dir() else f"hf-hub:{source}"
        self._place = place
        with explain_load_errors(source, "weights"):
            self._model, self._transform = library.create_model_from_pretrained(
                named, precision=_PRECISIONS[place.dtype], device=place.device
            )
        with explain_load_errors(source, "tokenizer"):
            self._tokenizer = library.get_tokenizer(named)
        self._model.eval()
        self._dtype = next(self._model.parameters()).dtype
        bias = getattr(self._model, "logit_bias", None)
        self.similarity = (
            Similarity()
            if bias is None
            else Similarity(scale=float(self._model.logit_scale.detach().float().exp()), bias=float(bias.detach()))
        )

    def preprocess(self, image: Any) -> Pixels:
        return {"image": self._transform(image).numpy()}

    def encode_images(self, images: Sequence[Pixels]) -> Vectors:
        torch = load_torch()
        stacked = torch.from_numpy(np.stack([image["image"] for image in images]))
        with self._place.running():
            return _to_vectors(self._model.encode_image(stacked.to(self._place.device, self._dtype), normalize=True))

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        tokens = self._tokenizer(list(texts))
        with self._place.running():
            return _to_vectors(self._model.encode_text(tokens.to(self._place.device), normalize=True))


def _to_vectors(vectors: Any) -> Vectors:
    found: Vectors = vectors.float().cpu().numpy()
    return found


def open_clip_fingerprint(source: str) -> str:
    """The hash of a folder's files; an id on the hub stands for itself."""
    folder = Path(source)
    if not folder.is_dir():
        return f"open_clip:{source}"
    files = sorted({path for pattern in _OPEN_CLIP_FILES for path in folder.glob(pattern)})
    return sha256_of_bytes("".join(f"{sha256_of_file(path)}  {path.name}\n" for path in files).encode())
