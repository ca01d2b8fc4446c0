"""What is scored, and the figure that comes out of it."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["Likelihood", "Passage", "TooLong"]


class Passage(NamedTuple):
    """A text whose likelihood is wanted, by itself or after another text, which is not scored."""

    text: str
    before: str = ""


class Likelihood(NamedTuple):
    """The log-probability of a text in nats, and how many tokens it is the sum over."""

    total: float
    tokens: int

    @property
    def mean(self) -> float:
        """Log-probability a token; its negative, exponentiated, is the perplexity."""
        return self.total / self.tokens

    def by(self, rule: Literal["mean", "sum"]) -> float:
        """The figure under a rule."""
        return self.mean if rule == "mean" else self.total


class TooLong(ValueError):
    """A text with more tokens than the model has places for, or with none that can be scored."""
