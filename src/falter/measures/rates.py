"""How a model leans: towards yes, towards the first choice, off the list."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from falter.measures.cells import Bools, Cells, Floats, Side
from falter.measures.measure import Ratio

__all__ = ["FIRST_CHOICE_RATE", "NO_RATE", "OFF_LIST_RATE", "OTHER_RATE", "YES_RATE"]


def _over_sides(flag: Callable[[Side], Bools]) -> Callable[[Cells], Floats]:
    """The number of replies of a kept pair, 0 to 2, of which the flag holds."""

    def count(cells: Cells) -> Floats:
        return cells.kept * (flag(cells.original).astype(np.float64) + flag(cells.variant))

    return count


YES_RATE = Ratio(
    name="yes_rate",
    title="yes",
    meaning="The share of replies to yes/no questions that say yes, whatever is right; unparsed replies say nothing.",
    part=_over_sides(lambda side: side.yes_no & side.yes),
    whole=_over_sides(lambda side: side.yes_no),
)

NO_RATE = Ratio(
    name="no_rate",
    title="no",
    meaning="The share of replies to yes/no questions that say no, whatever is right.",
    part=_over_sides(lambda side: side.yes_no & side.no),
    whole=_over_sides(lambda side: side.yes_no),
)

OTHER_RATE = Ratio(
    name="other_rate",
    title="neither",
    meaning=(
        "The share of replies to yes/no questions that are clear answers, but neither yes nor no. Yes, no, neither and "
        "unparsed add up to all replies."
    ),
    part=_over_sides(lambda side: side.yes_no & side.parsed & ~side.yes & ~side.no),
    whole=_over_sides(lambda side: side.yes_no),
)

FIRST_CHOICE_RATE = Ratio(
    name="first_choice_rate",
    title="first choice",
    meaning="The share of replies to questions with choices other than yes and no that name the first of them.",
    part=_over_sides(lambda side: side.closed & ~side.yes_no & side.first),
    whole=_over_sides(lambda side: side.closed & ~side.yes_no),
)

OFF_LIST_RATE = Ratio(
    name="off_list_rate",
    title="off list",
    meaning="The share of replies to questions with choices that are clear answers, but none of the choices.",
    part=_over_sides(lambda side: side.closed & side.is_("other")),
    whole=_over_sides(lambda side: side.closed),
)
