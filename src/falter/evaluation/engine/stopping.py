"""What may end a run early: a rule that has seen enough, or a model that is broken.

A rule says which probes to ask next, and sees what was replied to them. A model that fails on every one of its first 20
items is called no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from falter.core.errors import FalterError
from falter.data.model import Reply

__all__ = ["CircuitBreaker", "ModelBrokenError", "StoppingRule"]


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
