"""What spreads work over workers, and the one that does it here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

__all__ = ["Executor", "Inline", "stateless"]

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")


class Executor(Protocol):
    """Applies a function to items, here or elsewhere."""

    def map(
        self, work: Callable[[S, T], R], items: Iterable[T], *, state: Callable[[], S], chunk: int = 16
    ) -> Iterator[R]:
        """Yield ``work(state, item)`` for every item, in the order of the items.

        ``state()`` is called once in each worker, before its first item: what is expensive to load or to send belongs
        there. ``chunk`` items travel together, and a bounded number of chunks is in flight, so that neither an endless
        input nor a slow reader fills the memory. An exception in a worker is raised here once, in the place of the
        result, after those before it; then no worker is left.
        """
        ...


class Inline:
    """Does the work in this process, an item at a time."""

    def map(
        self, work: Callable[[S, T], R], items: Iterable[T], *, state: Callable[[], S], chunk: int = 16
    ) -> Iterator[R]:
        """Yield the results as they are computed.

        >>> list(Inline().map(lambda unit, count: f"{count} {unit}", [1, 2], state=lambda: "km"))
        ['1 km', '2 km']
        """
        del chunk  # Nothing travels.
        source = iter(items)
        for first in source:
            made = state()
            yield work(made, first)
            for item in source:
                yield work(made, item)

    def __repr__(self) -> str:
        return "Inline()"


def stateless() -> None:
    """The state of work that needs none."""
