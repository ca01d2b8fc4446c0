"""What does not reach the model: unsupported items, and items whose reply is cached."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from falter.engine.cache import ReplyCache, cache_key
from falter.engine.image_input import RequestTransform
from falter.engine.plan import is_supported
from falter.engine.reply_processing import read_anew
from falter.engine.requests import flatten_context
from falter.files import is_regular, sha256_of_file
from falter.models.failures import failed_reply
from falter.models.protocol import Model
from falter.models.python import PythonModel
from falter.models.request import Request
from falter.runs.reply import Reply

__all__ = ["RequestFilter"]

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
