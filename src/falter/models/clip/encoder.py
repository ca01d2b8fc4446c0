"""The protocol of a dual encoder, for any library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from falter.runs.reply import ScoreKind

__all__ = ["DualEncoder", "Pixels", "Similarity", "Vectors"]

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
