"""Loading an encoder by its spec."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from falter.errors import UsageError
from falter.nlp.encoders.protocol import Encoder
from falter.registry import Registry

__all__ = ["ENCODERS", "load_encoder"]

ENCODERS: Registry[Callable[[str], Encoder]] = Registry(
    "encoder",
    "falter.encoders",
    {
        "hashing": "falter.nlp.encoders.hashing:hashing_encoder",
        "tfidf": "falter.nlp.encoders.hashing:tfidf_encoder",
        "minilm": "falter.nlp.encoders.transformer:minilm_encoder",
        "st": "falter.nlp.encoders.transformer:sentence_transformer",
        "vectors": "falter.nlp.encoders.precomputed:precomputed_encoder",
    },
)


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
