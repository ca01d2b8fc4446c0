"""What may be spent: so many requests, so much money, and not one more."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from falter.data.model import BudgetExceededError
from falter.data.usage import Usage
from falter.evaluation.models.openai.calls import Call
from falter.evaluation.models.openai.completion import Completion
from falter.evaluation.models.token_costs import ImageTokens, Prices, choose_image_tokens


@dataclass(frozen=True)
class Reservation:
    """What one request under way may cost at most, as far as can be told."""

    call: Call
    cost: float
    tokens: float


class Budget:
    """Counts what is asked and paid, over all streams of a model, of which one is open at a time.

    What other models have spent of the same budget is in ``usage`` already, and what this one spends is added. ``own``
    counts this model alone.

    Before a request is sent, what it may cost is set aside: its tokens by estimate (raised to what the server has
    counted for others) and as many tokens of reply as it may have. Afterwards the server's own count takes the place
    of that. A request that might not fit waits for those under way, and if none is, the budget is spent.
    """

    def __init__(
        self,
        model: str,
        *,
        max_requests: int | None = None,
        max_cost: float | None = None,
        prices: Prices | None = None,
        image_tokens: ImageTokens | None = None,
        usage: Usage | None = None,
        own: Usage | None = None,
    ) -> None:
        self._model = model
        self._max_requests = max_requests
        self._max_cost = max_cost
        self._prices = prices
        self._image_tokens = image_tokens or choose_image_tokens(model, None)
        self._ratio = 1.0
        self._usage = usage or Usage()
        self._counters = (self._usage,) if own is None else (self._usage, own)
        if own is not None and prices is not None:
            own.set_currency(prices.currency(model))
        self.begin()

    def begin(self) -> None:
        """Begin a stream, in whose event loop the budget lives from now on; nothing is under way."""
        self._changed = asyncio.Event()
        self._held = 0.0
        self._open = 0

    async def reserve(self, call: Call) -> Reservation:
        """Set aside what a call may cost; raises :class:`BudgetExceededError` where it does not fit."""
        while True:
            if self._max_requests is not None and self._usage.requests >= self._max_requests:
                raise BudgetExceededError(
                    f"{self._usage.requests} requests were made, as many as -M max_requests allows"
                )
            cost = self._estimate(call)
            if self._max_cost is None or self._usage.cost + self._held + cost <= self._max_cost:
                break
            if not self._open:
                raise BudgetExceededError(self._spent_line(cost))
            self._changed.clear()
            await self._changed.wait()
        for counter in self._counters:
            counter.requests += 1
            counter.unpriced += self._prices is None
        self._open += 1
        self._held += cost
        return Reservation(call, cost, self._tokens(call))

    def give_back(self, reservation: Reservation) -> None:
        """Undo a reservation; the request was not made."""
        for counter in self._counters:
            counter.requests -= 1
            counter.unpriced -= self._prices is None
        self.settle(reservation, None)

    def count_retry(self) -> None:
        """The next request repeats one."""
        for counter in self._counters:
            counter.retries += 1

    def count_rate_limit(self) -> None:
        """The server answered that this is too much."""
        for counter in self._counters:
            counter.rate_limited += 1

    def settle(self, reservation: Reservation, completion: Completion | None, *, maybe_charged: bool = False) -> None:
        """Put what was really paid in the place of what was set aside."""
        self._open -= 1
        self._held = self._held - reservation.cost if self._open else 0.0
        paid = 0.0
        if completion is not None:
            paid = self._paid(reservation, completion)
        elif maybe_charged:
            paid = reservation.cost
        for counter in self._counters:
            counter.cost += paid
            if completion is not None:
                counter.input_tokens += completion.input_tokens or 0
                counter.output_tokens += completion.output_tokens or 0
                counter.uncounted += completion.input_tokens is None or completion.output_tokens is None
        self._changed.set()

    def _tokens(self, call: Call) -> float:
        """The tokens of a call by estimate, those of its images among them unless images have a price of their own."""
        price = None if self._prices is None else self._prices.get(self._model)
        if price is not None and price.per_image is not None:
            return call.text_tokens
        if price is not None and price.image_tokens is not None and not self._image_tokens.is_given:
            return call.text_tokens + price.image_tokens * call.images
        return call.text_tokens + sum(map(self._image_tokens.count, call.image_files))

    def _estimate(self, call: Call) -> float:
        if self._prices is None:
            return 0.0
        tokens = self._tokens(call) * self._ratio
        return self._prices.charged(self._model, tokens, call.max_tokens, images=call.images)

    def _paid(self, reservation: Reservation, completion: Completion) -> float:
        if self._prices is None:
            return 0.0
        if completion.input_tokens is None or completion.output_tokens is None:
            return reservation.cost
        self._ratio = max(self._ratio, completion.input_tokens / max(1.0, reservation.tokens))
        return self._prices.charged(
            self._model, completion.input_tokens, completion.output_tokens, images=reservation.call.images
        )

    def _spent_line(self, cost: float) -> str:
        currency = "" if self._prices is None else f" {self._prices.currency(self._model)}"
        return (
            f"{self._usage.cost:.4g}{currency} were spent in {self._usage.requests} requests, and the next may "
            f"cost {cost:.2g}: more than -M max_cost={self._max_cost:g} allows"
        )
