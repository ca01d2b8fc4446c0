"""Requests, tokens and cost: so far, over all models of a command and of one model, and of a run over resumptions.

The record of a run is kept beside ``run.json``, not in it: equal runs have equal manifests, whatever a server made of
the way there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from falter.core.errors import UsageError
from falter.core.files import read_versioned, write_atomically
from falter.core.tables import format_count

USAGE_NAME = "usage.json"
_FORMAT = 1
_COUNTS = ("requests", "retries", "rate_limited", "input_tokens", "output_tokens", "uncounted", "unpriced")


class RunUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Requests, tokens and money of one run."""

    format: int = _FORMAT
    requests: int = 0
    """All that were sent, retries among them."""
    retries: int = 0
    """Requests that repeat one which got no good reply."""
    rate_limited: int = 0
    """Answers of status 429."""
    input_tokens: int = 0
    """As the server counted them."""
    output_tokens: int = 0
    uncounted: int = 0
    """Replies without a count of their tokens."""
    unpriced: int = 0
    """Requests for which no price was given."""
    cost: dict[str, float] = {}
    """By currency. A request that broke off is taken for paid."""

    def __str__(self) -> str:
        """One line for people."""
        repeated = [f"{self.retries:,} of them retries"] if self.retries else []
        repeated += [f"{self.rate_limited:,} answered with 429"] if self.rate_limited else []
        tokens = f"{format_count(self.input_tokens, 'tokens')} read, {self.output_tokens:,} written"
        if self.uncounted:
            tokens += f" (the server counted none for {format_count(self.uncounted, 'replies')})"
        return "; ".join(
            [
                format_count(self.requests, "requests") + (f" ({', '.join(repeated)})" if repeated else ""),
                tokens,
                self._format_cost(),
            ]
        )

    def _format_cost(self) -> str:
        if not self.cost:
            return "cost unknown: give -M prices"
        missing = f" (without {format_count(self.unpriced, 'requests')} that had no price)" if self.unpriced else ""
        return "cost " + " + ".join(f"{cost:,.4g} {name}" for name, cost in sorted(self.cost.items())) + missing

    def since(self, earlier: RunUsage) -> RunUsage:
        """What came after an earlier record of the same counter."""
        counts = {name: getattr(self, name) - getattr(earlier, name) for name in _COUNTS}
        cost = {name: value - earlier.cost.get(name, 0.0) for name, value in self.cost.items()}
        return RunUsage(**counts, cost=cost)


def sum_usage(records: Iterable[RunUsage]) -> RunUsage:
    """The sum of several records, currency by currency.

    >>> str(sum_usage([RunUsage(requests=2, cost={"USD": 0.5}), RunUsage(requests=3, retries=1, cost={"USD": 0.25})]))
    '5 requests (1 of them retries); 0 tokens read, 0 written; cost 0.75 USD'
    """
    counts, cost = dict.fromkeys(_COUNTS, 0), dict[str, float]()
    for record in records:
        for name in _COUNTS:
            counts[name] += getattr(record, name)
        for name, value in record.cost.items():
            cost[name] = cost.get(name, 0.0) + value
    return RunUsage(**counts, cost=cost)


def read_usage(folder: Path) -> RunUsage | None:
    """What a run took so far; None where it called no server."""
    path = folder / USAGE_NAME
    if not path.is_file():
        return None
    return read_versioned(path, RunUsage, format_=_FORMAT, what="a record of usage", hint="remove it: it starts anew")


def write_usage(folder: Path, record: RunUsage) -> None:
    """Write the record, whole or not at all."""
    write_atomically(folder / USAGE_NAME, msgspec.json.encode(record, order="deterministic"))


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
                f"-M max_cost is one sum, and these models are paid in {self.currency} and {currency}: give all "
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
