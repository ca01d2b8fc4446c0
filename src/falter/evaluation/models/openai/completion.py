"""Reading a chat completion, and telling one from what only looks like one.

Its id tells, as far as that can be told, whether it belongs to the request; its model's name, whether the asked model
replied.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Callable
from math import isfinite
from typing import Any

import msgspec

from falter.evaluation.models.openai.endpoint import Endpoint
from falter.evaluation.models.openai.errors import EndpointRejectedError, RetryableError

_LONGEST_NAME = 200


class Position(msgspec.Struct, frozen=True):
    """One token of a reply, and the likeliest tokens in its place with their log-probabilities."""

    token: str
    listed: tuple[tuple[str, float], ...]


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """What a server said to one request."""

    text: str | None
    refusal: str | None
    finish: str | None
    positions: tuple[Position, ...] | None
    input_tokens: int | None
    output_tokens: int | None
    id: str
    model: str


class ServersError(Exception):
    """An error where a completion should stand, with a status of success; some gateways do that."""

    def __init__(self, status: int) -> None:
        super().__init__(f"an error of status {status}")
        self.status = status


class _Token(msgspec.Struct):
    token: str
    logprob: float | None = None
    top_logprobs: list[_Token] | None = None


class _Logprobs(msgspec.Struct):
    content: list[_Token] | None = None


class _Part(msgspec.Struct):
    type: str = "text"
    text: str | None = None


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    role: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    index: int = 0
    logprobs: _Logprobs | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Body(msgspec.Struct):
    choices: list[_Choice] | None = None
    id: str | int | None = None
    model: str | None = None
    usage: _Usage | None = None
    error: Any = None


_DECODER = msgspec.json.Decoder(_Body)


def read_completion(body: bytes, endpoint: Endpoint) -> Completion:
    """Parse the completion in a body; anything else is a :class:`RetryableError`, since it may be cut short.

    No text of it holds the key or a piece of it.
    """
    key = endpoint.key
    try:
        found = _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = key.hide(str(error))
        raise RetryableError(f"the server sent no chat completion: {reason}", maybe_charged=True) from None
    if found.error is not None and not found.choices:
        code = found.error.get("code") if isinstance(found.error, dict) else None
        raise ServersError(code if isinstance(code, int) and 400 <= code < 600 else 500)
    if not found.choices:
        raise RetryableError("the server sent a completion without choices", maybe_charged=True)
    if len(found.choices) != 1 or found.choices[0].index != 0:
        raise RetryableError("the server sent several choices where one was asked for", maybe_charged=True)
    choice = found.choices[0]
    if choice.message.role not in {None, "assistant"}:
        raise RetryableError("the server sent a message that is not the assistant's", maybe_charged=True)
    if choice.finish_reason == "error":
        raise RetryableError("the server broke off", maybe_charged=True)
    usage = found.usage or _Usage()
    return Completion(
        text=_optional(key.remove, _text(choice.message.content)),
        refusal=_optional(key.remove, choice.message.refusal or None),
        finish=choice.finish_reason,
        positions=_positions(choice.logprobs),
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        id=key.hide(str(found.id or "")[:_LONGEST_NAME]),
        model=key.hide((found.model or "")[:_LONGEST_NAME]) if found.model != endpoint.model else endpoint.model,
    )


def _optional(change: Callable[[str], str], text: str | None) -> str | None:
    return None if text is None else change(text)


def _text(content: str | list[_Part] | None) -> str | None:
    if isinstance(content, list):
        return "".join(part.text or "" for part in content if part.type == "text")
    return content


def _positions(logprobs: _Logprobs | None) -> tuple[Position, ...] | None:
    if logprobs is None or logprobs.content is None:
        return None
    return tuple(
        Position(
            token.token,
            tuple(
                (listed.token, listed.logprob)
                for listed in (token.top_logprobs or [token])
                if listed.logprob is not None and isfinite(listed.logprob)
            ),
        )
        for token in logprobs.content
    )


_OURS = re.compile(r"falter-[0-9a-f]{8}-\d+")


class ResponseIdCheck:
    """Marks requests, and looks for the marks in what comes back.

    Every request carries an id of its own in ``X-Request-Id``. Servers such as vLLM, and many gateways, give it back
    in the completion's id or in a header: a reply that carries the id of another request is somebody else's.
    """

    def __init__(self) -> None:
        self._mark = secrets.token_hex(4)
        self._asked = 0

    def next_id(self) -> str:
        """An id that no other request has."""
        self._asked += 1
        return f"falter-{self._mark}-{self._asked}"

    def check(self, own: str, completion: Completion, header: str) -> None:
        """Raise a :class:`RetryableError` for a reply to something else."""
        for echo in (completion.id, header):
            if (found := _OURS.search(echo)) is not None and found[0] != own:
                raise RetryableError("the server sent the reply to another request", maybe_charged=True)


_SEEN_AT_FIRST = 2
_SEEN_LATER = 3
_MOST_NAMES = 20
"""A server that makes up a name for every reply is not recorded without end."""


class ModelNameCheck:
    """Looks at the name of the model in every reply, and collects the names that are not the one asked for.

    A name need not be the one that was asked for (aliases, snapshots). The first that comes is taken if it looks like
    the one asked for; any other is taken for a stray until it has come again (before there was any reply) or three
    times (after that), for then it is the server's way. With ``exact``, no other name is ever taken.
    """

    def __init__(self, endpoint: Endpoint, found: set[str], *, exact: bool) -> None:
        self._endpoint = endpoint
        self._exact = exact
        self._found = found
        self._known: set[str] = set()
        self._strays: Counter[str] = Counter()

    def check(self, name: str) -> None:
        """Raise a :class:`RetryableError` for a stray, and what ends the run where its name is not to be taken."""
        if name not in self._known and not self._is_welcome(name):
            self._strays[name] += 1
            if self._strays[name] < (_SEEN_LATER if self._known else _SEEN_AT_FIRST):
                raise RetryableError(
                    f"the server sent a reply of another model, {name or 'unnamed'}", maybe_charged=True
                )
            if self._exact:
                raise self._refusal(name)
        self._known.add(name)
        if name not in {"", self._endpoint.model} and len(self._found) < _MOST_NAMES:
            self._found.add(name)

    def _is_welcome(self, name: str) -> bool:
        asked = self._endpoint.model
        if self._exact:
            return name == asked
        if name in {"", asked}:
            return True
        asked, given = asked.casefold(), name.casefold()
        return not self._known and (asked in given or given in asked)

    def _refusal(self, name: str) -> EndpointRejectedError:
        base, asked = self._endpoint.shown, self._endpoint.model
        if not name:
            return EndpointRejectedError(f"{base} does not say which model replied: leave out -M model_name=exact")
        return EndpointRejectedError(
            f"{base} replied as {name}, not as {asked}: ask for that model, or accept it with -M model_name=any"
        )
