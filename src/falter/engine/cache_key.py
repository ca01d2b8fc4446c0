"""What two questions must have in common for one reply to do for both."""

from __future__ import annotations

import hashlib

import msgspec

from falter.answers import ANSWERS_VERSION
from falter.engine.requests import CONTEXT_VERSION
from falter.models.protocol import Model
from falter.models.request import Request

__all__ = ["cache_key"]

_ENCODER = msgspec.json.Encoder()


def cache_key(model: Model, request: Request) -> str:
    """The model, what it is shown (the picture by the hash of its bytes), and how its text is read."""
    seen = (
        model.fingerprint,
        request.task,
        request.text,
        request.context,
        request.choices,
        request.image_sha256,
        # A picture whose bytes nobody hashed is known by its id alone.
        request.image_id if request.image_sha256 is None else None,
        ANSWERS_VERSION,
        CONTEXT_VERSION,
    )
    return hashlib.sha256(_ENCODER.encode(seen)).hexdigest()
