"""Calls a server for one item until there is a reply, or it is known that there will be none.

How the server wants its parameters is learned from what it refuses.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Any

from falter.core.tables import format_count
from falter.data.model import PermanentError, Reply, Request, TransientError, failed_reply
from falter.data.model_options import ModelOptions
from falter.evaluation.models.openai.budget import Budget
from falter.evaluation.models.openai.calls import Call, calls_of, check_said, read_reply
from falter.evaluation.models.openai.client import Client
from falter.evaluation.models.openai.completion import Completion
from falter.evaluation.models.openai.endpoint import Endpoint
from falter.evaluation.models.openai.errors import (
    EndpointRejectedError,
    EndpointUnreachableError,
    ItemRejectedError,
    ParameterRejectedError,
    RetryableError,
)
from falter.evaluation.models.openai.messages import to_wire
from falter.evaluation.models.openai.pacing import ConcurrencyLimiter, RetryPolicy, Stopped
from falter.evaluation.models.prompts import Prompt

_MOST_LOGPROBS = 20
_FEW_LOGPROBS = 5
_COMPLAINT = re.compile(
    r"support|allowed|permitted|unknown|unrecogni[sz]ed|unexpected|invalid|only|must be|instead|deprecated|extra"
)
"""A refusal may also quote the question, and that may be about the weather."""


@dataclass(frozen=True)
class Dialect:
    """The parameters of a call, as one server takes them.

    Servers differ: some know ``max_tokens`` and some ``max_completion_tokens``, reasoning models take no temperature,
    and log-probabilities come with 20 tokens, 5, or not at all.
    """

    tokens_name: str = "max_tokens"
    temperature: bool = True
    top_logprobs: int = _MOST_LOGPROBS
    """How many tokens are listed; 0 where the server offers none."""

    def parameters(self, call: Call) -> dict[str, Any]:
        """Everything of a call but the messages and the model."""
        parameters: dict[str, Any] = {self.tokens_name: call.max_tokens}
        if self.temperature:
            parameters["temperature"] = 0.0
        if call.words and self.top_logprobs:
            parameters |= {"logprobs": True, "top_logprobs": self.top_logprobs}
        return parameters

    def after(self, reason: str, call: Call) -> Dialect | None:
        """The dialect to try after a refusal, or None where the refusal is about something else.

        >>> from falter.evaluation.models.openai.calls import Call
        >>> Dialect().after("Use 'max_completion_tokens' instead of 'max_tokens'.", Call((), 8)).tokens_name
        'max_completion_tokens'
        """
        lower = reason.lower()
        if call.words and self.top_logprobs and "logprob" in lower:
            fewer = self.top_logprobs > _FEW_LOGPROBS and re.search(r"top_?logprobs|maximum|less than|at most", lower)
            return self._with(top_logprobs=_FEW_LOGPROBS if fewer else 0)
        if self.tokens_name == "max_tokens" and "max_completion_tokens" in lower:
            return self._with(tokens_name="max_completion_tokens")
        if self.tokens_name == "max_completion_tokens" and "max_completion_tokens" in lower:
            return self._with(tokens_name="max_tokens")
        if self.temperature and "temperature" in lower and _COMPLAINT.search(lower):
            return self._with(temperature=False)
        return None

    def _with(self, **changes: Any) -> Dialect:
        return Dialect(**(vars(self) | changes))


_FIRST_FAILURES = 3
"""So many items without a reply before the first that has one, and the server is taken to be out of order."""


class RetryingClient:
    """Turns requests into replies, with as many under way as the limiter allows; lives in one event loop."""

    def __init__(
        self,
        endpoint: Endpoint,
        options: ModelOptions,
        prompt: Prompt,
        *,
        client: Client,
        limiter: ConcurrencyLimiter,
        budget: Budget,
        retry_policy: RetryPolicy,
    ) -> None:
        self._endpoint = endpoint
        self._options = options
        self._prompt = prompt
        self._client = client
        self._limiter = limiter
        self._budget = budget
        self._retry_policy = retry_policy
        self._dialect = Dialect(tokens_name="max_completion_tokens" if endpoint.official else "max_tokens")
        self._logprobs: bool | None = None
        self._failed_in_a_row = 0

    async def ask(self, request: Request) -> Reply:
        """The reply to a request, or the failure that stands for it; what concerns all requests is raised."""
        calls = calls_of(request, self._prompt, self._options)
        if calls is None:
            return Reply(item_id=request.item_id, status="unsupported")
        try:
            completions = [await self._complete(call) for call in calls]
        except RetryableError as fault:
            self._count_failure(fault)
            return failed_reply(request.item_id, TransientError(str(fault)))
        except (ItemRejectedError, PermanentError) as refused:
            return failed_reply(request.item_id, str(refused))
        self._failed_in_a_row = 0
        return read_reply(request, calls, completions, logprobs=bool(self._logprobs))

    async def _complete(self, call: Call) -> Completion:
        """Call as often as it takes; a :class:`RetryableError` is raised once the attempts are used up."""
        attempts = limits = 0
        while True:
            try:
                return await self._once(call)
            except ParameterRejectedError:
                continue
            except RetryableError as fault:
                if fault.limited:
                    limits += 1
                    self._budget.count_rate_limit()
                else:
                    attempts += 1
                if fault.unreached and not self._client.reached and attempts >= self._retry_policy.attempts_to_reach:
                    raise EndpointUnreachableError(
                        f"nobody answers at {self._endpoint.shown} ({fault}): check the URL, and that the server runs"
                    ) from None
                if attempts >= self._retry_policy.attempts or limits > self._retry_policy.rate_limits:
                    raise
                await self._wait(fault, attempts, limits)
                self._budget.count_retry()

    async def _once(self, call: Call) -> Completion:
        began = await self._limiter.enter()
        dialect = self._dialect
        try:
            if call.needs_logprobs and not dialect.top_logprobs:
                raise self._no_logprobs()
            # Only requests under way hold their images in memory.
            wire = await asyncio.to_thread(to_wire, call.messages) if call.images else to_wire(call.messages)
            reserved = await self._budget.reserve(call)
            if self._limiter.stopped:
                self._budget.give_back(reserved)
                raise Stopped
            completion: Completion | None = None
            charged = False
            try:
                completion = await self._client.send(wire, dialect.parameters(call), images=bool(call.images))
            except RetryableError as fault:
                charged = fault.maybe_charged
                if fault.slow_down:
                    self._limiter.overloaded(began)
                raise
            except ItemRejectedError as refused:
                self._learn(str(refused), call, dialect)
                raise
            finally:
                self._budget.settle(reserved, completion, maybe_charged=charged)
            self._limiter.succeeded(began)
            check_said(completion)
            self._check_logprobs(call, completion)
            return completion
        finally:
            self._limiter.leave()

    def _learn(self, reason: str, call: Call, used: Dialect) -> None:
        """Raise :class:`ParameterRejectedError` where a refusal was about the words, which have changed or can be."""
        better = used.after(reason, call)
        if better is None:
            return
        if self._dialect == used:
            self._dialect = better
        raise ParameterRejectedError

    def _check_logprobs(self, call: Call, completion: Completion) -> None:
        """All replies of a run are read in one way: by probabilities, if the first had them, else by the text."""
        if not call.words or completion.refusal is not None:
            return
        if self._logprobs is None:
            self._logprobs = completion.positions is not None
        if call.needs_logprobs and not self._logprobs:
            raise self._no_logprobs()
        if self._logprobs and completion.positions is None:
            raise RetryableError("the server left the log-probabilities out this time", maybe_charged=True)

    def _no_logprobs(self) -> EndpointRejectedError:
        return EndpointRejectedError(
            f"{self._endpoint.shown} gives no log-probabilities (logprobs) for {self._endpoint.model}: leave out "
            "-M answer_by=likelihood, or ask a server that does"
        )

    async def _wait(self, fault: RetryableError, attempts: int, limits: int) -> None:
        if fault.wait is None:
            await self._limiter.rest(self._retry_policy.wait(max(1, attempts + limits)))
            return
        if fault.wait > self._retry_policy.longest_pause:
            raise EndpointUnreachableError(
                f"{self._endpoint.shown} wants to be left alone for {fault.wait:,.0f} s ({fault}): run again later"
            )
        # A server that says "at once" again and again is not believed for ever.
        doubt = self._retry_policy.wait(limits - 2) if limits > 2 else 0.0
        self._limiter.pause(max(fault.wait, doubt))

    def _count_failure(self, fault: RetryableError) -> None:
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= (self._retry_policy.failures_to_stop if self._limiter.worked else _FIRST_FAILURES):
            since = "stopped answering" if self._limiter.worked else "does not answer"
            raise EndpointUnreachableError(
                f"{self._endpoint.shown} {since}: {format_count(self._failed_in_a_row, 'items')} in a row got no "
                "reply (the last: "
                f"{fault}); see to the server, then run again"
            )
