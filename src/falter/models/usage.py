"""Requests and cost so far, over all models of one command."""

from __future__ import annotations

from dataclasses import dataclass

from falter.errors import UsageError

__all__ = ["Usage"]


@dataclass
class Usage:
    """Counts requests and cost as models are called; budgets are checked against it."""

    requests: int = 0
    cost: float = 0.0
    currency: str | None = None
    """What the cost is in, where something limits it."""

    def set_currency(self, currency: str) -> None:
        """Take a currency; the second one is refused, for sums of two cannot be held against one limit."""
        if self.currency not in (None, currency):
            raise UsageError(
                f"--max-cost is one sum, and these models are paid in {self.currency} and {currency}: give all "
                "prices in one currency, or run the models apart"
            )
        self.currency = currency
