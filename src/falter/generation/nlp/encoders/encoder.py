"""What a sentence encoder is, what its vectors must be, and how one is loaded by its spec."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from falter.core.errors import UsageError
from falter.core.progress import ProgressCallback, no_progress
from falter.core.registry import Registry

__all__ = ["ENCODERS", "Encoder", "Vectors", "check_vectors", "load_encoder"]

Vectors = npt.NDArray[np.float32]


class Encoder(Protocol):
    """Turns texts into vectors of one width; which encoder it is belongs to the signature of what is made with it."""

    name: str
    """How it is called in tables and manifests."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever a text would get another vector."""
        ...

    def fit(self, texts: Sequence[str]) -> None:
        """Learn from the texts that will be searched (how rare words are); most encoders know all they need."""
        ...

    def encode(self, texts: Sequence[str], progress: ProgressCallback = no_progress) -> Vectors:
        """One row a text, in order."""
        ...


def check_vectors(vectors: Vectors, *, name: str, texts: int, width: int | None = None) -> Vectors:
    """The vectors, or a refusal where they cannot be compared: other in number or width, or not numbers."""
    if vectors.ndim != 2 or len(vectors) != texts:
        raise UsageError(f"the encoder {name} gave vectors of shape {vectors.shape} for {texts} texts")
    if width is not None and vectors.shape[1] != width:
        raise UsageError(f"the encoder {name} gave vectors of width {vectors.shape[1]} where others have {width}")
    bad = ~np.isfinite(vectors).all(axis=1)
    if bad.any():
        raise UsageError(
            f"the encoder {name} gave {int(bad.sum())} vectors with NaN or infinity, the first for text "
            f"{int(np.argmax(bad))}: check the weights or the file of vectors"
        )
    return vectors


ENCODERS: Registry[Callable[[str], Encoder]] = Registry("encoder", "falter.encoders")


def load_encoder(spec: str) -> Encoder:
    """An encoder by its spec: ``hashing``, ``tfidf``, ``minilm``, ``st:ID_OR_FOLDER``, ``vectors:FILE``.

    A folder by itself is taken for a model of sentence-transformers, a ``.npy`` or ``.parquet`` for vectors, and what
    has a slash in it for a published id.
    """
    name, _, rest = spec.partition(":")
    if name in ENCODERS:
        return ENCODERS.get(name)(rest)
    if spec.endswith((".npy", ".parquet")):
        return ENCODERS.get("vectors")(spec)
    if "/" in spec or Path(spec).is_dir():
        return ENCODERS.get("st")(spec)
    raise UsageError(f"unknown encoder {spec!r}: there are {', '.join(ENCODERS.names())}")
