"""One made-up image and two texts before the real ones: a processor of another model shows at once."""

from __future__ import annotations

import numpy as np

from falter.errors import InputError
from falter.images.blank import blank_image
from falter.models.clip.encoder import DualEncoder
from falter.models.weights.smoke_test import AS_IT_CAME, fits_together

__all__ = ["smoke_test"]

_TEXTS = ("A dog.", "There are two red cars on the other side of the street.")


def smoke_test(source: str, encoder: DualEncoder) -> None:
    """Stop where image and texts come to no vectors, or all texts to the same vector."""
    with fits_together(source):
        encoder.encode_images([encoder.preprocess(blank_image())])
        one, other = encoder.encode_texts(_TEXTS)
    # CLIP reads a text off at its last token; where the tokenizer ends texts otherwise, that is the first for all.
    if np.array_equal(one, other):
        raise InputError(
            source,
            "its weights cannot tell the texts of its tokenizer apart: they do not belong together",
            hint=AS_IT_CAME,
        )
