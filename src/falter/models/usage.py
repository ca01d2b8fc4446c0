"""Requests, tokens and cost so far: over all models of one command, and of one model."""

from __future__ import annotations

from dataclasses import dataclass

from falter.errors import UsageError
from falter.runs.usage import RunUsage

__all__ = ["Usage"]


@dataclass
class Usage:
    """Counts requests, tokens and cost as models are called; budgets are checked against it."""

    requests: int = 0
    retries: int = 0
    rate_limited: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    uncounted: int = 0
    """Replies to which the server gave no count of tokens."""
    unpriced: int = 0
    """Requests for which no price was given."""
    cost: float = 0.0
    currency: str | None = None
    """What the cost is in, where there is a price."""

    def set_currency(self, currency: str) -> None:
        """Take a currency; the second one is refused, for sums of two cannot be held against one limit."""
        if self.currency not in (None, currency):
            raise UsageError(
                f"--max-cost is one sum, and these models are paid in {self.currency} and {currency}: give all "
                "prices in one currency, or run the models apart"
            )
        self.currency = currency

    def format_trouble(self) -> str:
        """Refusals and retries so far, for a line of progress; nothing where all went well.

        >>> Usage(requests=9, retries=3, rate_limited=2).format_trouble(), Usage(requests=9).format_trouble()
        ('429: 2, retries: 3', '')
        """
        counted = (("429", self.rate_limited), ("retries", self.retries))
        return ", ".join(f"{name}: {count:,}" for name, count in counted if count)

    def record(self) -> RunUsage:
        """What has been counted so far, as a run keeps it."""
        return RunUsage(
            requests=self.requests,
            retries=self.retries,
            rate_limited=self.rate_limited,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            uncounted=self.uncounted,
            unpriced=self.unpriced,
            cost={} if self.currency is None else {self.currency: self.cost},
        )
