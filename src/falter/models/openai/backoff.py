"""How long to wait before asking again: as long as the server says, else longer each time."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

__all__ = ["RetryPolicy", "duration", "retry_after"]

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
