"""Dual encoders of the OpenCLIP library, for checkpoints that only it can read."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from falter.errors import UsageError
from falter.files import sha256_of_bytes, sha256_of_file
from falter.models.clip.encoder import Pixels, Similarity, Vectors
from falter.models.weights.devices import Placement, load_torch
from falter.models.weights.load_errors import explain_load_errors

__all__ = ["CONFIG", "OpenClipEncoder", "open_clip_fingerprint"]

CONFIG = "open_clip_config.json"
_PRECISIONS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16", None: "fp32"}
_WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.json", "*.txt", "*.model")


class OpenClipEncoder:
    """One copy of the weights, with the transform and the tokenizer that the checkpoint names."""

    def __init__(self, source: str, place: Placement) -> None:
        """``source`` is a folder with ``open_clip_config.json``, or an id on the hub."""
        try:
            library = importlib.import_module("open_clip")
        except ImportError as error:
            raise UsageError(
                f"{source} is a checkpoint of OpenCLIP, and the package open_clip cannot be imported ({error}): "
                "pip install open_clip_torch"
            ) from error
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
            return _rows(self._model.encode_image(stacked.to(self._place.device, self._dtype), normalize=True))

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        tokens = self._tokenizer(list(texts))
        with self._place.running():
            return _rows(self._model.encode_text(tokens.to(self._place.device), normalize=True))


def _rows(vectors: Any) -> Vectors:
    found: Vectors = vectors.float().cpu().numpy()
    return found


def open_clip_fingerprint(source: str) -> str:
    """The hash of a folder's files; an id on the hub stands for itself."""
    folder = Path(source)
    if not folder.is_dir():
        return f"open_clip:{source}"
    files = sorted({path for pattern in _WEIGHTS for path in folder.glob(pattern)})
    return sha256_of_bytes("".join(f"{sha256_of_file(path)}  {path.name}\n" for path in files).encode())
