"""What the command line knows that a model may need: scenes to look at, questions to learn from, words."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from falter.models.options import ModelOptions
from falter.models.usage import Spending
from falter.sources import Source

__all__ = ["ModelContext"]


@dataclass(frozen=True)
class ModelContext:
    """Given to every model when it is made."""

    scenes: Source | None = None
    train: Source | None = None
    extend: tuple[Path, ...] = ()
    """Folders with words and templates of the user's own."""
    options: ModelOptions = field(default_factory=ModelOptions)
    """What the user chose about models of weights and of servers."""
    spending: Spending = field(default_factory=Spending)
    """What was spent already; models that are made with one context share one budget."""
