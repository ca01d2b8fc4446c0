"""What a causal language model is to those who use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from falter.nlp.causal_lm.loglikelihood import Likelihood, Passage

__all__ = ["CausalLanguageModel", "Encoded"]


class Encoded(NamedTuple):
    """A passage in tokens; those from ``start`` on are scored."""

    tokens: tuple[int, ...]
    start: int


class CausalLanguageModel(Protocol):
    """Says how likely texts are.

    ``where`` tells which weights were taken, ``fingerprint`` changes with the weights and the tokens, and ``first`` is
    the token that can stand before a text (None where the model knows none).
    """

    name: str
    where: str
    fingerprint: str
    first: str | None

    def encode(self, passage: Passage, *, bos: bool = True) -> Encoded:
        """A passage in tokens; raises :class:`TooLong` where it cannot be scored."""
        ...

    def score_batch(self, batch: Sequence[Encoded]) -> list[Likelihood]:
        """The likelihoods of passages that go through the model together."""
        ...

    def score(self, passages: Sequence[Passage], *, bos: bool = True, batch_size: int = 32) -> list[Likelihood]:
        """The likelihoods of any number of passages, in batches of like length, in the order given."""
        ...
