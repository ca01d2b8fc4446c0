"""The protocol of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from falter.models.capabilities import Capabilities
from falter.models.request import Request
from falter.runs.reply import Reply

__all__ = ["Model"]


@runtime_checkable
class Model(Protocol):
    """Anything that can answer, match, or both.

    ``name`` is shown in tables. ``fingerprint`` changes whenever the model would reply differently to the same request
    (weights, prompt, decoding settings); it is the model's part of the cache key. Everything else that the engine
    needs to know is in ``capabilities``.
    """

    name: str

    @property
    def fingerprint(self) -> str:
        """Identity of weights, prompt and settings."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the model can do and how it works."""
        ...

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        """One reply for each request of the batch, in order."""
        ...
