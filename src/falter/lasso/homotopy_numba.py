"""The weighted homotopy of one problem, compiled: a path from penalties solved already to the one asked for.

The same path as in `homotopy`, in loops over the active columns alone. Efron, Hastie, Johnstone and Tibshirani (Least
angle regression, 2004) follow one penalty for all columns; here the active columns start at the penalty they were
solved at and the new ones at the largest correlation among them, so that a solution can be continued with more columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from falter.lasso.homotopy import DEPENDENT, NEGLIGIBLE, SLOW, STALE, STEPS_PER_COLUMN

Floats = NDArray[np.float64]


def _compile(function: Callable[..., Any]) -> Any:
    """Compile a function without the interpreter's lock, kept on disk where some folder can be written to."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}
    try:
        return numba.njit(function, cache=True, **options)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return numba.njit(function, **options)


@_compile
def _times(inverse: Floats, vector: Floats, size: int, out: Floats) -> None:
    """The product of a symmetric matrix with a vector, by rows, which the compiler can do several numbers at a time."""
    for j in range(size):
        out[j] = 0.0
    for i in range(size):
        value = vector[i]
        row = inverse[i]
        for j in range(size):
            out[j] += value * row[j]


@_compile
def _enter(
    column: int, size: int, gram: Floats, active: NDArray[np.int64], inverse: Floats, touch: Floats, along: Floats
) -> bool:
    """Border the inverse of the active Gram matrix by one column; False if the column depends on the active ones.

    `along` becomes the column's coordinates in the active ones.
    """
    for i in range(size):
        touch[i] = gram[column, active[i]]
    _times(inverse, touch, size, along)
    rest = gram[column, column]
    for i in range(size):
        rest -= along[i] * touch[i]
    if rest <= DEPENDENT:
        return False
    for i in range(size):
        scaled = along[i] / rest
        row = inverse[i]
        for j in range(size):
            row[j] += scaled * along[j]
        row[size] = -scaled
        inverse[size, i] = -scaled
    inverse[size, size] = 1.0 / rest
    active[size] = column
    return True


@_compile
def _leave(
    position: int,
    size: int,
    gram: Floats,
    active: NDArray[np.int64],
    inverse: Floats,
    values: Floats,
    sign: Floats,
    touch: Floats,
    along: Floats,
) -> bool:
    """Remove one column from the active ones and their inverse; the last one replaces it. False if that failed."""
    last = size - 1
    if position != last:
        for j in range(size):
            inverse[position, j], inverse[last, j] = inverse[last, j], inverse[position, j]
        for j in range(size):
            inverse[j, position], inverse[j, last] = inverse[j, last], inverse[j, position]
        active[position] = active[last]
        values[position] = values[last]
        sign[position] = sign[last]
    pivot = inverse[last, last]
    for i in range(last):
        scaled = inverse[last, i] / pivot
        row = inverse[i]
        for j in range(last):
            row[j] -= scaled * inverse[last, j]
    if not 0.0 < pivot <= STALE:
        # What was large has cancelled, and so have its digits: build the inverse again.
        for i in range(last):
            if not _enter(active[i], i, gram, active, inverse, touch, along):
                return False
    return True


@_compile
def _directions(
    size: int,
    gram: Floats,
    active: NDArray[np.int64],
    inverse: Floats,
    sign: Floats,
    rate: Floats,
    push: Floats,
    move: Floats,
    drift: Floats,
) -> None:
    """How fast coefficients and correlations change as the penalties fall."""
    for i in range(size):
        push[i] = sign[i] * rate[active[i]]
    _times(inverse, push, size, move)
    drift[:] = 0.0
    for i in range(size):
        value = move[i]
        row = gram[active[i]]
        for j in range(drift.size):
            drift[j] -= value * row[j]


@_compile
def _next_event(
    size: int,
    values: Floats,
    sign: Floats,
    move: Floats,
    corr: Floats,
    drift: Floats,
    rate: Floats,
    free: NDArray[np.bool_],
    left: float,
    stop: float,
    slow: float,
    skipped: int,
    nonnegative: bool,
) -> tuple[float, int, int, float]:
    """When the next event is, which active position drops out, or which column joins and with which sign."""
    nearest = left
    dropped = -1
    joined = -1
    joined_sign = 1.0
    for i in range(size):
        if move[i] * sign[i] < 0.0 and -values[i] / move[i] < nearest:
            nearest = -values[i] / move[i]
            dropped = i
    for j in range(corr.size):
        if free[j] and j != skipped:
            weight = stop + rate[j] * left
            closing = rate[j] + drift[j]
            if closing > slow and weight - corr[j] < nearest * closing:
                nearest = (weight - corr[j]) / closing
                joined = j
                joined_sign = 1.0
            if not nonnegative:
                closing = rate[j] - drift[j]
                if closing > slow and weight + corr[j] < nearest * closing:
                    nearest = (weight + corr[j]) / closing
                    joined = j
                    joined_sign = -1.0
    return max(nearest, 0.0), dropped, joined, joined_sign


@_compile
def _make_room(
    column: int,
    column_sign: float,
    size: int,
    gram: Floats,
    corr: Floats,
    active: NDArray[np.int64],
    values: Floats,
    sign: Floats,
    along: Floats,
) -> tuple[float, int]:
    """Move weight to a column in the span of the active ones until one of them is at zero: how much, and which one."""
    begin = np.inf
    dropped = -1
    for i in range(size):
        lost = column_sign * along[i]
        if lost * sign[i] > NEGLIGIBLE and values[i] / lost < begin:
            begin = values[i] / lost
            dropped = i
    if dropped < 0:
        return 0.0, -1
    for i in range(size):
        value = -column_sign * begin * along[i]
        values[i] += value
        row = gram[active[i]]
        for j in range(corr.size):
            corr[j] -= value * row[j]
    row = gram[column]
    for j in range(corr.size):
        corr[j] -= column_sign * begin * row[j]
    return begin, dropped


@_compile
def follow_path(  # noqa: PLR0912, PLR0915 (one loop over shared arrays, which would only travel between its parts)
    gram: Floats,
    corr: Floats,
    coef: Floats,
    inverse: Floats,
    active: NDArray[np.int64],
    size: int,
    start: float,
    stop: float,
    nonnegative: bool,
) -> int:
    """Continue coefficients optimal at penalty `start` to `stop`, in place; the number active, or -1 if stuck.

    The first `size` of `active` are the columns with a coefficient, and `inverse` that of their Gram matrix.
    """
    columns = corr.size
    values = np.zeros(columns + 1)
    sign = np.zeros(columns + 1)
    push = np.zeros(columns + 1)
    move = np.zeros(columns + 1)
    touch = np.zeros(columns + 1)
    along = np.zeros(columns + 1)
    drift = np.zeros(columns)
    free = np.ones(columns, np.bool_)
    for i in range(size):
        values[i] = coef[active[i]]
        sign[i] = 1.0 if values[i] > 0 else -1.0
        free[active[i]] = False
    level = start
    for j in range(columns):
        if free[j]:
            level = max(level, corr[j] if nonnegative else abs(corr[j]))
    if level <= stop:
        return size
    rate = np.full(columns, level - stop)
    for i in range(size):
        rate[active[i]] = start - stop
    slow = SLOW * (level - stop)
    left = 1.0
    skipped = -1
    for _ in range(STEPS_PER_COLUMN * columns + 50):
        _directions(size, gram, active, inverse, sign, rate, push, move, drift)
        time, dropped, joined, joined_sign = _next_event(
            size, values, sign, move, corr, drift, rate, free, left, stop, slow, skipped, nonnegative
        )
        for i in range(size):
            values[i] += time * move[i]
        for j in range(columns):
            corr[j] += time * drift[j]
        left -= time
        skipped = -1
        if joined >= 0:
            free[joined] = False
            begin = 0.0
            if not _enter(joined, size, gram, active, inverse, touch, along):
                begin, dropped = _make_room(joined, joined_sign, size, gram, corr, active, values, sign, along)
                if dropped < 0:
                    continue
                skipped = active[dropped]
                free[skipped] = True
                if not _leave(dropped, size, gram, active, inverse, values, sign, touch, along):
                    return -1
                size -= 1
                if not _enter(joined, size, gram, active, inverse, touch, along):
                    return -1
            values[size] = joined_sign * begin
            sign[size] = joined_sign
            size += 1
        elif dropped >= 0:
            skipped = active[dropped]
            free[skipped] = True
            if not _leave(dropped, size, gram, active, inverse, values, sign, touch, along):
                return -1
            size -= 1
        else:
            coef[:] = 0.0
            for i in range(size):
                coef[active[i]] = values[i]
            return size
    return -1
