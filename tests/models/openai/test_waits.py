"""What servers say about waiting."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.evaluation.models.openai.pacing import RetryPolicy, duration, retry_after

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": format_datetime(datetime.fromtimestamp(NOW + 90, UTC), usegmt=True)}, 90.0),
        ({"retry-after": format_datetime(datetime.fromtimestamp(NOW - 90, UTC), usegmt=True)}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"}, 1.0),
        (
            {
                "x-ratelimit-remaining-requests": "5",
                "x-ratelimit-reset-requests": "50s",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "250ms",
            },
            0.25,
        ),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}, 60.0),
        ({"x-ratelimit-reset": str(int(NOW) + 12)}, 12.0),
        ({"x-ratelimit-reset": str((int(NOW) + 12) * 1000)}, 12.0),
        ({"ratelimit-reset": "4"}, 4.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_asked_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=lambda: NOW) == seconds


@given(st.text(max_size=30))
def test_any_header_is_read_or_passed_over(text: str) -> None:
    for name in ("retry-after", "retry-after-ms", "x-ratelimit-reset-tokens"):
        found = retry_after({name: text}, now=lambda: NOW)
        assert found is None or found >= 0.0


@given(st.integers(0, 50), st.integers(0, 59), st.integers(0, 59))
def test_durations(hours: int, minutes: int, seconds: int) -> None:
    assert duration(f"{hours}h{minutes}m{seconds}s") == hours * 3600 + minutes * 60 + seconds


def test_waits_grow_up_to_a_limit() -> None:
    retry_policy = RetryPolicy(first_wait=1.0, longest_wait=8.0)
    for attempt, full in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (5, 8.0), (5000, 8.0)]:
        assert all(full / 2 <= retry_policy.wait(attempt) <= full for _ in range(20))
