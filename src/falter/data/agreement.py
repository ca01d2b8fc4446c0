"""Agreement of several people, and the interval of a share."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_Z = 1.959963984540054


class Agreement(NamedTuple):
    """A coefficient of agreement and its 95 % interval over items; no interval where one item decides."""

    value: float
    low: float | None
    high: float | None
    items: int
    """How many items at least two people judged."""


class CategoryCounts(NamedTuple):
    """How many people put each item into each category."""

    items: list[str]
    categories: list[str]
    counts: Floats


def count_categories(judgements: Iterable[tuple[str, str]]) -> CategoryCounts:
    """Count judgements, each an item and a category; both are sorted."""
    tally: dict[str, dict[str, int]] = {}
    categories: set[str] = set()
    for item, category in judgements:
        found = tally.setdefault(item, {})
        found[category] = found.get(category, 0) + 1
        categories.add(category)
    items, names = sorted(tally), sorted(categories)
    column = {name: index for index, name in enumerate(names)}
    counts = np.zeros((len(items), len(names)))
    for row, item in enumerate(items):
        for name, number in tally[item].items():
            counts[row, column[name]] = number
    return CategoryCounts(items, names, counts)


def krippendorff_alpha(counts: npt.ArrayLike) -> Agreement | None:
    """Krippendorff's alpha; None where no item has two judgements, or all judgements are the same.

    1 is perfect agreement, 0 what chance gives. The interval is by linearization over items.

    >>> found = krippendorff_alpha([[2, 0], [0, 2], [1, 1], [2, 0]])
    >>> round(found.value, 3)
    0.533
    """
    table = _judged_twice(counts)
    if table is None:
        return None
    people = table.sum(1)
    disagreement = (table * (people[:, None] - table)).sum(1) / (people - 1)
    totals, number = table.sum(0), table.sum()
    expected = number**2 - (totals**2).sum()
    if expected == 0:
        return None
    observed = disagreement.sum()
    value = 1 - (number - 1) * observed / expected
    # What an item changes: through its own disagreement, the number of judgements, and the totals of categories.
    change = (
        -(number - 1) * disagreement / expected
        - people * observed / expected
        + (number - 1) * observed / expected**2 * (2 * number * people - 2 * (table * totals).sum(1))
    )
    return _with_interval(value, change)


def fleiss_kappa(counts: npt.ArrayLike) -> Agreement | None:
    """Fleiss' kappa; items must have been judged by the same number of people, at least two.

    >>> round(fleiss_kappa([[2, 0], [0, 2], [1, 1], [2, 0]]).value, 3)
    0.467
    """
    table = _judged_twice(counts)
    if table is None:
        return None
    people = table.sum(1)
    if len(set(people.tolist())) > 1:
        raise ValueError("Fleiss' kappa needs the same number of judgements of every item; use alpha")
    raters = people[0]
    agreeing = ((table**2).sum(1) - raters) / (raters * (raters - 1))
    shares = table / raters
    mean = shares.mean(0)
    chance = (mean**2).sum()
    if chance == 1:
        return None
    value = (agreeing.mean() - chance) / (1 - chance)
    size = len(table)
    change = (agreeing - agreeing.mean()) / (1 - chance) - (1 - value) / (1 - chance) * 2 * (
        (shares * mean).sum(1) - chance
    )
    return _with_interval(value, change / size)


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> Agreement | None:
    """Cohen's kappa of two people over the items that both judged; None where chance agrees always.

    >>> round(cohen_kappa(["yes", "yes", "no", "no"], ["yes", "no", "no", "no"]).value, 3)
    0.5
    """
    if len(first) != len(second):
        raise ValueError("both people must have judged the same items")
    if not first:
        return None
    names = {name: index for index, name in enumerate(dict.fromkeys([*first, *second]))}
    left, right = (np.array([names[one] for one in each]) for each in (first, second))
    size = len(left)
    shares_left, shares_right = (np.bincount(each, minlength=len(names)) / size for each in (left, right))
    agreeing = (left == right).astype(np.float64)
    chance = float(shares_left @ shares_right)
    if chance == 1:
        return None
    value = (agreeing.mean() - chance) / (1 - chance)
    chance_change = shares_right[left] + shares_left[right] - 2 * chance
    change = (agreeing - agreeing.mean()) / (1 - chance) - (1 - value) / (1 - chance) * chance_change
    return _with_interval(float(value), change / size)


def _judged_twice(counts: npt.ArrayLike) -> Floats | None:
    table = np.asarray(counts, dtype=np.float64)
    table = table[table.sum(1) > 1] if table.size else table
    return table if len(table) else None


def _with_interval(value: float, change: Floats) -> Agreement:
    """``change`` is what each item changes the value by; its spread over items is that of the value."""
    size = len(change)
    if size < 2:
        return Agreement(float(value), None, None, size)
    error = sqrt(float(((change - change.mean()) ** 2).sum()) * size / (size - 1))
    half = _Z * error
    return Agreement(float(value), max(float(value) - half, -1.0), min(float(value) + half, 1.0), size)


class Share(NamedTuple):
    """A share with its Wilson interval at 95 %."""

    value: float
    low: float
    high: float


def wilson(successes: float, n: int) -> Share:
    """A share of n and its Wilson interval; a tie is half a success, so that successes need not be whole.

    >>> [round(end, 3) for end in wilson(45, 100)]
    [0.45, 0.356, 0.548]
    """
    share = successes / n
    return Share(share, *wilson_ends(share, n))


def wilson_ends(share: float, n: float) -> tuple[float, float]:
    """The ends of the Wilson interval of a share; n may be an effective number."""
    middle = (share + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = _Z * sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n)) / (1 + _Z * _Z / n)
    return min(max(middle - half, 0.0), share), max(min(middle + half, 1.0), share)
