"""What every model is to the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from falter.models.reply import Reply, Request
from falter.probes import Task

__all__ = ["Model"]


@runtime_checkable
class Model(Protocol):
    """Anything that can answer, match, or both.

    ``name`` is shown in tables; ``fingerprint`` changes whenever the model would reply differently to the same request
    (weights, prompt, decoding settings), and is the part of the cache key that stands for the model.
    """

    name: str
    abilities: frozenset[Task]
    needs_image: bool
    reads_context: bool
    batch_size: int

    @property
    def fingerprint(self) -> str:
        """Identity of weights, prompt and settings."""
        ...

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        """One reply for each request of the batch, in order."""
        ...
