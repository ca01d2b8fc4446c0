"""How a server wants its parameters: learned from what it refuses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from falter.models.openai.calls import Call

__all__ = ["Dialect"]

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

        >>> from falter.models.openai.calls import Call
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
