"""The pool of vectors, and its products with many residuals in low precision, each with a bound on its error.

The largest of many scores are selected without sorting: a threshold from a strided sample, then one scan. With torch,
the columns nearest to each residual are found without ever holding all the scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from falter.core.errors import UsageError

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


_SAMPLE = 2048
"""About how many scores are sampled at least; all of them, if they are no more than this."""

_SAMPLED_RANK = 10
"""About the rank, in the sample, of the threshold: a lower one would leave the number above it to chance."""


def indices_above(scores: NDArray[Any], cut: float, nonnegative: bool) -> NDArray[np.int64]:
    """The indices of all scores above a cut; of all absolute scores where both signs count."""
    return np.flatnonzero(scores > cut if nonnegative else np.abs(scores) > cut)


def share_above(scores: NDArray[Any], cut: float, nonnegative: bool) -> float:
    """About what share of the scores is above a cut."""
    scores = scores[:: _stride(scores)]
    return float(np.count_nonzero(scores > cut if nonnegative else np.abs(scores) > cut)) / len(scores)


def largest_above(scores: NDArray[Any], cut: float, count: int, nonnegative: bool) -> NDArray[np.int64]:
    """The indices of the `count` largest scores above a cut, in rising order; fewer if fewer are above."""
    values = scores if nonnegative else np.abs(scores)
    sampled = count + count // 2
    stride = max(1, min(_stride(values), sampled // _SAMPLED_RANK))
    while stride > 1 and sampled < len(values) // 2:
        sample = values[::stride]
        rank = len(sample) - (sampled // stride + 1)
        threshold = float(np.partition(sample, rank)[rank])
        if threshold <= cut:
            break
        found = np.flatnonzero(values > threshold)
        if len(found) >= count:
            return _best(values, found, count)
        sampled *= 2
    return _best(values, np.flatnonzero(values > cut), count)


def _stride(scores: NDArray[Any]) -> int:
    return max(1, len(scores) // _SAMPLE)


def _best(values: NDArray[Any], found: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    if len(found) <= count:
        return found
    return np.sort(found[np.argpartition(-values[found], count - 1)[:count]])


_COLUMNS_AT_ONCE = 32768

_OUTPUT_ROUNDING = {"f64": 0.0, "f32": 0.0, "bf16": 2.0**-8, "f16": 2.0**-10}
_SMALLEST = {"f64": 0.0, "f32": 0.0, "bf16": 0.0, "f16": 2.0**-24}
"""What a number too small for float16 can lose."""


class Nearest(NamedTuple):
    """The strongest columns of each problem by falling score, and how far the scores can be off."""

    columns: Any
    scores: Any
    errors: Any
    output_rounding: float


class TorchScreen:
    """The pool on a device, exact and rounded; a last row of zeros stands for no column."""

    def __init__(self, pool: VectorPool, device: Any, dtype: str) -> None:
        import torch

        self._torch = torch
        self.size, self.width, self.norm = pool.size, pool.width, pool.norm
        self.device = device
        exact = torch.float64 if dtype == "f64" else torch.float32
        self.vectors = torch.zeros((pool.size + 1, pool.width), dtype=exact, device=device)
        for begin, block in row_blocks(pool.vectors):
            self.vectors[begin : begin + len(block)] = torch.from_numpy(block).to(device)
        self._narrow_type = {"f64": torch.float64, "f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}[
            dtype
        ]
        self._dtype = dtype
        narrow = self._narrow_type
        self._narrow = self.vectors[:-1] if narrow == exact else torch.empty_like(self.vectors[:-1], dtype=narrow)
        lost = 0.0
        if narrow != exact:
            for begin in range(0, pool.size, _COLUMNS_AT_ONCE):
                part = self.vectors[:-1][begin : begin + _COLUMNS_AT_ONCE]
                self._narrow[begin : begin + len(part)] = part.to(narrow)
                rest = part - self._narrow[begin : begin + len(part)].to(exact)
                lost = max(lost, float(rest.to(torch.float64).square().sum(dim=1).max().sqrt()))
        # Matrix units keep sums in float32, but not all of them round to nearest.
        unit = 2.0**-53 if dtype == "f64" else 2.0**-22
        self._error = lost + sum_rounding_bound(pool.width, unit) * pool.norm + _SMALLEST[dtype]

    def nearest(self, directions: Any, count: int, nonnegative: bool) -> Nearest:
        """The `count` columns with the largest scores (or absolute scores) for each unit vector."""
        torch = self._torch
        rounded = directions.to(self._narrow_type)
        lost = (directions - rounded.to(directions.dtype)).norm(dim=1)
        count = min(count, self.size)
        best: Any = None
        columns: Any = None
        with _full_sums(torch):
            for begin in range(0, self.size, _COLUMNS_AT_ONCE):
                block = self._narrow[begin : begin + _COLUMNS_AT_ONCE]
                scores = rounded @ block.T
                if not nonnegative:
                    scores = scores.abs()
                found = scores.topk(min(count, scores.shape[1]), dim=1)
                if best is None:
                    best, columns = found.values, found.indices
                    continue
                values = torch.cat([best, found.values], dim=1)
                places = torch.cat([columns, found.indices + begin], dim=1)
                best, order = values.topk(min(count, values.shape[1]), dim=1)
                columns = places.gather(1, order)
        errors = self._error + lost * self.norm * (1 + 2.0**-7)
        return Nearest(columns, best.to(torch.float64), errors, _OUTPUT_ROUNDING[self._dtype])


@contextmanager
def _full_sums(torch: Any) -> Iterator[None]:
    """Have matrix products keep their sums in float32, and float32 inputs as they are."""
    matmul = torch.backends.cuda.matmul
    names = ("allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction", "allow_tf32")
    before = {name: getattr(matmul, name) for name in names}
    try:
        for name in names:
            setattr(matmul, name, False)
        yield
    finally:
        for name, value in before.items():
            setattr(matmul, name, value)
