"""Screening with torch: the columns nearest to each residual, without ever holding all the scores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from falter.lasso.pool import VectorPool, row_blocks
from falter.lasso.screening import sum_rounding_bound

__all__ = ["Nearest", "TorchScreen"]

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
