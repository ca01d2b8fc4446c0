"""Causal language models: the loglikelihood of a text, by itself or after a context."""

from falter.nlp.causal_lm.loading import OFFLINE, load_causal_lm
from falter.nlp.causal_lm.protocol import (
    CausalLanguageModel,
    Continuation,
    EncodedContinuation,
    Loglikelihood,
    TooLongError,
)

__all__ = [
    "OFFLINE",
    "CausalLanguageModel",
    "Continuation",
    "EncodedContinuation",
    "Loglikelihood",
    "TooLongError",
    "load_causal_lm",
]
