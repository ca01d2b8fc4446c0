"""What the command line knows that a model may need: scenes to look at, questions to learn from, words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from falter.sources import Source

__all__ = ["ModelContext"]


@dataclass(frozen=True)
class ModelContext:
    """Given to every model when it is made."""

    scenes: Source | None = None
    train: Source | None = None
    extend: tuple[Path, ...] = ()
    """Folders with words and templates of the user's own."""
