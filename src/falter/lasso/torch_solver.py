"""The solver by torch on a device: the same steps as on the CPU, for thousands of problems at once.

The working sets of many problems are solved at once: by homotopy, then polished in float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from falter.core.errors import UsageError
from falter.core.optional_packages import import_package
from falter.lasso.cpu_solver import CpuSolver
from falter.lasso.homotopy import TorchArrays, follow_paths
from falter.lasso.results import Solution
from falter.lasso.screening import Nearest, TorchScreen, VectorPool, sum_rounding_bound

_REFINEMENTS = 4
_SIGN_ITERATIONS = 8


def continue_paths(
    vectors: Any, queries: Any, residuals: Any, columns: Any, coef: Any, start: Any, stop: Any, *, nonnegative: bool
) -> tuple[Any, Any, Any]:
    """Solve each problem on its own columns, from penalty `start` to `stop`; coefficients, residuals, success.

    `columns` (q, m) index the rows of `vectors`, whose last row is zero and stands for no column.
    """
    arrays = TorchArrays(vectors.device)
    rows = vectors[columns].to(queries.dtype)
    gram = rows @ rows.mT
    corr = arrays.matvec(rows, residuals)
    coef, inverse, fine = follow_paths(arrays, gram, corr, coef, start, stop, nonnegative=nonnegative)
    sign = coef.sign()
    for _ in range(_SIGN_ITERATIONS):
        coef, residuals = _refine(arrays, rows, queries, coef, inverse, sign, stop)
        wrong = (coef * sign <= 0) & (sign != 0)
        if not bool(wrong.any()):
            break
        coef, sign = coef.masked_fill(wrong, 0.0), sign.masked_fill(wrong, 0.0)
        some = wrong.any(dim=1)
        inverse[some] = arrays.masked_inverse(gram[some], sign[some] != 0)
    right = ((arrays.matvec(rows, residuals) - stop[:, None] * sign).abs() * (sign != 0)).amax(
        dim=1
    ) <= 1e-6 * stop + 1e-13
    return coef, residuals, fine & right & ~wrong.any(dim=1)


def _refine(
    arrays: TorchArrays, rows: Any, queries: Any, coef: Any, inverse: Any, sign: Any, stop: Any
) -> tuple[Any, Any]:
    """Newton's steps with true residuals, until the active columns' correlations equal the penalty."""
    residuals = queries - arrays.matvec(rows.mT, coef)
    for _ in range(_REFINEMENTS):
        error = (arrays.matvec(rows, residuals) - stop[:, None] * sign) * (sign != 0)
        if float(error.abs().max()) <= 1e-15:
            break
        coef = coef + arrays.matvec(inverse, error)
        residuals = queries - arrays.matvec(rows.mT, coef)
    return coef, residuals


_BATCH = 16384
_FIRST_COLUMNS = 128
_MORE_COLUMNS = 48
_LIKE, _FEW = 1.4, 2048
"""How much larger than the smallest the largest support of problems solved together may be, unless they are few: then
the device waits for the next operation more than it works."""
_CLEAR = 24
"""With fewer new columns clearly above the penalty than this, correlations are computed in float64."""
_NEAREST = 384
_BESIDE_THE_SUPPORT = 160
"""The strongest columns kept at each pass: the support is among them, and there must be room for others."""
_MAX_ITERATIONS = 40
_ITERATIONS_BEFORE_MORE = 8
"""Iterations after which more of the nearest columns are kept at each pass, since the remaining problems need them."""
_FALL = 0.5
_SMALL_BYTES = 384 << 20
"""Room for the columns and Gram matrices of the small problems solved together; on a GPU a third of its memory."""


class TorchSolver:
    """Solves problems in large batches over a pool on a device; the few that do not end there go to the CPU."""

    def __init__(self, pool: VectorPool, device: str, dtype: str, batch: int | None) -> None:
        torch = import_package("torch", "backend torch")
        if device.startswith("cuda") and not torch.cuda.is_available():
            raise UsageError(f"there is no device {device} here")
        self._torch = torch
        self._pool = pool
        try:
            self._device = torch.device(device)
        except RuntimeError as error:
            raise UsageError(f"there is no device {device}: take cpu or cuda") from error
        self._screen = TorchScreen(pool, self._device, dtype)
        self._batch = batch or (_BATCH if self._device.type != "cpu" else 256)
        self._room = _SMALL_BYTES
        if self._device.type == "cuda":
            self._room = torch.cuda.get_device_properties(self._device).total_memory // 3
        first = torch.from_numpy(pool.first)
        self._first = None if bool((first == torch.arange(pool.size)).all()) else first.to(self._device)

    def solve(
        self, queries: NDArray[Any], penalties: Sequence[float], nonnegative: bool, tolerance: float
    ) -> Iterator[Solution]:
        """Solve each query at falling penalties."""
        left: list[int] = []
        with self._torch.inference_mode():
            for begin in range(0, len(queries), self._batch):
                batch = _Batch(self, queries[begin : begin + self._batch], nonnegative, tolerance)
                found = []
                for step, penalty in enumerate(penalties):
                    batch.solve(penalty)
                    found.append(batch.solutions(step, begin))
                ended = batch.ended.cpu().numpy()
                left += (begin + np.flatnonzero(~ended)).tolist()
                for some in found:
                    yield from (one for one in some if ended[one.query_index - begin])
        if left:
            solver = CpuSolver(
                self._pool, "f64" if self._pool.vectors.dtype == np.float64 else "f32", None, None, "auto"
            )
            for one in solver.solve(queries[left], penalties, nonnegative, tolerance):
                yield one._replace(query_index=left[one.query_index])


class _Batch:
    """The state of some problems on the device."""

    def __init__(self, solver: TorchSolver, queries: NDArray[Any], nonnegative: bool, tolerance: float) -> None:
        self.torch = solver._torch
        self.solver = solver
        self.nonnegative = nonnegative
        self.tolerance = tolerance
        torch, device = self.torch, solver._device
        count = len(queries)
        self.queries = torch.from_numpy(queries).to(device).to(torch.float64)
        self.lengths = self.queries.norm(dim=1)
        self.residuals = self.queries.clone()
        self.columns = torch.full((count, 1), solver._screen.size, dtype=torch.int64, device=device)
        self.values = torch.zeros((count, 1), dtype=torch.float64, device=device)
        self.level = torch.full((count,), torch.inf, dtype=torch.float64, device=device)
        self.gap = torch.full_like(self.level, torch.inf)
        self.passes = torch.zeros(count, dtype=torch.int64, device=device)
        self.ended = torch.ones(count, dtype=torch.bool, device=device)

    def solve(self, penalty: float) -> None:
        """Continue the problems from their current solutions to a smaller penalty."""
        torch = self.torch
        open_now = self.lengths > 0
        self.gap = torch.zeros_like(self.lengths).masked_fill(open_now, torch.inf)
        self.passes.zero_()
        nearest = _NEAREST
        for iteration in range(_MAX_ITERATIONS):
            indices = open_now.nonzero().squeeze(1)
            if len(indices) == 0:
                break
            self.passes[indices] += 1
            done = self._iterate(indices, penalty, max(nearest, self.columns.shape[1] + _BESIDE_THE_SUPPORT))
            open_now[indices[done]] = False
            if iteration >= _ITERATIONS_BEFORE_MORE:
                nearest = min(2 * nearest, self.solver._screen.size)
        self.ended &= ~open_now

    def solutions(self, step: int, begin: int) -> list[Solution]:
        """The solutions so far, problem by problem, in CPU memory."""
        columns, values = self.columns.cpu().numpy(), self.values.cpu().numpy()
        gap, passes = self.gap.cpu().numpy(), self.passes.cpu().numpy()
        certified = (self.gap <= self.tolerance * 0.5 * self.lengths**2).cpu().numpy()
        kept = values != 0
        return [
            Solution(
                step,
                begin + i,
                columns[i][kept[i]],
                values[i][kept[i]],
                float(gap[i]),
                bool(certified[i]),
                int(passes[i]),
            )
            for i in range(len(gap))
        ]

    def _iterate(self, indices: Any, penalty: float, count: int) -> Any:
        """One pass for the open problems, and what follows from it; which of them are done."""
        torch, screen = self.torch, self.solver._screen
        residuals = self.residuals[indices]
        lengths = residuals.norm(dim=1).clamp_min(1e-300)
        near = screen.nearest(residuals / lengths[:, None], count, self.nonnegative)
        if self.solver._first is not None:
            near = near._replace(columns=_each_once(torch, self.solver._first[near.columns], screen.size))
        fresh = ~self._in_support(indices, near.columns) & (near.columns < screen.size)
        top = (near.scores[:, 0] * (1 + near.output_rounding) + near.errors) * lengths
        level = torch.where(torch.isinf(self.level[indices]), top.clamp_min(penalty), self.level[indices])
        self.level[indices] = level
        target = (level * _FALL).clamp_min(penalty) if not self.nonnegative else torch.full_like(level, penalty)
        clear = fresh & (near.scores * lengths[:, None] > (target + near.errors * lengths)[:, None])
        many = clear.sum(dim=1) >= min(_CLEAR, screen.size)
        done = torch.zeros_like(many)
        if bool(many.any()):
            self._extend(indices[many], near.columns[many], clear[many], target[many])
        few = ~many
        if bool(few.any()):
            some = near._replace(columns=near.columns[few], scores=near.scores[few], errors=near.errors[few])
            done[few] = self._look_closely(indices[few], some, fresh[few], lengths[few], target[few], penalty)
        return done

    def _look_closely(self, indices: Any, near: Nearest, fresh: Any, lengths: Any, target: Any, penalty: float) -> Any:
        """Correlations in float64 of all columns that may be above the penalty; which problems need no more."""
        torch, screen = self.torch, self.solver._screen
        cut = target / lengths - near.errors
        cut = cut - cut.abs() * near.output_rounding - 1e-300
        close = near.scores > cut[:, None]
        unseen = close[:, -1] & (near.scores.shape[1] < screen.size)
        width = int(close.sum(dim=1).max())
        columns = near.columns[:, :width].masked_fill(~close[:, :width], screen.size)
        exact = self._correlations(indices, columns)
        long = self.lengths[indices]
        slack = torch.maximum(torch.minimum(1e-8 * target, 1e-12 * long), 2e-15 * long)  # as in correlation_slack
        over = fresh[:, :width] & close[:, :width] & (exact > (target + slack)[:, None])
        at_the_end = (self.level[indices] == penalty) & ~over.any(dim=1) & ~unseen
        if bool(at_the_end.any()):
            self._certify(indices[at_the_end], exact[at_the_end], penalty)
        rest = ~at_the_end
        if bool(rest.any()):
            self._extend(indices[rest], columns[rest], over[rest], target[rest])
        return at_the_end

    def _certify(self, indices: Any, exact: Any, penalty: float) -> None:
        torch, screen = self.torch, self.solver._screen
        residuals, values = self.residuals[indices], self.values[indices]
        squares = residuals.square().sum(dim=1)
        rounding = sum_rounding_bound(screen.width, 2.0**-53) * screen.norm * squares.sqrt()
        greatest = (exact.amax(dim=1) if exact.shape[1] else torch.zeros_like(squares)).clamp_min(penalty) + rounding
        scale = penalty / greatest
        own = self._correlations(indices, self.columns[indices], signed=True)
        gap = 0.5 * (1 - scale) ** 2 * squares + penalty * values.abs().sum(dim=1) - scale * (values * own).sum(dim=1)
        self.gap[indices] = gap.clamp_min(0.0)

    def _correlations(self, indices: Any, columns: Any, *, signed: bool = False) -> Any:
        """Correlations in float64 of some columns of each problem, a part of the problems at once."""
        torch, screen = self.torch, self.solver._screen
        found = torch.empty(columns.shape, dtype=torch.float64, device=columns.device)
        if columns.shape[1] == 0:
            return found
        for part in self._parts(len(indices), columns.shape[1] * screen.width * 12):
            rows = screen.vectors[columns[part]].to(torch.float64)
            found[part] = torch.bmm(rows, self.residuals[indices[part]].unsqueeze(-1)).squeeze(-1)
        return found if self.nonnegative or signed else found.abs()

    def _extend(self, indices: Any, columns: Any, chosen: Any, target: Any) -> None:
        """Solve with the first of the chosen columns of each problem added to its support."""
        torch, screen = self.torch, self.solver._screen
        sizes = (self.values[indices] != 0).sum(dim=1)
        order = sizes.argsort(stable=True)
        indices, columns, chosen, target = (part[order] for part in (indices, columns, chosen, target))
        for part, size in self._group_by_size(sizes[order].cpu().numpy()):
            at = indices[part]
            limit = min(_MORE_COLUMNS if size else _FIRST_COLUMNS, int(chosen[part].sum(dim=1).max()))
            first = (~chosen[part]).to(torch.int8).argsort(dim=1, stable=True)[:, :limit]
            added = columns[part].masked_fill(~chosen[part], screen.size).gather(1, first)
            together = torch.cat([self.columns[at, :size], added], dim=1)
            coef = torch.cat([self.values[at, :size], torch.zeros_like(added, dtype=torch.float64)], dim=1)
            if together.shape[1]:
                self._solve_part(at, together, coef, target[part])
            else:
                self.level[at] = target[part]

    def _group_by_size(self, sizes: NDArray[np.int64]) -> Iterator[tuple[slice, int]]:
        """Slices of problems by rising size of their support, of which the larger are not far above the smaller.

        All problems of a slice are as large as its largest, and their matrices fit in the room there is.
        """
        begin = 0
        while begin < len(sizes):
            like = int(sizes[begin] * _LIKE)
            end = max(int(np.searchsorted(sizes, like, side="right")), min(begin + _FEW, len(sizes)))
            size = int(sizes[end - 1])
            width = size + (_MORE_COLUMNS if size else _FIRST_COLUMNS)
            fitting = self.solver._room // (width * self.solver._screen.width * 20 + 64 * width * width)
            end = min(end, begin + max(1, fitting))
            size = int(sizes[end - 1])
            yield slice(begin, end), size
            begin = end

    def _solve_part(self, at: Any, columns: Any, coef: Any, target: Any) -> None:
        torch, screen = self.torch, self.solver._screen
        coef, residuals, fine = continue_paths(
            screen.vectors,
            self.queries[at],
            self.residuals[at],
            columns,
            coef,
            self.level[at],
            target,
            nonnegative=self.nonnegative,
        )
        # What went wrong starts again from nothing, with another set of columns.
        coef = torch.where(fine[:, None], coef, 0.0)
        self.residuals[at] = torch.where(fine[:, None], residuals, self.queries[at])
        self.level[at] = torch.where(fine, target, torch.inf)
        columns = columns.masked_fill(coef == 0, screen.size)
        columns, order = columns.sort(dim=1)
        coef = coef.gather(1, order)
        size = max(int((coef != 0).sum(dim=1).max()), 1)
        self._make_wider(size)
        width = self.columns.shape[1]
        columns, coef = columns[:, :width], coef[:, :width]
        pad = width - columns.shape[1]
        if pad > 0:
            columns = torch.nn.functional.pad(columns, (0, pad), value=screen.size)
            coef = torch.nn.functional.pad(coef, (0, pad))
        self.columns[at] = columns
        self.values[at] = coef

    def _make_wider(self, width: int) -> None:
        torch = self.torch
        missing = width - self.columns.shape[1]
        if missing > 0:
            self.columns = torch.nn.functional.pad(self.columns, (0, missing), value=self.solver._screen.size)
            self.values = torch.nn.functional.pad(self.values, (0, missing))

    def _in_support(self, indices: Any, columns: Any) -> Any:
        support = self.columns[indices]
        at = self.torch.searchsorted(support, columns).clamp_max(support.shape[1] - 1)
        return support.gather(1, at) == columns

    def _parts(self, count: int, bytes_each: int) -> list[slice]:
        size = max(1, self.solver._room // max(1, bytes_each))
        return [slice(begin, begin + size) for begin in range(0, count, size)]


def _each_once(torch: Any, columns: Any, none: int) -> Any:
    """The same columns with all but the first mention of each struck out."""
    ordered, order = columns.sort(dim=1, stable=True)
    again = torch.zeros_like(ordered, dtype=torch.bool)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    return torch.empty_like(columns).scatter_(1, order, ordered.masked_fill(again, none))
