"""Between the run, which draws replies, and the event loop, which talks to the server in a thread of its own."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import suppress
from typing import NamedTuple

from falter.core.errors import FalterError
from falter.data.model import Reply, Request, failed_reply
from falter.evaluation.models.openai.pacing import ConcurrencyLimiter, Stopped

__all__ = ["AsyncBridge", "AsyncSession"]

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
