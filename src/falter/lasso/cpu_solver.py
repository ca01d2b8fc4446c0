"""The solver on the CPU: batches of problems, threads, and the arrays they share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from falter.core.optional_packages import import_package, one_thread
from falter.lasso.batch_solver import Problem, SolverSettings, solve_batch
from falter.lasso.results import Solution
from falter.lasso.screening import Bfloat16Screen, FloatScreen, Scores, Screen, VectorPool
from falter.lasso.working_set import WarmStart, load_compiled_follow

_SCORE_BYTES = 256 << 20
"""Room for the scores of one batch: with the solver's own arrays, well under 1 GB beside the pool."""

_MAX_BATCH = 512
_BATCHES_TOGETHER = 4
_MAX_PASSES = 200


class CpuSolver:
    """Solves problems in batches over a pool in memory."""

    def __init__(self, pool: VectorPool, dtype: str, batch: int | None, threads: int | None, backend: str) -> None:
        self._pool = pool
        self._screen: Screen = Bfloat16Screen(pool) if dtype == "bf16" else FloatScreen(pool)
        self._scores = np.float64 if dtype == "f64" else np.float32
        fitting = _SCORE_BYTES // (pool.size * self._scores().itemsize)
        self._batch = batch or int(min(max(fitting, 1), _MAX_BATCH))
        self._warm_start = WarmStart(pool)
        self._threads = threads or len(os.sched_getaffinity(0))
        if backend == "numba":
            import_package("numba", "backend numba")
        self._follow = None if backend == "numpy" else load_compiled_follow()

    def solve(
        self, queries: NDArray[Any], penalties: Sequence[float], nonnegative: bool, tolerance: float
    ) -> Iterator[Solution]:
        """Solve each query at falling penalties."""
        buffer = np.empty((min(self._batch, max(len(queries), 1)), self._pool.size), self._scores)
        with _workers(self._threads) as workers:
            if len(penalties) == 1:
                # Problems enter and leave one by one, so that passes are shared until the last of them.
                yield from self._at(0, penalties[0], _problems(queries, 0), nonnegative, tolerance, buffer, workers)
                return
            chunk = self._batch * _BATCHES_TOGETHER
            for begin in range(0, len(queries), chunk):
                some = list(_problems(queries[begin : begin + chunk], begin))
                for step, penalty in enumerate(penalties):
                    for problem in some:
                        problem.reopen()
                    yield from self._at(step, penalty, some, nonnegative, tolerance, buffer, workers)

    def _at(
        self,
        step: int,
        penalty: float,
        problems: Iterable[Problem],
        nonnegative: bool,
        tolerance: float,
        buffer: Scores,
        workers: Executor | None,
    ) -> Iterator[Solution]:
        settings = self._settings(penalty, nonnegative, tolerance)
        for one in solve_batch(self._pool, self._screen, problems, settings, buffer, workers):
            columns, values = one.support.columns, one.support.values
            yield Solution(step, one.query_index, columns, values, one.gap, one.certified, one.passes)

    def _settings(self, penalty: float, nonnegative: bool, tolerance: float) -> SolverSettings:
        return SolverSettings(
            penalty=penalty,
            nonnegative=nonnegative,
            tolerance=tolerance,
            first_columns=160 if nonnegative else 250,
            more_columns=120 if nonnegative else 250,
            recheck_share=0.012,
            fall=0.5,
            max_passes=_MAX_PASSES,
            follow=self._follow,
            warm_start=self._warm_start,
        )


def _problems(queries: NDArray[Any], begin: int) -> Iterator[Problem]:
    return (Problem(begin + i, query.astype(np.float64)) for i, query in enumerate(queries))


@contextmanager
def _workers(threads: int) -> Iterator[Executor | None]:
    """Worker threads, each with a linear algebra library of one thread: sums do not depend on their number."""
    with one_thread():
        if threads == 1:
            yield None
        else:
            with ThreadPoolExecutor(threads) as pool:
                yield pool
