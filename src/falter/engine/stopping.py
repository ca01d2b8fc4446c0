"""What may end a run early: a rule that says which probes to ask next, and sees what was replied to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from falter.runs.reply import Reply

__all__ = ["StoppingRule"]


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
