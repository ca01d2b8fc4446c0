"""What was asked and paid so far, by all models of one command together."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Spending"]


@dataclass
class Spending:
    """Grows as models ask; a budget is held against it."""

    requests: int = 0
    cost: float = 0.0
