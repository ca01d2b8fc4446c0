"""Talking to a server: one request and one reply over the wire, and the thread in which the event loop does it.

A reply is read up to a limit and within a time, through the official client.
"""

from __future__ import annotations

import asyncio
import difflib
import queue
import threading
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from falter.core.errors import FalterError
from falter.data.model import Reply, Request, failed_reply
from falter.evaluation.models.openai.completion import (
    Completion,
    ModelNameCheck,
    ResponseIdCheck,
    ServersError,
    read_completion,
)
from falter.evaluation.models.openai.endpoint import Endpoint
from falter.evaluation.models.openai.errors import EndpointRejectedError, RetryableError, error_for_status
from falter.evaluation.models.openai.pacing import ConcurrencyLimiter, Stopped

MAX_REPLY = 4_000_000
"""Bytes that are read of a reply; a longer one is nothing a model would say."""

_MAX_ERROR = 64_000
_LISTED = 5
_MOST_NAMES = 1000
_LONGEST_NAME = 200


class _Answered(Exception):
    """A status that is no success, with as much of the body as is worth reading."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.headers = headers
        self.body = body


class Client:
    """A server; make and use it in one event loop."""

    def __init__(self, endpoint: Endpoint, *, timeout: float, names: ModelNameCheck) -> None:
        import openai

        self._openai: Any = openai
        self._endpoint = endpoint
        self._timeout = timeout
        self._response_ids = ResponseIdCheck()
        self._names = names
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.key.reveal(),
            base_url=endpoint.base,
            # The SDK's retries are off: each attempt is reserved in the budget, and a refusal slows all requests down.
            max_retries=0,
            timeout=timeout,
            http_client=openai.DefaultAsyncHttpxClient(event_hooks={"response": [_stop_at_errors]}, timeout=timeout),
        )
        self.reached = False
        """Whether the server has answered anything at all so far."""

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def send(self, messages: list[dict[str, Any]], parameters: Mapping[str, Any], *, images: bool) -> Completion:
        """Ask once. A reply that is no good raises a :class:`RetryableError`, as does one that never comes."""
        own = self._response_ids.next_id()
        body, headers = b"", dict[str, str]()
        try:
            async with asyncio.timeout(self._timeout):
                body, headers = await self._post(messages, parameters, own)
            completion = read_completion(body, self._endpoint)
        except _Answered as answer:
            self.reached = True
            fault = error_for_status(answer.status, answer.headers, answer.body, self._endpoint, with_images=images)
            if answer.status in {400, 404} and isinstance(fault, EndpointRejectedError):
                fault = await self._with_names(fault)
            raise fault from None
        except ServersError as error:
            raise error_for_status(error.status, headers, body, self._endpoint, with_images=images) from None
        except TimeoutError:
            raise RetryableError(f"no reply within {self._timeout:g} s", slow_down=True, maybe_charged=True) from None
        self._response_ids.check(own, completion, headers.get("x-request-id", ""))
        self._names.check(completion.model)
        return completion

    async def _post(
        self, messages: list[dict[str, Any]], parameters: Mapping[str, Any], own: str
    ) -> tuple[bytes, dict[str, str]]:
        call = self._client.chat.completions.with_streaming_response.create(
            model=self._endpoint.model,
            messages=messages,  # type: ignore[arg-type]
            extra_headers={"X-Request-Id": own, "X-Client-Request-Id": own, "Accept-Encoding": "identity"},
            **parameters,
        )
        try:
            async with call as response:
                self.reached = True
                return await _read(response, MAX_REPLY), {k.lower(): v for k, v in response.headers.items()}
        except (_Answered, RetryableError):
            raise
        except self._openai.APITimeoutError:
            raise TimeoutError from None
        except self._openai.APIConnectionError as error:
            raise self._unconnected(error) from None
        except Exception as error:
            # Whatever the transport raises in the middle of a body.
            raise RetryableError(f"the reply broke off ({type(error).__name__})", maybe_charged=True) from None

    def _unconnected(self, error: BaseException) -> RetryableError:
        cause = error.__cause__ or error
        reason = " ".join(self._endpoint.key.hide(str(cause)).split())[:200] or type(cause).__name__
        if type(cause).__name__.startswith("Connect"):
            return RetryableError(f"no connection: {reason}", slow_down=True, unreached=True)
        return RetryableError(f"the connection broke off: {reason}", maybe_charged=True)

    async def _with_names(self, refused: EndpointRejectedError) -> EndpointRejectedError:
        """The same refusal, with the names of models that the server does have, where it tells."""
        try:
            async with asyncio.timeout(min(5.0, self._timeout)):
                async with self._client.models.with_streaming_response.list() as response:
                    listed = msgspec.json.decode(await _read(response, MAX_REPLY))
            names = [str(entry["id"])[:_LONGEST_NAME] for entry in listed["data"][:_MOST_NAMES]]
        except Exception:
            # It was worth a try; the refusal itself stands.
            return refused
        near = difflib.get_close_matches(self._endpoint.model, names, n=_LISTED, cutoff=0.5) or sorted(names)[:_LISTED]
        if not near or self._endpoint.model in names:
            return refused
        return EndpointRejectedError(f"{refused}; it has {self._endpoint.key.hide(', '.join(near))}")


def _origin(url: Any) -> str:
    return f"{url.scheme}://{url.host}:{url.port or {'http': 80, 'https': 443}.get(url.scheme, '')}"


async def _read(response: Any, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in response.iter_bytes():
        parts.append(part)
        size += len(part)
        if size > most:
            raise RetryableError(f"the reply is larger than {most // 1_000_000} MB", maybe_charged=True)
    return b"".join(parts)


async def _stop_at_errors(response: Any) -> None:
    """Take over where the client would read all of an error, however long it is."""
    if response.has_redirect_location:
        target = response.url.join(response.headers["location"])
        if _origin(target) != _origin(response.url):
            # The client would send prompts and images there.
            raise _Answered(response.status_code, {"location": _origin(target)}, b"")
        return
    if response.status_code < 400:
        return
    body = b""
    try:
        async for part in response.aiter_bytes():
            body += part
            if len(body) > _MAX_ERROR:
                break
    except Exception:
        # Half an error is an error; its status is known.
        pass
    raise _Answered(response.status_code, {k.lower(): v for k, v in response.headers.items()}, body[:_MAX_ERROR])


_MOST_RESTING = 256


class AsyncSession(NamedTuple):
    """What is made in the event loop, used there, and closed there."""

    limiter: ConcurrencyLimiter
    ask: Callable[[Request], Awaitable[Reply]]
    close: Callable[[], Awaitable[None]]


class AsyncBridge:
    """Requests go in as the server takes them, replies come out as they come.

    Requests are drawn in the caller's thread, a few more than can be under way, so that the loop never waits for the
    next one and nothing is read far ahead. Once something ends the run, nothing more is sent; what is under way
    comes to its end, its replies are given out, and then the reason is raised.
    """

    def __init__(self, session: Callable[[], Awaitable[AsyncSession]]) -> None:
        self._make = session
        self._done: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        self._stop: BaseException | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._session: AsyncSession | None = None
        self._closing: asyncio.Event | None = None

    def replies(self, requests: Iterator[Request]) -> Generator[Reply]:
        """A reply to each request, in the order in which they come."""
        thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="falter-openai", daemon=True)
        thread.start()
        self._ready.wait()
        try:
            yield from self._exchange(requests)
        finally:
            self._close()
            thread.join()
        if self._stop is not None:
            raise self._stop

    def _exchange(self, requests: Iterator[Request]) -> Iterator[Reply]:
        under_way = 0
        more = True
        while True:
            while more and self._stop is None and under_way < self._room():
                request = next(requests, None)
                if request is None:
                    more = False
                    break
                self._submit(request)
                under_way += 1
            if not under_way:
                return
            reply = self._done.get()
            under_way -= 1
            if reply is not None:
                yield reply

    def _room(self) -> int:
        assert self._session is not None
        limiter = self._session.limiter
        return 2 * limiter.limit + 2 + min(limiter.resting, _MOST_RESTING)

    def _submit(self, request: Request) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._begin, request)

    def _begin(self, request: Request) -> None:
        task = asyncio.get_running_loop().create_task(self._ask(request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask(self, request: Request) -> None:
        """Put one outcome in the queue, whatever happens; None where the run has ended before."""
        assert self._session is not None
        reply: Reply | None = None
        try:
            reply = await self._session.ask(request)
        except Stopped:
            pass
        except FalterError as error:
            self._stop = self._stop or error
            self._session.limiter.stop()
        except Exception as error:
            reply = failed_reply(request.item_id, error)
        finally:
            self._done.put(reply)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._closing = asyncio.Event()
        try:
            self._session = await self._make()
        except BaseException as error:
            self._stop = error
            return
        finally:
            self._ready.set()
        await self._closing.wait()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(Exception):
            await self._session.close()

    def _close(self) -> None:
        if self._loop is not None and self._closing is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._closing.set)
