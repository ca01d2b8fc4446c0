"""What the command line knows that a model may need: scenes to look at, questions to learn from."""

from __future__ import annotations

from dataclasses import dataclass

from falter.sources import Source

__all__ = ["ModelContext"]


@dataclass(frozen=True)
class ModelContext:
    """Given to every model when it is made."""

    scenes: Source | None = None
    train: Source | None = None
