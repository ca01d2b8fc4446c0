"""The pool of vectors to rank: checked once, with its greatest norm and its duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from falter.core.errors import UsageError

__all__ = ["VectorPool", "check_vectors", "row_blocks"]

_BLOCK = 8192
"""Rows processed together: a few megabytes, and the same for any number of threads, so that sums are too."""


class VectorPool:
    """Vectors as rows, their greatest norm, and for each the first row that is equal to it."""

    def __init__(self, vectors: NDArray[Any], first: NDArray[np.int64], norm: float) -> None:
        self.vectors = vectors
        self.first = first
        self.norm = norm
        self.size, self.width = vectors.shape
        self.distinct = bool((first == np.arange(self.size)).all())

    @classmethod
    def from_vectors(cls, vectors: Any, dtype: type[np.floating[Any]]) -> VectorPool:
        """Make a pool, without a copy where type and layout allow; find duplicates and the greatest norm."""
        checked = check_vectors(vectors, "the pool", dtype)
        squares = max(
            float(np.einsum("ij,ij->i", block, block, dtype=np.float64).max()) for _, block in row_blocks(checked)
        )
        return cls(checked, _first_equal_rows(checked), float(np.sqrt(squares)) * (1 + 1e-12))

    def without_repeats(self, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some columns that are not the duplicate of an earlier one."""
        return columns if self.distinct else columns[self.first[columns] == columns]


def row_blocks(vectors: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
    """Blocks of rows with the index of their first."""
    for begin in range(0, len(vectors), _BLOCK):
        yield begin, vectors[begin : begin + _BLOCK]


def check_vectors(vectors: Any, what: str, dtype: type[np.floating[Any]], *, width: int | None = None) -> NDArray[Any]:
    """Give vectors as a finite two-dimensional array of a type, or raise UsageError with what is wrong."""
    array = np.asanyarray(vectors)
    if array.ndim == 1 and width is not None:
        array = array[None, :]
    if array.ndim != 2:
        raise UsageError(f"{what}: vectors must be a table of rows, not an array of {array.ndim} dimensions")
    if array.dtype.kind not in "fiu":
        raise UsageError(f"{what}: vectors must be numbers, not {array.dtype}")
    if array.shape[1] == 0 or (width is None and array.shape[0] == 0):
        raise UsageError(f"{what}: there are no vectors in an array of shape {array.shape}")
    if width is not None and array.shape[1] != width:
        raise UsageError(f"{what}: vectors of width {array.shape[1]}, but the pool's have width {width}")
    array = np.ascontiguousarray(array, dtype=dtype)
    for begin, block in row_blocks(array):
        fine = np.isfinite(block).all(axis=1)
        if not fine.all():
            raise UsageError(f"{what}: vector {begin + int(np.argmin(fine))} holds a NaN or an infinite number")
    return array


def _first_equal_rows(vectors: NDArray[Any]) -> NDArray[np.int64]:
    """For each row the lowest index of a row equal to it: by a hash of the bits, then by comparison."""
    size, width = vectors.shape
    unsigned = np.uint32 if vectors.dtype == np.float32 else np.uint64
    factors = np.random.default_rng(0).integers(1, 2**63, size=width, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    hashes = np.empty(size, np.uint64)
    for begin, block in row_blocks(vectors):
        bits = (block + block.dtype.type(0)).view(unsigned)  # a negative zero is a zero
        hashes[begin : begin + len(block)] = (bits.astype(np.uint64) * factors).sum(axis=1, dtype=np.uint64)
    _, lowest, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    first = lowest[inverse].astype(np.int64)
    for j in np.flatnonzero(first != np.arange(size)):
        if not np.array_equal(vectors[j], vectors[first[j]]):  # two rows with one hash
            first[j] = j
    return first
