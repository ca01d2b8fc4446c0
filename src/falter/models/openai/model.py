"""A model behind a chat API: any server that speaks as OpenAI's does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

import msgspec

from falter.errors import UsageError
from falter.files import sha256_of_bytes
from falter.models.capabilities import Capabilities
from falter.models.load_context import ModelContext
from falter.models.openai.async_bridge import Exchange, Talk
from falter.models.openai.backoff import Patience
from falter.models.openai.budget import Budget
from falter.models.openai.calls import calls_of
from falter.models.openai.choice_letters import LETTERING_VERSION
from falter.models.openai.client import Client, check_installed
from falter.models.openai.concurrency import MOST_AT_ONCE, Pace
from falter.models.openai.endpoint import Address, read_address
from falter.models.openai.image_data import PICTURES_VERSION
from falter.models.openai.messages import MESSAGES_VERSION
from falter.models.openai.retrying_client import Asker
from falter.models.options import ModelOptions
from falter.models.prices import read_prices
from falter.models.prompts import prompt_for
from falter.models.request import Request
from falter.models.usage import Spending
from falter.probes import Task
from falter.runs.reply import Reply

__all__ = ["OpenAIModel", "load_openai"]

_VERSION = 1


def load_openai(rest: str, context: ModelContext) -> OpenAIModel:
    """``openai:MODEL`` or ``openai:MODEL@BASE_URL``; nothing is sent before the first item is asked."""
    address = read_address(rest)
    check_installed()
    return OpenAIModel(address, context.options, spending=context.spending)


class OpenAIModel:
    """Asks a server, many things at once, as fast as it takes them."""

    def __init__(
        self,
        address: Address,
        options: ModelOptions,
        *,
        patience: Patience | None = None,
        spending: Spending | None = None,
    ) -> None:
        if options.match_by == "head":
            raise UsageError("a model behind a server has no head for matching: --match-by is yes-no or letters")
        self.name = address.model
        self._prompt = prompt_for(options)
        how = "letters" if options.match_by == "letters" else "yes-no"
        tasks: frozenset[Task] = frozenset(("answer", "match"))
        self.capabilities = Capabilities(
            tasks=tasks,
            needs_image=True,
            accepts_text_only=True,
            reads_context=True,
            batch_size=options.concurrency or MOST_AT_ONCE,
            method=f"decide:{options.decide},match:{how},p:logprobs-else-text",
            prompt=self._prompt,
            # A server generates also where log-probabilities are wanted.
            generates=tasks,
            remote=True,
            count_tokens=self.count_tokens,
            token_counter="bytes / 4, tiles of images",
            reply_unordered=self.reply_unordered,
        )
        self._address = address
        self._options = options
        self._patience = patience or Patience()
        prices = None if options.prices is None else read_prices(options.prices)
        # A model without a price is to be known before anything is asked.
        price = None if prices is None else prices.of(address.model)
        if price is not None and options.max_cost is not None and spending is not None:
            spending.be_in(price.currency)
        self._pictures_priced = price is not None and (price.image_tokens is not None or price.per_image is not None)
        self._budget = Budget(
            address.model,
            max_requests=options.max_requests,
            max_cost=options.max_cost,
            prices=prices,
            spending=spending,
        )
        identity = (
            *("openai", _VERSION, MESSAGES_VERSION, PICTURES_VERSION, LETTERING_VERSION),
            *(address.model, address.base, self._prompt.fingerprint),
            *(options.decide, how, options.max_new_tokens),
        )
        self._fingerprint = sha256_of_bytes(msgspec.json.encode(identity))

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def reply(self, batch: Sequence[Request]) -> list[Reply]:
        """Replies in the order of the batch."""
        found = {reply.item_id: reply for reply in self.reply_unordered(iter(batch))}
        return [found[request.item_id] for request in batch]

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        """Replies as they come, in no order; ``batch_size`` bounds what is under way at once."""
        most = self._options.concurrency or batch_size or MOST_AT_ONCE

        async def begin() -> Talk:
            return self._talk(most)

        with closing(Exchange(begin).replies(requests)) as replies:
            for reply in replies:
                yield self._clean(reply)

    def count_tokens(self, requests: Iterable[Request]) -> int:
        """About how many tokens will be sent: a token for four bytes, and the pictures, if no price tells of them."""
        calls = (call for request in requests for call in calls_of(request, self._prompt, self._options) or ())
        return sum(call.text_tokens if self._pictures_priced else call.input_tokens for call in calls)

    def _talk(self, most: int) -> Talk:
        client = Client(self._address, timeout=self._options.timeout)
        pace = Pace(most=most, timeout=self._options.timeout)
        self._budget.begin()
        asker = Asker(
            self._address,
            self._options,
            self._prompt,
            client=client,
            pace=pace,
            budget=self._budget,
            patience=self._patience,
        )
        return Talk(pace=pace, ask=asker.ask, close=client.close)

    def _clean(self, reply: Reply) -> Reply:
        """The reply without the key, should a server have put it there."""
        key = self._address.key
        texts = {"text": reply.text, "error": reply.error}
        if not any(text is not None and key.is_in(text) for text in texts.values()):
            return reply
        return msgspec.structs.replace(
            reply, **{name: None if text is None else key.remove(text) for name, text in texts.items()}
        )
