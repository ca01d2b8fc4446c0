"""The solver on the CPU: batches of questions, threads, and the arrays they share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from falter.errors import UsageError
from falter.lasso.batch_solver import Question, Settings, solve_together
from falter.lasso.pool import Pool
from falter.lasso.results import Finished
from falter.lasso.screening import Bfloat16Screen, FloatScreen, Scores, Screen
from falter.lasso.warm_start import HeadStart
from falter.lasso.working_set import compiled_walk

__all__ = ["CpuEngine"]

_SCORE_BYTES = 256 << 20
"""Room for the scores of one batch: with the solver's own arrays, well under 1 GB beside the pool."""

_MOST_IN_A_BATCH = 512
_BATCHES_TOGETHER = 4
_MOST_PASSES = 200


class CpuEngine:
    """Questions in batches over a pool in memory."""

    def __init__(self, pool: Pool, dtype: str, batch: int | None, threads: int | None, backend: str) -> None:
        self._pool = pool
        self._screen: Screen = Bfloat16Screen(pool) if dtype == "bf16" else FloatScreen(pool)
        self._scores = np.float64 if dtype == "f64" else np.float32
        fitting = _SCORE_BYTES // (pool.size * self._scores().itemsize)
        self._batch = batch or int(min(max(fitting, 1), _MOST_IN_A_BATCH))
        self._head_start = HeadStart(pool)
        self._threads = threads or len(os.sched_getaffinity(0))
        self._walk = None if backend == "numpy" else compiled_walk()
        if backend == "numba" and self._walk is None:
            raise UsageError("backend numba needs numba: pip install 'falter[lasso]'")

    def solve(
        self, queries: NDArray[Any], penalties: Sequence[float], nonnegative: bool, tolerance: float
    ) -> Iterator[Finished]:
        """Solve each query at falling penalties."""
        buffer = np.empty((min(self._batch, max(len(queries), 1)), self._pool.size), self._scores)
        with _workers(self._threads) as workers:
            if len(penalties) == 1:
                # Questions come and go one by one, and passes are shared until the very last of them.
                yield from self._at(0, penalties[0], _questions(queries, 0), nonnegative, tolerance, buffer, workers)
                return
            chunk = self._batch * _BATCHES_TOGETHER
            for begin in range(0, len(queries), chunk):
                some = list(_questions(queries[begin : begin + chunk], begin))
                for step, penalty in enumerate(penalties):
                    for question in some:
                        question.reopen()
                    yield from self._at(step, penalty, some, nonnegative, tolerance, buffer, workers)

    def _at(
        self,
        step: int,
        penalty: float,
        questions: Iterable[Question],
        nonnegative: bool,
        tolerance: float,
        buffer: Scores,
        workers: Executor | None,
    ) -> Iterator[Finished]:
        settings = self._settings(penalty, nonnegative, tolerance)
        for one in solve_together(self._pool, self._screen, questions, settings, buffer, workers):
            columns, values = one.support.columns, one.support.values
            yield Finished(step, one.place, columns, values, one.gap, one.certified, one.passes)

    def _settings(self, penalty: float, nonnegative: bool, tolerance: float) -> Settings:
        return Settings(
            penalty=penalty,
            nonnegative=nonnegative,
            tolerance=tolerance,
            first_columns=160 if nonnegative else 250,
            more_columns=120 if nonnegative else 250,
            recheck_share=0.012,
            fall=0.5,
            most_passes=_MOST_PASSES,
            walk=self._walk,
            head_start=self._head_start,
        )


def _questions(queries: NDArray[Any], begin: int) -> Iterator[Question]:
    return (Question(begin + i, query.astype(np.float64)) for i, query in enumerate(queries))


@contextmanager
def _workers(threads: int) -> Iterator[Executor | None]:
    """Threads of our own, each with a linear algebra library that uses no others: sums are then always the same."""
    with _one_thread_each():
        if threads == 1:
            yield None
        else:
            with ThreadPoolExecutor(threads) as pool:
                yield pool


def _one_thread_each() -> AbstractContextManager[Any]:
    try:
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
    except ImportError:  # it comes with scikit-learn; without it the libraries keep their threads
        return nullcontext()
    limits: AbstractContextManager[Any] = threadpool_limits(limits=1)
    return limits
