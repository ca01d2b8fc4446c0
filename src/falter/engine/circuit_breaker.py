"""How long failures are put up with before a model is taken to be broken."""

from __future__ import annotations

from falter.errors import FalterError
from falter.runs.reply import Reply

__all__ = ["ModelBroken", "Patience"]

FAILURES_TO_STOP = 20


class ModelBroken(FalterError):
    """The model has failed on everything so far, or broken off: going on would fill the run with failures."""


class Patience:
    """Keeps failures back until the model has shown that it works at all.

    Failures before the first reply are given out with that reply; if it never comes, the run stops and none of them
    is written down, so that a mended model is asked everything.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._works = False
        self._held: list[Reply] = []

    def worked(self, replies: list[Reply]) -> list[Reply]:
        """Replies that came, with the failures that were held back before."""
        self._works = True
        return self.held_back() + replies if self._held else replies

    def failed(self, failure: Reply) -> list[Reply]:
        """A failure, unless it has to be held back."""
        if self._works:
            return [failure]
        self._held.append(failure)
        if len(self._held) >= FAILURES_TO_STOP:
            raise ModelBroken(
                f"{self._name} failed on each of the first {len(self._held)} items ({failure.error}): mend it and "
                "run again"
            )
        return []

    def held_back(self) -> list[Reply]:
        """The failures of a run in which nothing else came."""
        held, self._held = self._held, []
        return held
