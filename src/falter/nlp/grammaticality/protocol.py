"""The interface of a judge of grammaticality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

__all__ = ["GrammaticalityModel"]


class GrammaticalityModel(Protocol):
    """Scores texts from 0 to 1; ``name`` says which model or which rules, for a suite's manifest."""

    name: str

    def score(self, texts: Sequence[str]) -> list[float]:
        """How grammatical each text is, in the order given; a score depends on its text alone."""
        ...
