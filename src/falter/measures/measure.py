"""What a measure is: a name, a paragraph of meaning, and sums over pairs from which its value follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from falter.measures.cells import Cells, Floats, SetCells

__all__ = ["Measure", "Ratio", "SetRatio", "Tally", "Unit"]

Unit = Literal["pair", "set", "item"]


class Tally(NamedTuple):
    """How a measure is computed over some cells.

    ``adds[c]`` is the vector that one pair in cell ``c`` adds to the sums; ``value`` takes sums of any shape (..., d)
    to values of shape (...), NaN where there is nothing to measure; ``size`` takes them to the n of the score. As a
    value follows from sums, it can be recomputed for every bootstrap draw without going back to pairs.
    """

    adds: Floats
    value: Callable[[Floats], Floats]
    size: Callable[[Floats], Floats]


@runtime_checkable
class Measure(Protocol):
    """A measure, Falter's own or from outside (entry point group ``falter.measures``)."""

    name: str
    """How it is called in tables, JSON and requirements."""
    title: str
    """How it is headed in a table for people."""
    meaning: str
    """One paragraph that says what a value tells."""
    unit: Unit
    """What it counts: pairs (cells are :class:`Cells`), whole probes (cells are :class:`SetCells`), or items by their
    scores, which no count of cells holds."""
    tasks: frozenset[str]
    """The tasks it applies to."""
    expects: frozenset[str]
    """The expectations it applies to."""

    def tally(self, cells: Cells | SetCells) -> Tally | None:
        """The sums over these cells; None where the measure has nothing to say about any of them."""
        ...


def ratio_of_sums(sums: Floats) -> Floats:
    """The first sum over the second, NaN where the second is 0."""
    part, whole = sums[..., 0], sums[..., 1]
    return np.asarray(np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0))


def second_sum(sums: Floats) -> Floats:
    """The second sum: the n of a ratio."""
    return np.asarray(sums[..., 1])


ANSWERS = frozenset({"answer"})
EVERY_EXPECTATION = frozenset({"same", "different", "each"})


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """A measure over pairs that is one sum over another."""

    name: str
    title: str
    meaning: str
    part: Callable[[Cells], Floats]
    whole: Callable[[Cells], Floats]
    tasks: frozenset[str] = ANSWERS
    expects: frozenset[str] = EVERY_EXPECTATION
    always: bool = True
    """Shown, without a value, also where no pair counts."""
    unit: Unit = "pair"
    needs: str = ""
    """Why there is no value, where replies were had and none of them counts."""

    def tally(self, cells: Cells | SetCells) -> Tally | None:
        assert isinstance(cells, Cells)
        whole = self.whole(cells)
        if not self.always and not whole.any():
            return None
        return Tally(np.stack([self.part(cells), whole], axis=1), ratio_of_sums, second_sum)


@dataclass(frozen=True, kw_only=True)
class SetRatio:
    """A measure over whole probes that is one sum over another."""

    name: str
    title: str
    meaning: str
    part: Callable[[SetCells], Floats]
    whole: Callable[[SetCells], Floats]
    relevant: Callable[[SetCells], bool]
    tasks: frozenset[str] = ANSWERS
    expects: frozenset[str] = EVERY_EXPECTATION
    unit: Unit = "set"

    def tally(self, cells: Cells | SetCells) -> Tally | None:
        assert isinstance(cells, SetCells)
        if not self.relevant(cells):
            return None
        return Tally(np.stack([self.part(cells), self.whole(cells)], axis=1), ratio_of_sums, second_sum)
