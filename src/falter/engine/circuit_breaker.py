"""Stops a run whose model fails on every one of its first 20 items: it is broken, and is called no more."""

from __future__ import annotations

from falter.errors import FalterError
from falter.runs.reply import Reply

__all__ = ["CircuitBreaker", "ModelBrokenError"]

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
