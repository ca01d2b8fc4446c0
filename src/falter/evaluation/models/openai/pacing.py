"""How much is asked at once, and how long to wait before asking again.

More is asked while all goes well, half when the server is overloaded, nothing while it rests. The wait is as long as
the server says, else longer each time.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from itertools import islice

MOST_AT_ONCE = 64
_AFTER_FIRST = 4
_COMFORT = 0.25
"""No growth once an answer takes this part of the time it may take: a server that queues would run into it."""
_LATENCY_MEMORY = 0.2


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
        self._latency = latency if not self._worked else self._latency + _LATENCY_MEMORY * (latency - self._latency)
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


_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_LONGEST_RESET = 60.0
"""The reset of a limit tells when all of it is back; some is back long before."""
_RESETS = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)


@dataclass(frozen=True)
class RetryPolicy:
    """How often a request is put, and how long is waited in between."""

    attempts: int = 8
    attempts_to_reach: int = 3
    """Before the server has ever answered."""
    rate_limits: int = 50
    """Answers of 429 that one request may get."""
    first_wait: float = 0.5
    longest_wait: float = 30.0
    longest_pause: float = 600.0
    """A server that asks for a longer wait ends the run, which can be resumed later."""
    failures_to_stop: int = 20
    """So many items in a row without a reply, and the server is taken to be gone."""

    def wait(self, attempt: int) -> float:
        """Seconds before the next attempt, longer each time and never the same for two requests."""
        full = min(self.longest_wait, self.first_wait * 2.0 ** min(attempt - 1, 20))
        return full * random.uniform(0.5, 1.0)


def retry_after(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float | None:
    """The seconds a server asks for, where its headers do.

    >>> retry_after({"retry-after": "3"}), retry_after({"retry-after-ms": "250"}), retry_after({})
    (3.0, 0.25, None)
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    after = headers.get("retry-after")
    if after is not None:
        seconds = _number(after)
        if seconds is None:
            seconds = _until_date(after, now)
        if seconds is not None:
            return max(0.0, seconds)
    resets = [
        reset
        for remaining, name in _RESETS
        if (reset := _reset(headers.get(name), now)) is not None and _number(headers.get(remaining, "0")) in {0.0, None}
    ]
    return min(_LONGEST_RESET, max(resets)) if resets else None


def duration(text: str) -> float | None:
    """Seconds in a text like ``6m0s``, ``1.5s`` or ``20ms``.

    >>> duration("6m0s"), duration("20ms"), duration("1h2m3.5s"), duration("soon")
    (360.0, 0.02, 3723.5, None)
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        return None
    days, hours, minutes, seconds, milliseconds = (float(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds + milliseconds / 1000


def _reset(text: str | None, now: Callable[[], float]) -> float | None:
    if text is None:
        return None
    number = _number(text)
    if number is None:
        return duration(text)
    if number > 1e12:
        return max(0.0, number / 1000 - now())
    return max(0.0, number - now()) if number > 1e9 else max(0.0, number)


def _until_date(text: str, now: Callable[[], float]) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() - now()
    except (ValueError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return None
    return number if number is None or -1e15 < number < 1e15 else None
