"""How much is asked at once: more while all goes well, half when the server is overloaded, nothing while it rests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from itertools import islice

__all__ = ["MOST_AT_ONCE", "ConcurrencyLimiter", "Stopped"]

MOST_AT_ONCE = 64
_AFTER_FIRST = 4
_COMFORT = 0.25
"""No growth once an answer takes this part of the time it may take: a server that queues would run into it."""
_MEMORY = 0.2


class Stopped(Exception):
    """Nothing more is asked in this run."""


class ConcurrencyLimiter:
    """Slots for requests under way; lives in one event loop.

    It begins with one request, which finds out whether the server can be asked at all, goes on with four, and grows
    by one with every success (it doubles in a round) until the first sign of too much. From then on it grows by one in
    a round. A sign of too much halves it, once for all that was under way.
    """

    def __init__(self, *, most: int, timeout: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._comfort = timeout * _COMFORT
        self._limit = 1.0
        self._slow_start = True
        self._worked = False
        self._under_way = 0
        self._halved_at = -1.0
        self._paused_until = 0.0
        self._latency = 0.0
        self._queue: dict[object, asyncio.Future[None]] = {}
        """Those who wait for a slot, first come, first served; each waits on its future until it may look again."""
        self._stopping = asyncio.Event()
        self.resting = 0
        """Requests that wait for their next attempt, and hold no slot."""

    @property
    def limit(self) -> int:
        """How many may be under way now."""
        return int(self._limit)

    @property
    def stopped(self) -> bool:
        return self._stopping.is_set()

    @property
    def worked(self) -> bool:
        """Whether anything has come back so far."""
        return self._worked

    def stop(self) -> None:
        """Let nothing more begin; what is under way may end."""
        self._stopping.set()
        for turn in self._queue.values():
            _wake(turn)

    async def enter(self) -> float:
        """Wait for a slot; gives the time it was had, for :meth:`succeeded` and :meth:`overloaded`."""
        place = object()
        self._queue[place] = asyncio.get_running_loop().create_future()
        try:
            while True:
                if self.stopped:
                    raise Stopped
                pause = self._paused_until - self._clock()
                if pause > 0:
                    await self._sleep(pause)
                elif place in islice(self._queue, self._free):
                    self._under_way += 1
                    return self._clock()
                else:
                    self._queue[place] = turn = asyncio.get_running_loop().create_future()
                    await turn
        finally:
            del self._queue[place]
            self._fill()

    def leave(self) -> None:
        """Give the slot back."""
        self._under_way -= 1
        self._fill()

    async def rest(self, seconds: float) -> None:
        """Wait for the next attempt, unless everything stops."""
        self.resting += 1
        try:
            await self._sleep(seconds)
        finally:
            self.resting -= 1

    def pause(self, seconds: float) -> None:
        """Ask nothing for a while."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)

    def succeeded(self, began: float) -> None:
        """A reply came to a request that began then."""
        latency = self._clock() - began
        self._latency = latency if not self._worked else self._latency + _MEMORY * (latency - self._latency)
        if not self._worked:
            self._worked = True
            self._limit = max(self._limit, float(_AFTER_FIRST))
        elif self._latency < self._comfort and 2 * self._under_way >= self._limit:
            # Only a limiter that is made use of can be known to be good.
            self._limit += 1.0 if self._slow_start else 1.0 / self._limit
        self._limit = min(self._limit, float(self._most))
        self._fill()

    def overloaded(self, began: float) -> None:
        """A request that began then ran into a limit or into its time."""
        self._slow_start = False
        if began > self._halved_at:
            self._limit = max(1.0, self._limit / 2)
            self._halved_at = self._clock()

    async def _sleep(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            return
        raise Stopped

    @property
    def _free(self) -> int:
        return max(0, self.limit - self._under_way)

    def _fill(self) -> None:
        for turn in islice(self._queue.values(), self._free):
            _wake(turn)


def _wake(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)
