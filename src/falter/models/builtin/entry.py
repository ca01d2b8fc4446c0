"""The description of a builtin model before it is loaded, and the parsing of its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from falter.errors import UsageError
from falter.models.load_context import LoadContext
from falter.models.protocol import Model
from falter.probes import Task

__all__ = ["Builtin", "SpecOptions"]


@dataclass(frozen=True)
class SpecOptions:
    """The ``key=value`` pairs of a spec."""

    name: str
    values: Mapping[str, str] = field(default_factory=dict)

    def number(self, key: str, default: float, *, low: float, high: float) -> float:
        """A number within limits."""
        try:
            value = float(self.values.get(key, default))
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise UsageError(
                f"builtin:{self.name}: {key} is a number from {low:g} to {high:g}, not {self.values[key]!r}"
            )
        return value

    def whole(self, key: str, default: int) -> int:
        """A whole number."""
        try:
            return int(self.values.get(key, default))
        except ValueError:
            raise UsageError(f"builtin:{self.name}: {key} is a whole number, not {self.values[key]!r}") from None


@dataclass(frozen=True)
class Builtin:
    """A builtin model: what ``falter models`` shows, and its loader."""

    make: Callable[[SpecOptions, LoadContext], Model]
    summary: str
    tasks: tuple[Task, ...]
    needs: str = "nothing"
    """What it needs, in words that begin with the option that gives it; ``@SOURCE`` in a spec gives the same."""
    options: tuple[str, ...] = ()
