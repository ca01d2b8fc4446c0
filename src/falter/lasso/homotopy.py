"""The weighted homotopy of many small problems at once, in numpy or torch: the path that every backend follows.

Each problem is min 0.5 x'Gx - x'p + sum w|x| over a few hundred columns. Coefficients that are optimal for some
penalties w are continued to the ones asked for: all penalties fall in a straight line, and between two events (a column
joins, a coefficient reaches zero) coefficients and correlations are linear too. The inverse of the active part of G,
with zeros elsewhere, changes by one outer product per event, so that a batch of paths takes a few array operations per
step. These operations have the same names in numpy and in torch.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np


class Arrays(Protocol):
    """Operations over a batch: the first axis is the problem; reductions run over the last axis."""

    def where(self, condition: Any, first: Any, second: Any) -> Any: ...
    def maximum(self, first: Any, second: Any) -> Any: ...
    def minimum(self, first: Any, second: Any) -> Any: ...
    def sign(self, values: Any) -> Any: ...
    def sqrt(self, values: Any) -> Any: ...
    def sum(self, values: Any) -> Any: ...
    def amax(self, values: Any) -> Any: ...
    def count(self, values: Any) -> int: ...
    def arange(self, size: int) -> Any: ...
    def smallest(self, values: Any) -> tuple[Any, Any]: ...
    def matvec(self, matrix: Any, vector: Any) -> Any: ...
    def take_column(self, matrix: Any, column: Any) -> Any: ...
    def pick(self, values: Any, place: Any) -> Any: ...
    def add_outer(self, matrix: Any, vector: Any, factor: Any) -> Any: ...
    def clear(self, matrix: Any, column: Any, which: Any) -> Any: ...
    def masked_inverse(self, matrix: Any, mask: Any) -> Any: ...


class NumpyArrays:
    """Numpy arrays in float64."""

    def where(self, condition: Any, first: Any, second: Any) -> Any:
        return np.where(condition, first, second)

    def maximum(self, first: Any, second: Any) -> Any:
        return np.maximum(first, second)

    def minimum(self, first: Any, second: Any) -> Any:
        return np.minimum(first, second)

    def sign(self, values: Any) -> Any:
        return np.sign(values)

    def sqrt(self, values: Any) -> Any:
        return np.sqrt(values)

    def sum(self, values: Any) -> Any:
        return values.sum(axis=-1)

    def amax(self, values: Any) -> Any:
        return values.max(axis=-1)

    def count(self, values: Any) -> int:
        return int(np.count_nonzero(values))

    def arange(self, size: int) -> Any:
        return np.arange(size)

    def smallest(self, values: Any) -> tuple[Any, Any]:
        place = values.argmin(axis=-1)
        return self.pick(values, place), place

    def matvec(self, matrix: Any, vector: Any) -> Any:
        return np.matmul(matrix, vector[..., None])[..., 0]

    def take_column(self, matrix: Any, column: Any) -> Any:
        return matrix[np.arange(len(matrix)), column]

    def pick(self, values: Any, place: Any) -> Any:
        return values[np.arange(len(values)), place]

    def add_outer(self, matrix: Any, vector: Any, factor: Any) -> Any:
        matrix += (factor[:, None] * vector)[:, :, None] * vector[:, None, :]
        return matrix

    def clear(self, matrix: Any, column: Any, which: Any) -> Any:
        rows, columns = np.flatnonzero(which), column[which]
        matrix[rows, columns, :] = 0.0
        matrix[rows, :, columns] = 0.0
        return matrix

    def masked_inverse(self, matrix: Any, mask: Any) -> Any:
        if not mask.any():
            return np.zeros_like(matrix)
        both = mask[:, :, None] & mask[:, None, :]
        filled = np.where(both, matrix, np.eye(matrix.shape[-1]))
        try:
            inverse = np.linalg.inv(filled)
        except np.linalg.LinAlgError:  # one of them is singular to the last digit
            inverse = np.linalg.pinv(filled, hermitian=True)
        return np.where(both, inverse, 0.0)


class TorchArrays:
    """Torch tensors in float64, on any device."""

    def __init__(self, device: Any) -> None:
        import torch

        self._torch = torch
        self._device = device

    def maximum(self, first: Any, second: Any) -> Any:
        return self._torch.maximum(first, second)

    def minimum(self, first: Any, second: Any) -> Any:
        return self._torch.minimum(first, second)

    def sign(self, values: Any) -> Any:
        return self._torch.sign(values)

    def sqrt(self, values: Any) -> Any:
        return self._torch.sqrt(values)

    def where(self, condition: Any, first: Any, second: Any) -> Any:
        return self._torch.where(condition, first, second)

    def sum(self, values: Any) -> Any:
        return values.sum(dim=-1)

    def amax(self, values: Any) -> Any:
        return values.amax(dim=-1)

    def count(self, values: Any) -> int:
        return int(values.sum())

    def arange(self, size: int) -> Any:
        return self._torch.arange(size, device=self._device)

    def smallest(self, values: Any) -> tuple[Any, Any]:
        found = values.min(dim=-1)
        return found.values, found.indices

    def matvec(self, matrix: Any, vector: Any) -> Any:
        return self._torch.bmm(matrix, vector.unsqueeze(-1)).squeeze(-1)

    def take_column(self, matrix: Any, column: Any) -> Any:
        return matrix[self.arange(len(matrix)), column]

    def pick(self, values: Any, place: Any) -> Any:
        return values.gather(-1, place.unsqueeze(-1)).squeeze(-1)

    def add_outer(self, matrix: Any, vector: Any, factor: Any) -> Any:
        return matrix.baddbmm_((factor.unsqueeze(-1) * vector).unsqueeze(-1), vector.unsqueeze(1))

    def clear(self, matrix: Any, column: Any, which: Any) -> Any:
        rows = which.nonzero().squeeze(-1)
        columns = column[rows]
        matrix[rows, columns, :] = 0.0
        matrix[rows, :, columns] = 0.0
        return matrix

    def masked_inverse(self, matrix: Any, mask: Any) -> Any:
        torch = self._torch
        if not bool(mask.any()):
            return torch.zeros_like(matrix)
        both = mask[:, :, None] & mask[:, None, :]
        filled = torch.where(both, matrix, torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=self._device))
        return torch.where(both, torch.linalg.inv_ex(filled).inverse, 0.0)


DEPENDENT = 1e-11
"""What must be left of a column's squared length beyond the active ones for it to join as one more of them."""

NEGLIGIBLE = 1e-9
"""A share of an active column in a dependent one that is taken for rounding."""

STALE = 1e4
"""When a column leaves whose place in the inverse is larger than this, the inverse is built again."""

SLOW = 1e-12
"""A column that nears its penalty slower than this, relative to the fall of the penalty, does not join: duplicates."""

STEPS_PER_COLUMN = 8
"""Steps per column after which a path is given up."""

_INFINITE = float("inf")

_PARTS = (
    "gram",
    "corr",
    "coef",
    "inverse",
    "sign",
    "rate",
    "slow",
    "left",
    "stop",
    "skipped",
    "barred",
    "alive",
    "rows",
)


def follow_paths(
    arrays: Arrays, gram: Any, corr: Any, coef: Any, start: Any, stop: Any, *, nonnegative: bool
) -> tuple[Any, Any, Any]:
    """Continue coefficients that are optimal at the penalties `start` to `stop`; coefficients, inverses and success.

    Shapes: gram (q, m, m), corr and coef (q, m), start and stop (q). Zeros in gram and corr are padding: a column
    without length never reaches a penalty above zero. The inverses are those of the active columns' Gram matrices, with
    zeros elsewhere.
    """
    paths = _Paths(arrays, gram, corr, coef, start, stop, nonnegative)
    coefs, inverses, fine = coef + 0.0, paths.inverse + 0.0, ~paths.alive
    for step in range(STEPS_PER_COLUMN * corr.shape[1] + 50):
        if step % 8 == 0 and not paths.keep_those_alive():
            break
        ended = paths.step()
        if ended is not None:
            at = paths.rows[ended]
            coefs[at], inverses[at], fine[at] = paths.coef[ended], paths.inverse[ended], True
    return coefs, inverses, fine


class _Paths:
    """The state of each path, advanced by one event at a time for all of them."""

    def __init__(
        self, arrays: Arrays, gram: Any, corr: Any, coef: Any, start: Any, stop: Any, nonnegative: bool
    ) -> None:
        self.arrays = arrays
        self.nonnegative = nonnegative
        self.gram, self.corr, self.coef, self.stop = gram, corr, coef, stop
        self.sign = arrays.sign(coef)
        inside = self.sign != 0
        self.inverse = arrays.masked_inverse(gram, inside)
        size = arrays.where(inside, -_INFINITE, corr if nonnegative else abs(corr))
        span = arrays.maximum(arrays.maximum(arrays.amax(size), start) - stop, 0.0 * stop)
        self.rate = arrays.where(inside, (start - stop)[:, None], span[:, None])
        self.slow = SLOW * span
        self.left = 0.0 * span + 1.0
        self.alive = span > 0
        self.barred = coef != coef + 0.0
        self.rows = arrays.arange(corr.shape[0])
        self.skipped = -1 + 0 * self.rows
        self.places = arrays.arange(corr.shape[1])[None, :]

    def keep_those_alive(self) -> bool:
        """Drop paths that have ended once they are many; False when all have."""
        count = self.arrays.count(self.alive)
        if 0 < count <= 0.85 * self.alive.shape[0]:
            alive = self.alive
            for part in _PARTS:
                setattr(self, part, getattr(self, part)[alive])
        return count > 0

    def step(self) -> Any:
        """Advance each path to its next event; which paths ended, or None."""
        xp = self.arrays
        move = xp.matvec(self.inverse, self.sign * self.rate)
        drift = -xp.matvec(self.gram, move)
        leaving, leave_at = self._first_to_leave(move)
        joining, join_at, join_sign = self._first_to_join(drift)
        joins = self.alive & (joining < self.left) & (joining < leaving)
        leaves = self.alive & ~joins & (leaving < self.left)
        ended = self.alive & ~joins & ~leaves
        time = xp.maximum(xp.minimum(xp.minimum(leaving, joining), self.left), 0.0 * self.left)
        time = xp.where(self.alive, time, 0.0)
        self.coef = self.coef + time[:, None] * move
        self.corr = self.corr + time[:, None] * drift
        self.left = self.left - time
        self._change(joins, join_at, join_sign, leaves, leave_at)
        self.alive = self.alive & ~ended
        return ended if xp.count(ended) else None

    def _first_to_leave(self, move: Any) -> tuple[Any, Any]:
        xp = self.arrays
        shrinking = self.sign * move < 0
        return xp.smallest(xp.where(shrinking, -self.coef / xp.where(shrinking, move, 1.0), _INFINITE))

    def _first_to_join(self, drift: Any) -> tuple[Any, Any, Any]:
        xp = self.arrays
        free = (self.sign == 0) & ~self.barred & (self.places != self.skipped[:, None])
        weight = self.stop[:, None] + self.rate * self.left[:, None]

        def meeting(side: float) -> Any:
            closing = self.rate + side * drift
            fast = free & (closing > self.slow[:, None])
            return xp.where(fast, (weight - side * self.corr) / xp.where(fast, closing, 1.0), _INFINITE)

        time, at = xp.smallest(meeting(1.0))
        if self.nonnegative:
            return time, at, 0.0 * self.left + 1.0
        other, other_at = xp.smallest(meeting(-1.0))
        negative = other < time
        return (
            xp.minimum(time, other),
            xp.where(negative, other_at, at),
            xp.where(negative, -1.0, 1.0 + 0.0 * self.left),
        )

    def _change(self, joins: Any, join_at: Any, join_sign: Any, leaves: Any, leave_at: Any) -> None:
        """Let a column join or leave each path: one outer product on the inverse."""
        xp = self.arrays
        touch = xp.take_column(self.gram, join_at)
        along = xp.matvec(self.inverse, touch)
        length = xp.pick(touch, join_at)
        rest = length - xp.sum(along * touch)
        dependent = joins & (rest <= DEPENDENT)
        if xp.count(dependent):
            self._make_room(dependent, join_at, join_sign, along)
            along = xp.matvec(self.inverse, touch)
            rest = length - xp.sum(along * touch)
            stuck = joins & (rest <= DEPENDENT)
            self.alive = self.alive & (~stuck | self._barred_at(join_at))
            joins = joins & ~stuck
            keep_skipped = dependent
        else:
            keep_skipped = None
        here = (self.places == join_at[:, None]) & joins[:, None]
        border = (along - xp.where(here, 1.0, 0.0)) / xp.sqrt(xp.where(joins, rest, 1.0))[:, None]
        column, stale = self._column_leaving(leaves, leave_at)
        vector = xp.where(joins[:, None], border, xp.where(leaves[:, None], column, 0.0))
        self.inverse = xp.add_outer(self.inverse, vector, xp.where(leaves, -1.0, 1.0))
        self.sign = xp.where(here, join_sign[:, None], self.sign)
        skipped = -1 + 0 * leave_at
        self.skipped = skipped if keep_skipped is None else xp.where(keep_skipped, self.skipped, skipped)
        self._forget(leaves, leave_at, stale)

    def _barred_at(self, place: Any) -> Any:
        return self.arrays.pick(self.barred, place)

    def _column_leaving(self, leaves: Any, leave_at: Any) -> tuple[Any, Any]:
        xp = self.arrays
        column = xp.take_column(self.inverse, leave_at)
        pivot = xp.pick(column, leave_at)
        sound = leaves & (pivot > 0) & (pivot <= STALE)
        return column / xp.sqrt(xp.where(sound, pivot, 1.0))[:, None], leaves & ~sound

    def _forget(self, leaves: Any, leave_at: Any, stale: Any) -> None:
        """Clear the place of columns that left; build inverses again in which large numbers have cancelled."""
        xp = self.arrays
        gone = (self.places == leave_at[:, None]) & leaves[:, None]
        self.coef = xp.where(gone, 0.0, self.coef)
        self.sign = xp.where(gone, 0.0, self.sign)
        self.skipped = xp.where(leaves, leave_at, self.skipped)
        self.inverse = xp.clear(self.inverse, leave_at, leaves)
        if xp.count(stale):
            self.inverse[stale] = xp.masked_inverse(self.gram[stale], self.sign[stale] != 0)

    def _make_room(self, dependent: Any, join_at: Any, join_sign: Any, along: Any) -> None:
        """Let columns in the span of the active ones replace the first that this brings to zero."""
        xp = self.arrays
        share = join_sign[:, None] * along * self.sign
        losing = share > NEGLIGIBLE
        begin, out = xp.smallest(xp.where(losing, abs(self.coef) / xp.where(losing, share, 1.0), _INFINITE))
        swaps = dependent & (begin < _INFINITE)
        here = self.places == join_at[:, None]
        self.barred = self.barred | (here & (dependent & ~swaps)[:, None])
        amount = xp.where(swaps, join_sign * xp.where(swaps, begin, 0.0), 0.0)[:, None]
        change = amount * (xp.where(here, 1.0, 0.0) - along)
        self.coef = self.coef + change
        self.corr = self.corr - xp.matvec(self.gram, change)
        column, stale = self._column_leaving(swaps, out)
        self.inverse = xp.add_outer(self.inverse, xp.where(swaps[:, None], column, 0.0), -1.0 + 0.0 * self.left)
        self._forget(swaps, out, stale)
