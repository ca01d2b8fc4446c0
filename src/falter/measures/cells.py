"""What can become of a pair: a small table of cells, so that millions of pairs are counts of a few hundred cells."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

__all__ = ["CLASSES", "EXPECTS", "LEFT_OUT", "ORDERS", "Cells", "SetCells", "Side", "class_code"]

CLASSES = ("right", "wrong", "other", "unparsed", "failed", "missing", "unsupported", "scored")
"""What one reply is. ``other``: a clear answer that is not among the choices. ``unparsed`` counts as wrong. ``scored``:
a matching score without a threshold, which ranks texts but is neither right nor wrong by itself."""

LEFT_OUT = ("failed", "missing", "unsupported")
"""A pair with such a reply is left out of every measure, and counted."""

EXPECTS = ("same", "different", "each", "prefer")

ORDERS = ("none", "lost", "tied", "won")
"""How a matching pair's two scores stand: the original's below, equal to or above the variant's. A reply that ranks
nowhere (unparsed) loses; pairs of questions have none."""

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def class_code(name: str) -> int:
    """The number of a class."""
    return CLASSES.index(name)


@dataclass(frozen=True, slots=True)
class Side:
    """The original's or the variant's part of every cell, one entry a cell."""

    kind: Integers
    """The class as its number in :data:`CLASSES`."""
    yes: Bools
    """The reply to a yes/no question is "yes"."""
    no: Bools
    """The reply to a yes/no question is "no"."""
    first: Bools
    """The reply is the first of the choices."""
    credit: Floats
    """The VQA accuracy where several people answered, else 1 for right and 0 for the rest."""
    choices: Integers
    """The number of choices; 0 for an open question."""
    yes_no: Bools
    """The choices are yes and no."""
    asked_people: Bools
    """Several people's answers are known."""

    def take(self, chosen: Integers) -> Side:
        """The side of some of the cells."""
        return Side(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def is_(self, name: str) -> Bools:
        """Where the reply has this class."""
        return np.asarray(self.kind == class_code(name))

    @property
    def right(self) -> Bools:
        return self.is_("right")

    @property
    def parsed(self) -> Bools:
        """A clear answer was given, right or not."""
        return self.kind <= class_code("other")

    @property
    def listed(self) -> Bools:
        """A clear answer was given, and it is among the choices; any clear answer to an open question is."""
        return self.kind <= class_code("wrong")

    @property
    def judged(self) -> Bools:
        """The reply is right or wrong by itself, which a score without a threshold is not."""
        return np.asarray(self.kind != class_code("scored"))

    @property
    def closed(self) -> Bools:
        """The question has choices."""
        return self.choices > 0


@dataclass(frozen=True, slots=True)
class Cells:
    """Every different outcome of a pair that occurs, one entry a cell."""

    task: npt.NDArray[np.str_]
    expects: npt.NDArray[np.str_]
    same: Bools
    """Both replies are clear answers, and equal after normalisation."""
    original: Side
    variant: Side
    order: Integers
    """How the scores of a matching pair stand, as a number in :data:`ORDERS`."""

    def __len__(self) -> int:
        return len(self.same)

    def take(self, chosen: Integers) -> Cells:
        """Some of the cells."""
        return Cells(
            self.task[chosen],
            self.expects[chosen],
            self.same[chosen],
            self.original.take(chosen),
            self.variant.take(chosen),
            self.order[chosen],
        )

    @property
    def kept(self) -> Bools:
        """Both replies were had; the others are left out and counted."""
        bad = [class_code(name) for name in LEFT_OUT]
        return ~(np.isin(self.original.kind, bad) | np.isin(self.variant.kind, bad))

    @property
    def differ(self) -> Bools:
        """Both replies are clear answers, and not equal."""
        return self.original.parsed & self.variant.parsed & ~self.same

    @property
    def consistent(self) -> Bools:
        """The two answers stand to each other as they should, whether right or wrong.

        An unparsed reply says nothing, so a pair that holds one is neither "the same" nor "different".
        """
        as_expected = np.where(self.expects == "same", self.same, (self.expects == "different") & self.differ)
        return np.asarray(self.kept & as_expected)

    @property
    def won(self) -> Bools:
        """The original scores strictly above the variant."""
        return np.asarray(self.order == ORDERS.index("won"))

    @property
    def tied(self) -> Bools:
        """Original and variant score the same."""
        return np.asarray(self.order == ORDERS.index("tied"))

    @property
    def both_right(self) -> Bools:
        return self.original.right & self.variant.right


@dataclass(frozen=True, slots=True)
class SetCells:
    """Every different outcome of a probe taken as one set, one entry a cell."""

    task: npt.NDArray[np.str_]
    expects: npt.NDArray[np.str_]
    kept: Bools
    """Every reply of the set was had."""
    all_right: Bools
    """The original and every variant are right."""
    all_consistent: Bools
    """Every variant's answer stands to the original's as it should."""
    several: Bools
    """The probe has more than one variant."""

    def __len__(self) -> int:
        return len(self.kept)

    def take(self, chosen: Integers) -> SetCells:
        """Some of the cells."""
        return SetCells(*(getattr(self, field.name)[chosen] for field in fields(self)))
