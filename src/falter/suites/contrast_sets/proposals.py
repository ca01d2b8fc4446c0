"""Changes that may turn an answer, and those that do. A changed question is built when somebody wants it."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from falter.authoring.perturbing import Change

__all__ = ["IN_ORDER", "UNKNOWN", "Proposal", "TurningChange", "itself"]

UNKNOWN = ""
"""The answer of a proposal whose query has to be evaluated."""

Proposal = tuple[float, str, Callable[[Any], Change | None], Any, str]
"""A change that may turn the answer: its rank with the sign turned, its name, how it is made, of what, and the answer.

Its turn comes by rank, the higher ones first.
"""

IN_ORDER = itemgetter(0, 1)


class TurningChange:
    """A change with the new answer, and how plausible it is: of several, the higher ones are taken first."""

    __slots__ = ("_change", "_make", "_new", "answer", "rank")

    def __init__(self, make: Callable[[Any], Change | None], new: Any, answer: str, rank: float) -> None:
        self.answer = answer
        self.rank = rank
        self._make = make
        self._new = new
        self._change: Change | None = None

    @property
    def change(self) -> Change:
        """The changed question."""
        if self._change is None:
            self._change = self._make(self._new)
            assert self._change is not None  # what cannot be made turns no answer
        return self._change


def itself(change: Change) -> Change:
    """A change that is made already."""
    return change
