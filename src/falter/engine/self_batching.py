"""Calling a model that forms its own batches: it draws requests, and replies are written as they come."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from falter.engine.circuit_breaker import CircuitBreaker, ModelBrokenError
from falter.engine.reply_processing import process_reply
from falter.engine.request_filter import RequestFilter
from falter.errors import FalterError
from falter.models.capabilities import ReplyUnordered
from falter.models.failures import failed_reply
from falter.models.request import Request
from falter.runs.reply import Reply

__all__ = ["call_self_batching"]

Record = Callable[[Sequence[Reply]], None]

_AROUND_AT_ONCE = 256


def call_self_batching(
    requests: Iterator[Request],
    name: str,
    reply_unordered: ReplyUnordered,
    requests_filter: RequestFilter,
    record: Record,
    batch_size: int | None,
) -> None:
    """Give a model all requests to draw from, and record every reply immediately.

    Whatever ends the stream, what came before is recorded. A request that gets no reply is a failure; a reply to
    something that was not asked, or a second one to the same, is ignored.
    """
    feed = _Feed(requests, requests_filter, record)
    breaker = CircuitBreaker(name)
    given = reply_unordered(feed, batch_size)
    try:
        for reply in given:
            finished = feed.finish(reply)
            if finished is not None:
                record(breaker.on_failure(finished) if finished.status == "failed" else breaker.on_success([finished]))
        feed.check_drawn(name)
    except FalterError:
        raise
    except (Exception, SystemExit) as error:  # sys.exit() in a model ends no run.
        if feed.problem is not None:
            raise feed.problem from None
        raise ModelBrokenError(
            f"{name} stopped ({type(error).__name__}: {error}); its replies so far are kept; fix it and rerun the "
            "command to resume"
        ) from error
    finally:
        close = getattr(given, "close", None)
        if callable(close):
            close()
        feed.close()
        requests_filter.close()
    for failure in feed.unanswered():
        record(breaker.on_failure(failure))
    record(breaker.held_back())


class _Feed:
    """The requests as a model draws them, from any thread; those that it need not see are recorded on the way."""

    def __init__(self, requests: Iterator[Request], requests_filter: RequestFilter, record: Record) -> None:
        self._requests = requests
        self._filter = requests_filter
        self._record = record
        self._lock = threading.Lock()
        self._around: list[Reply] = []
        self._under_way: dict[str, Request] = {}
        self._drawn = False
        self.problem: Exception | None = None
        """What went wrong here and not in the model."""

    def __iter__(self) -> Iterator[Request]:
        return self

    def __next__(self) -> Request:
        with self._lock:
            try:
                return self._next()
            except StopIteration:
                self._drawn = True
                raise
            except Exception as error:
                self.problem = error
                raise

    def _next(self) -> Request:
        for request in self._requests:
            admitted = self._filter.resolve(request)
            if isinstance(admitted, Request):
                self._under_way[admitted.item_id] = admitted
                return admitted
            self._around.append(admitted)
            if len(self._around) >= _AROUND_AT_ONCE:
                self._flush()
        self._flush()
        raise StopIteration

    def _flush(self) -> None:
        around, self._around = self._around, []
        self._record(around)

    def finish(self, given: object) -> Reply | None:
        """The processed reply; None for one to an item that was not requested."""
        if not isinstance(given, Reply):
            raise TypeError(f"it gave a {type(given).__name__} instead of a reply")
        request = self._under_way.pop(given.item_id, None)
        if request is None:
            return None
        finished = process_reply(request, given)
        self._filter.cache_replies([finished])
        return finished

    def check_drawn(self, name: str) -> None:
        """Stop where a model ended its stream before it had drawn everything."""
        if not self._drawn and next(self, None) is not None:
            self._under_way.popitem()
            raise ModelBrokenError(
                f"{name} ended before it had taken all requests; its replies so far are kept; fix it and rerun the "
                "command to resume"
            )

    def unanswered(self) -> list[Reply]:
        """A failure for each request that was drawn and never replied to."""
        return [failed_reply(item_id, "the model gave no reply") for item_id in self._under_way]

    def close(self) -> None:
        """Record what went around the model since the last time."""
        with self._lock:
            self._flush()
