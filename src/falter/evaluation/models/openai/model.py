"""A model behind a chat API: any server that speaks as OpenAI's does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

import msgspec

from falter.core.errors import UsageError
from falter.core.files import sha256_of_bytes
from falter.core.optional_packages import require_packages
from falter.data.items import Task
from falter.data.model import Capabilities, Reply, Request
from falter.data.model_loading import LoadContext
from falter.data.model_options import ModelOptions
from falter.data.usage import Usage
from falter.evaluation.models.openai.budget import Budget
from falter.evaluation.models.openai.calls import LETTERING_VERSION, Call, calls_of
from falter.evaluation.models.openai.client import AsyncBridge, AsyncSession, Client
from falter.evaluation.models.openai.completion import ModelNameCheck
from falter.evaluation.models.openai.endpoint import Endpoint, parse_endpoint
from falter.evaluation.models.openai.messages import IMAGES_VERSION, MESSAGES_VERSION
from falter.evaluation.models.openai.pacing import MOST_AT_ONCE, ConcurrencyLimiter, RetryPolicy
from falter.evaluation.models.openai.retrying_client import RetryingClient
from falter.evaluation.models.prompts import load_prompt
from falter.evaluation.models.token_costs import choose_image_tokens, read_prices

_VERSION = 1


def load_openai(rest: str, context: LoadContext) -> OpenAIModel:
    """``openai:MODEL`` or ``openai:MODEL@BASE_URL``; nothing is sent before the first item is asked."""
    endpoint = parse_endpoint(rest)
    require_packages("openai", what="a model of a server")
    return OpenAIModel(endpoint, context.options, usage=context.usage)


class OpenAIModel:
    """Asks a server, many things at once, as fast as it takes them."""

    def __init__(
        self,
        endpoint: Endpoint,
        options: ModelOptions,
        *,
        retry_policy: RetryPolicy | None = None,
        usage: Usage | None = None,
    ) -> None:
        if options.match_by == "head":
            raise UsageError("a model behind a server has no head for matching: -M match_by is yes-no or letters")
        self.name = endpoint.model
        self._prompt = load_prompt(options)
        own = Usage()
        self._image_tokens = images = choose_image_tokens(endpoint.model, options.image_tokens)
        how = "letters" if options.match_by == "letters" else "yes-no"
        tasks: frozenset[Task] = frozenset(("answer", "match"))
        self.capabilities = Capabilities(
            tasks=tasks,
            needs_image=True,
            accepts_text_only=True,
            reads_context=True,
            batch_size=options.concurrency or MOST_AT_ONCE,
            method=f"decide:{options.answer_by},match:{how},p:logprobs-else-text",
            prompt=self._prompt,
            # A server generates also where log-probabilities are wanted.
            generates=tasks,
            remote=True,
            count_tokens=self.count_tokens,
            token_counter="bytes / 4",
            count_image_tokens=self.count_image_tokens,
            image_token_counter=images.origin,
            reply_unordered=self.reply_unordered,
            replied_as=lambda: self._replied_as,
            usage=own,
        )
        self._endpoint = endpoint
        self._options = options
        self._replied_as: set[str] = set()
        self._retry_policy = retry_policy or RetryPolicy()
        prices = None if options.prices is None else read_prices(options.prices)
        # A model without a price is to be known before anything is asked.
        price = None if prices is None else prices.get(endpoint.model)
        if price is not None and options.max_cost is not None and usage is not None:
            usage.set_currency(price.currency)
        self._budget = Budget(
            endpoint.model,
            max_requests=options.max_requests,
            max_cost=options.max_cost,
            prices=prices,
            image_tokens=images,
            usage=usage,
            own=own,
        )
        identity = (
            *("openai", _VERSION, MESSAGES_VERSION, IMAGES_VERSION, LETTERING_VERSION),
            *(endpoint.model, endpoint.base, self._prompt.fingerprint),
            *(options.answer_by, how, options.max_new_tokens),
            # Replies that were accepted under any name are not those of exactly this model.
            *(("exact",) if options.model_name == "exact" else ()),
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

        async def begin() -> AsyncSession:
            return self._session(most)

        with closing(AsyncBridge(begin).replies(requests)) as replies:
            for reply in replies:
                yield self._clean(reply)

    def count_tokens(self, requests: Iterable[Request]) -> int:
        """About how many tokens of text will be sent: a token for four bytes."""
        return sum(call.text_tokens for call in self._calls(requests))

    def count_image_tokens(self, requests: Iterable[Request]) -> int:
        """About how many tokens the images are, by the rule for this model."""
        return sum(self._image_tokens.count(path) for call in self._calls(requests) for path in call.image_files)

    def _calls(self, requests: Iterable[Request]) -> Iterator[Call]:
        return (call for request in requests for call in calls_of(request, self._prompt, self._options) or ())

    def _session(self, most: int) -> AsyncSession:
        names = ModelNameCheck(self._endpoint, self._replied_as, exact=self._options.model_name == "exact")
        client = Client(self._endpoint, timeout=self._options.timeout, names=names)
        limiter = ConcurrencyLimiter(most=most, timeout=self._options.timeout)
        self._budget.begin()
        retrying = RetryingClient(
            self._endpoint,
            self._options,
            self._prompt,
            client=client,
            limiter=limiter,
            budget=self._budget,
            retry_policy=self._retry_policy,
        )
        return AsyncSession(limiter=limiter, ask=retrying.ask, close=client.close)

    def _clean(self, reply: Reply) -> Reply:
        """The reply without the key, also where the texts of two completions make up a piece of it."""
        key = self._endpoint.key
        texts = {"text": reply.text, "error": reply.error}
        return msgspec.structs.replace(
            reply, **{name: None if text is None else key.remove(text) for name, text in texts.items()}
        )
