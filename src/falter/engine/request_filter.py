"""What does not reach the model: what it cannot be asked, and what it was asked before."""

from __future__ import annotations

import time
from collections.abc import Iterable

from falter.engine.cache import ReplyCache
from falter.engine.cache_key import cache_key
from falter.engine.image_input import Show
from falter.engine.plan import can_be_asked
from falter.engine.requests import flatten_context
from falter.models.protocol import Model
from falter.models.request import Request
from falter.runs.reply import Reply

__all__ = ["Gate"]

KEPT_AT_ONCE = 64
KEPT_SECONDS = 1.0


class Gate:
    """Lets requests through to the model as it can read them, and answers the others itself."""

    def __init__(self, model: Model, show: Show, cache: ReplyCache | None, *, needs_image: bool) -> None:
        self._model = model
        self._show = show
        self._needs_image = needs_image
        self._cache = None if model.capabilities.replays else cache
        self._keys: dict[str, str] = {}
        self._to_keep: list[tuple[str, Reply]] = []
        self._kept_at = time.monotonic()

    def admit(self, request: Request) -> Request | Reply:
        """The request as the model is to see it, or the reply that makes asking needless."""
        if not can_be_asked(self._model, request, needs_image=self._needs_image):
            return Reply(item_id=request.item_id, status="unsupported")
        shown = self._show(request)
        if not self._model.capabilities.reads_context:
            shown = flatten_context(shown)
        if self._cache is not None:
            key = cache_key(self._model, shown)
            kept = self._cache.get(key, request.item_id)
            if kept is not None:
                return kept
            self._keys[request.item_id] = key
        return shown

    def keep(self, replies: Iterable[Reply]) -> None:
        """Put replies into the cache, before long."""
        if self._cache is None:
            return
        for reply in replies:
            key = self._keys.pop(reply.item_id, None)
            if key is not None:
                self._to_keep.append((key, reply))
        if len(self._to_keep) >= KEPT_AT_ONCE or time.monotonic() - self._kept_at > KEPT_SECONDS:
            self.close()

    def close(self) -> None:
        """Put what is left into the cache."""
        if self._cache is not None and self._to_keep:
            self._cache.put(self._to_keep)
            self._to_keep = []
        self._kept_at = time.monotonic()
