"""The interface of a causal language model: the loglikelihood of a text, by itself or after a context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

__all__ = ["CausalLanguageModel", "Continuation", "EncodedContinuation", "Loglikelihood", "TooLongError"]


class Continuation(NamedTuple):
    """A text to be scored, by itself or after a context, which is not scored."""

    text: str
    context: str = ""


class EncodedContinuation(NamedTuple):
    """A continuation with its context as tokens; those from ``start`` on are scored."""

    tokens: tuple[int, ...]
    start: int


class Loglikelihood(NamedTuple):
    """The log-probability of a text in nats, and the number of tokens that it is the sum of."""

    total: float
    tokens: int

    @property
    def mean(self) -> float:
        """Log-probability per token; its negative, exponentiated, is the perplexity."""
        return self.total / self.tokens

    def reduce(self, reduction: Literal["mean", "sum"]) -> float:
        """The mean over the tokens, or the sum."""
        return self.mean if reduction == "mean" else self.total


class TooLongError(ValueError):
    """A text with more tokens than the model has positions for, or without a token that can be scored."""


class CausalLanguageModel(Protocol):
    """Computes loglikelihoods of texts.

    ``where`` says where the weights came from, ``fingerprint`` changes with the weights and the tokenizer, and
    ``bos_token`` is the token that can begin a text (None where the model has none).
    """

    name: str
    where: str
    fingerprint: str
    bos_token: str | None

    def encode(self, continuation: Continuation, *, bos: bool = True) -> EncodedContinuation:
        """A continuation as tokens; raises :class:`TooLongError` where it cannot be scored."""
        ...

    def score_batch(self, batch: Sequence[EncodedContinuation]) -> list[Loglikelihood]:
        """The loglikelihoods of one batch, computed together."""
        ...

    def score(
        self, continuations: Sequence[Continuation], *, bos: bool = True, batch_size: int = 32
    ) -> list[Loglikelihood]:
        """The loglikelihoods of any number of continuations, batched by length, in the order given."""
        ...
