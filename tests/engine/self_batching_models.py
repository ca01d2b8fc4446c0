"""Models that arrange their own work, for the tests: out of order, in threads, with failures, killed."""

from __future__ import annotations

import hashlib
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator

from falter.data.model import Capabilities, Reply, Request


class Streamer:
    """Draws some requests ahead, and gives their replies in another order."""

    name = "streamer"
    fingerprint = "streamer"

    def __init__(self, answer: Callable[[Request], Reply] | None = None, ahead: int = 7) -> None:
        self.capabilities = Capabilities(batch_size=4, reply_unordered=self.reply_unordered)
        self.asked: list[str] = []
        self.given_size: int | None = None
        self.closed = False
        self._answer = answer or said
        self._ahead = ahead

    def reply(self, batch: object) -> list[Reply]:
        raise AssertionError("a streaming model is asked by its stream")

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        self.given_size = batch_size
        waiting: list[Request] = []
        try:
            for request in requests:
                self.asked.append(request.item_id)
                waiting.append(request)
                if len(waiting) == self._ahead:
                    yield from [self._answer(waiting.pop()) for _ in range(self._ahead // 2 + 1)]
            for request in waiting:
                yield self._answer(request)
        finally:
            self.closed = True


class Threaded(Streamer):
    """Draws its requests and makes its replies in other threads."""

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        replies: queue.Queue[Reply | None] = queue.Queue(maxsize=5)

        def work() -> None:
            for request in requests:
                self.asked.append(request.item_id)
                replies.put(self._answer(request))
            replies.put(None)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        left = len(threads)
        while left:
            reply = replies.get()
            if reply is None:
                left -= 1
            else:
                yield reply
        for thread in threads:
            thread.join()


def said(request: Request) -> Reply:
    """Something that depends on the item alone, after a little time."""
    time.sleep(float(os.environ.get("SLOW_SECONDS", "0")))
    digest = hashlib.sha256(request.item_id.encode()).digest()[0]
    return Reply(item_id=request.item_id, text=("Yes.", "No.", "maybe", "a purple horse")[digest % 4])


def slow() -> Streamer:
    """For ``python:self_batching_models:slow``."""
    return Streamer()


class Wavering(Streamer):
    """Says something else every time it is asked the same, in an order that depends on the item alone."""

    name = "wavering"
    fingerprint = "wavering"

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        self.times = getattr(self, "times", -1) + 1
        for request in requests:
            self.asked.append(request.item_id)
            time.sleep(float(os.environ.get("SLOW_SECONDS", "0")))
            yield Reply(item_id=request.item_id, text=("yes", "no")[self.times % 2])
