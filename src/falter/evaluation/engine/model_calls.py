"""Calling a model: with a batch, or with requests that it draws to form its own batches; and when to stop.

Unsupported items and items whose reply is cached do not reach it. A batch is retried where that may help, and sent item
by item where one item spoils the rest. Replies are written as they come.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from falter.core.errors import FalterError
from falter.core.files import is_regular, sha256_of_file
from falter.data.model import Model, Reply, ReplyUnordered, Request, TransientError, failed_reply
from falter.evaluation.engine.cache import ReplyCache, cache_key
from falter.evaluation.engine.plan import is_supported
from falter.evaluation.engine.reply_processing import ReplyCountError, process_batch, process_reply, read_anew
from falter.evaluation.engine.requests import RequestTransform, flatten_context
from falter.evaluation.models.python import PythonModel


class StoppingRule(Protocol):
    """Decides round by round. What it decides depends on the replies alone, so that a resumed run decides the same."""

    @property
    def rounds(self) -> Sequence[Sequence[str]]:
        """The probes of every round whose replies it has taken."""
        ...

    def next_round(self) -> Sequence[str]:
        """The ids of the probes to ask next, in their order; none where the run may end."""
        ...

    def take(self, asked: Sequence[str], replies: Mapping[str, Reply]) -> None:
        """The replies, when every item of the round has one; there are those of earlier rounds as well."""
        ...

    def summary(self) -> list[dict[str, Any]]:
        """What it has decided, for the manifest."""
        ...


FAILURES_TO_STOP = 20


class ModelBrokenError(FalterError):
    """The model has failed on every item so far, or stopped: continuing would fill the run with failures."""


class CircuitBreaker:
    """Holds failures back until the model has replied once.

    Failures before the first reply are released with that reply; if it never comes, the run stops and none of them
    is written, so that a fixed model is asked everything.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._works = False
        self._held: list[Reply] = []

    def on_success(self, replies: list[Reply]) -> list[Reply]:
        """The replies, after the failures that were held back before them."""
        self._works = True
        return self.held_back() + replies if self._held else replies

    def on_failure(self, failure: Reply) -> list[Reply]:
        """The failure, unless it has to be held back."""
        if self._works:
            return [failure]
        self._held.append(failure)
        if len(self._held) >= FAILURES_TO_STOP:
            raise ModelBrokenError(
                f"{self._name} failed on all of the first {len(self._held)} items ({failure.error}); fix it and rerun"
            )
        return []

    def held_back(self) -> list[Reply]:
        """The failures of a run without any reply."""
        held, self._held = self._held, []
        return held


ATTEMPTS = 4
FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0


class ModelCaller:
    """Calls a model batch by batch, and holds failures back until it has replied once."""

    def __init__(self, model: Model, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._model = model
        self._sleep = sleep
        self._breaker = CircuitBreaker(model.name)

    def call(self, batch: Sequence[Request]) -> list[Reply]:
        """Processed replies to a batch, after the failures held back before."""
        try:
            replies = process_batch(batch, self._model.reply(batch))
        except FalterError:
            raise
        except ReplyCountError as error:
            raise self._broken(error) from error
        except (Exception, SystemExit) as error:  # sys.exit() in a model ends no run.
            if len(batch) == 1:
                return self._failed(batch[0], error)
            return [reply for request in batch for reply in self.call([request])]
        return self._breaker.on_success(replies)

    def held_back(self) -> list[Reply]:
        """The failures of a run without any reply."""
        return self._breaker.held_back()

    def _broken(self, error: ReplyCountError) -> ModelBrokenError:
        """Which reply belongs to which request is not known, so none of them is taken."""
        return ModelBrokenError(
            f"{self._model.name} {error}; it must return one per request; its replies so far are kept; fix it and "
            "rerun the command to resume"
        )

    def _failed(self, request: Request, error: BaseException) -> list[Reply]:
        for attempt in range(1, ATTEMPTS):
            if not isinstance(error, TransientError):
                break
            wait = FIRST_WAIT * 2 ** (attempt - 1) if error.wait is None else error.wait
            self._sleep(min(wait, LONGEST_WAIT))
            try:
                return self._breaker.on_success(process_batch([request], self._model.reply([request])))
            except FalterError:
                raise
            except ReplyCountError as wrong:
                raise self._broken(wrong) from wrong
            except (Exception, SystemExit) as next_error:
                error = next_error
        return self._breaker.on_failure(failed_reply(request.item_id, error))


CACHE_BATCH = 64
CACHE_SECONDS = 1.0


class RequestFilter:
    """Passes requests on as the model can read them, and replies to the others itself."""

    def __init__(
        self, model: Model, transform: RequestTransform, cache: ReplyCache | None, *, needs_image: bool
    ) -> None:
        self._model = model
        self._transform = transform
        self._needs_image = needs_image
        self._cache = None if model.capabilities.replays else cache
        self._keys: dict[str, str] = {}
        self._uncached: list[tuple[str, Reply]] = []
        self._cached_at = time.monotonic()
        # Models of ours check the bytes when they load an image; what others open is checked before.
        module = type(model).__module__
        self._checks_images = not module.startswith("falter.") or module == PythonModel.__module__
        self._has_changed: dict[Path, bool] = {}

    def resolve(self, request: Request) -> Request | Reply:
        """The request as the model is to see it, or the reply that makes the call needless."""
        if not is_supported(self._model, request, needs_image=self._needs_image):
            return Reply(item_id=request.item_id, status="unsupported")
        shown = self._transform(request)
        if not self._model.capabilities.reads_context:
            shown = flatten_context(shown)
        if self._checks_images and shown.image is not None and self._has_other_bytes(shown.image, shown.image_sha256):
            why = f"{shown.image.name} is not the image the suite was made with (its bytes have changed)"
            return failed_reply(request.item_id, why)
        if self._cache is not None:
            key = cache_key(self._model, shown)
            kept = self._cache.get(key, request.item_id)
            if kept is not None:
                return read_anew(shown, kept)
            self._keys[request.item_id] = key
        return shown

    def _has_other_bytes(self, path: Path, sha256: str | None) -> bool:
        if sha256 is None:
            return False
        if path not in self._has_changed:
            self._has_changed[path] = is_regular(path) and sha256_of_file(path) != sha256
        return self._has_changed[path]

    def cache_replies(self, replies: Iterable[Reply]) -> None:
        """Put replies into the cache, a batch or a second at a time."""
        if self._cache is None:
            return
        for reply in replies:
            key = self._keys.pop(reply.item_id, None)
            if key is not None:
                self._uncached.append((key, reply))
        if len(self._uncached) >= CACHE_BATCH or time.monotonic() - self._cached_at > CACHE_SECONDS:
            self.close()

    def close(self) -> None:
        """Put what is left into the cache."""
        if self._cache is not None and self._uncached:
            self._cache.put(self._uncached)
            self._uncached = []
        self._cached_at = time.monotonic()


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
