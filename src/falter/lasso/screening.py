"""Correlations of all columns with many residuals in low precision, and how far they can be from the true ones."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from falter.lasso.pool import VectorPool, row_blocks

__all__ = ["Bfloat16Screen", "FloatScreen", "Screen", "bfloat16", "sum_rounding_bound"]

Scores = NDArray[np.float32] | NDArray[np.float64]

_KEPT_BYTES = 384 << 20
"""A rounded copy of the pool is kept if it is no larger than this, so that memory stays within the pool and 1 GB."""


class Screen(Protocol):
    """Products of the pool with unit vectors, each with a bound on its error."""

    output_rounding: float

    def scores(self, directions: NDArray[np.float64], out: Scores, workers: Executor | None) -> NDArray[np.float64]:
        """Fill a row of `out` for each direction; give for each the greatest error, the output's rounding apart."""


def sum_rounding_bound(width: int, unit: float) -> float:
    """A bound on the relative error of an inner product of that width in any order, inputs rounded once more."""
    return (width + 4) * unit * 1.05


def bfloat16(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Round to the nearest bfloat16, ties to even, and back."""
    bits = values.view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (rounded & np.uint32(0xFFFF0000)).view(np.float32)


class FloatScreen:
    """Screening in the precision the pool is stored in: float32, or float64 for comparison."""

    output_rounding = 0.0

    def __init__(self, pool: VectorPool) -> None:
        self._pool = pool
        unit = float(np.finfo(pool.vectors.dtype).eps) / 2
        self._error = sum_rounding_bound(pool.width, unit) * pool.norm

    def scores(self, directions: NDArray[np.float64], out: Scores, workers: Executor | None) -> NDArray[np.float64]:
        narrow = directions.astype(self._pool.vectors.dtype)

        def fill(part: tuple[int, NDArray[Any]]) -> None:
            begin, block = part
            np.matmul(narrow, block.T, out=out[:, begin : begin + len(block)])

        _each(fill, self._pool, workers)
        return np.full(len(directions), self._error)


class Bfloat16Screen:
    """Screening in bfloat16: by torch where it is installed, else rounded in numpy, which is exact but no faster."""

    output_rounding = 2.0**-8

    def __init__(self, pool: VectorPool) -> None:
        self._pool = pool
        try:
            import torch
        except ImportError:
            torch = None  # type: ignore[assignment]
        self._torch: Any = torch
        self._kept: Any = None
        if torch is not None and pool.vectors.size * 2 <= _KEPT_BYTES:
            self._kept = torch.empty(pool.vectors.shape, dtype=torch.bfloat16)
        lost = 0.0
        for begin, block in row_blocks(pool.vectors):
            rounded = bfloat16(block)
            difference = block - rounded
            lost = max(lost, float(np.einsum("ij,ij->i", difference, difference, dtype=np.float64).max()))
            if self._kept is not None:
                self._kept[begin : begin + len(block)] = torch.from_numpy(rounded)
        # What the pool's rounding loses is known; sums are kept in float32, in an order we do not choose.
        self._error = float(np.sqrt(lost)) + sum_rounding_bound(pool.width, 2.0**-23) * pool.norm

    def scores(self, directions: NDArray[np.float64], out: Scores, workers: Executor | None) -> NDArray[np.float64]:
        rounded = bfloat16(directions.astype(np.float32))
        torch = self._torch
        narrow = None if torch is None else torch.from_numpy(rounded).to(torch.bfloat16)

        def fill(part: tuple[int, NDArray[Any]]) -> None:
            begin, block = part
            place = out[:, begin : begin + len(block)]
            if torch is None:
                np.matmul(rounded, bfloat16(block).T, out=place)
                return
            kept = self._kept
            columns = torch.from_numpy(block).to(torch.bfloat16) if kept is None else kept[begin : begin + len(block)]
            torch.from_numpy(place).copy_(narrow @ columns.T)

        _each(fill, self._pool, workers)
        lost = np.linalg.norm(directions - rounded, axis=1)
        return np.asarray(self._error + lost * self._pool.norm * (1 + 2.0**-7))


def _each(fill: Any, pool: VectorPool, workers: Executor | None) -> None:
    parts = row_blocks(pool.vectors)
    for _ in map(fill, parts) if workers is None else workers.map(fill, parts):
        pass
