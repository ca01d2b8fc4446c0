"""Solves a batch of LASSO problems: passes over all columns are shared, working sets are solved for each problem.

A solution has a certificate, its duality gap in float64: how far, at most, the objective is from the best there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from falter.lasso.screening import (
    Scores,
    Screen,
    VectorPool,
    indices_above,
    largest_above,
    share_above,
    sum_rounding_bound,
)
from falter.lasso.working_set import WarmStart, continue_path, correlation_slack, empty_support, length


def duality_gap(
    residual: NDArray[np.float64],
    values: NDArray[np.float64],
    correlations: NDArray[np.float64],
    greatest: float,
    penalty: float,
) -> float:
    """The gap between the objective at x and the dual objective at the residual, scaled until it is feasible.

    `correlations` are those of the columns with the coefficients `values`; `greatest` is a bound on the correlation of
    any column. With r = b - Ax and s = min(1, penalty / greatest) the gap is 0.5 (1-s)^2 r'r + penalty |x| - s x'A'r,
    which has no large terms that cancel.
    """
    scale = 1.0 if greatest <= penalty else penalty / greatest
    squared = float(residual @ residual)
    gap = (
        0.5 * (1 - scale) ** 2 * squared + penalty * float(np.abs(values).sum()) - scale * float(values @ correlations)
    )
    return max(gap, 0.0)


Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_ROUNDING = 2.0**-53

_MAX_STALLS = 5
"""How often a working set may end short of its conditions before the gap is reported as it is."""


_PASSES_AT_ONCE = 8
"""So many passes at the final penalty, and a support is taken to fill up to the width: the penalty falls in steps."""

_FEW_VIOLATORS = 20
"""With no more columns above it, the penalty falls further."""


class SolverSettings(NamedTuple):
    """What is the same for all problems of a batch."""

    penalty: float
    nonnegative: bool
    tolerance: float
    first_columns: int
    more_columns: int
    recheck_share: float
    fall: float
    max_passes: int
    follow: Any
    warm_start: WarmStart


class Problem:
    """One query, and the state of its solution until it is certified."""

    def __init__(self, query_index: int, query: Floats) -> None:
        self.query_index = query_index
        self.query = query
        self.length = length(query)
        self.support = empty_support()
        self.residual = query
        self.level = np.inf
        self.in_steps = False
        self.reopen()

    def restart_in_steps(self) -> None:
        """Begin again, from a penalty that no column exceeds, towards the final one in steps."""
        self.support, self.residual, self.level = empty_support(), self.query, np.inf
        self.stalls = 0
        self.in_steps = True

    def reopen(self) -> None:
        """Prepare for a smaller penalty, starting from the current solution."""
        self.passes = 0
        self.stalls = 0
        self.gap = np.inf
        self.certified = False
        self.done = False

    def bound_gap(self, vectors: NDArray[Any], settings: SolverSettings, greatest: float) -> None:
        """Compute the gap from a bound on the correlations of all columns, and check it against the tolerance."""
        own = vectors[self.support.columns].astype(np.float64) @ self.residual
        self.gap = duality_gap(self.residual, self.support.values, own, greatest, settings.penalty)
        self.certified = self.gap <= settings.tolerance * 0.5 * self.length**2
        self.done = True


def solve_batch(
    pool: VectorPool,
    screen: Screen,
    problems: Iterable[Problem],
    settings: SolverSettings,
    buffer: Scores,
    workers: Executor | None,
) -> Iterator[Problem]:
    """Solve problems, as many at once as the buffer has rows; each is yielded when it is done, in no set order.

    Every pass is shared by as many problems as there is room for: those still open, then new ones.
    """
    waiting = iter(problems)
    going: list[Problem] = []
    while True:
        new: list[Problem] = []
        for problem in islice(waiting, len(buffer) - len(going)):
            if problem.length == 0.0:
                problem.bound_gap(pool.vectors, settings, 0.0)
                yield problem
            else:
                new.append(problem)
        _start(new, settings, workers)
        going += new
        if not going:
            return
        lengths = np.array([length(problem.residual) for problem in going])
        lengths[lengths == 0.0] = 1.0
        directions = np.stack([problem.residual for problem in going]) / lengths[:, None]
        errors = screen.scores(directions, buffer[: len(going)], workers)

        def advance(index: int, going: list[Problem] = going, errors: Floats = errors) -> None:
            going[index].passes += 1
            _ProblemPass(
                pool, going[index], buffer[index], float(errors[index]), screen.output_rounding, settings
            ).run()

        _each(advance, len(going), workers)
        yield from (problem for problem in going if problem.done)
        going = [problem for problem in going if not problem.done]


def _start(new: list[Problem], settings: SolverSettings, workers: Executor | None) -> None:
    """Give problems that have no support yet one from a sample of the pool."""
    sample, penalty = settings.warm_start, settings.penalty
    new = [problem for problem in new if problem.level == np.inf]
    if not (new and settings.nonnegative and sample.useful):
        return
    scores = sample.scores([problem.query for problem in new])

    def begin(index: int) -> None:
        support, residual = sample.support(new[index].query, scores[index], penalty, settings.follow)
        if len(support.columns):
            new[index].support, new[index].residual, new[index].level = support, residual, penalty

    _each(begin, len(new), workers)


def _each(advance: Callable[[int], None], count: int, workers: Executor | None) -> None:
    for _ in map(advance, range(count)) if workers is None else workers.map(advance, range(count)):
        pass


class _ProblemPass:
    """The work on one problem between two passes: add columns and solve, until new scores are needed."""

    def __init__(
        self,
        pool: VectorPool,
        problem: Problem,
        scores: Scores,
        error: float,
        output_rounding: float,
        settings: SolverSettings,
    ) -> None:
        self.pool = pool
        self.problem = problem
        self.scores = scores
        self.error = error
        self.output_rounding = output_rounding
        self.settings = settings
        self.anchor = problem.residual
        self.anchor_length = length(self.anchor) or 1.0
        self.fresh = True

    def run(self) -> None:
        """Run until the problem is certified or needs a new pass."""
        problem, settings = self.problem, self.settings
        if settings.nonnegative and not problem.in_steps and problem.passes > _PASSES_AT_ONCE:
            problem.restart_in_steps()
            return
        penalty = self._next_penalty()
        while (cut := self._cut(penalty)) is not None:
            found = self._clear_violators(penalty) if self.fresh else None
            many = found is not None
            if found is None:
                columns, exact = self._exact(cut, penalty)
                found = self._violators(columns, exact, penalty)
                if problem.level == settings.penalty and (len(found) == 0 or problem.stalls > _MAX_STALLS):
                    self._certify(exact)
                    return
            if len(found) or len(problem.support.columns):
                problem.support, problem.residual, right = continue_path(
                    self.pool.vectors,
                    problem.query,
                    problem.residual,
                    problem.support,
                    found,
                    problem.level,
                    penalty,
                    nonnegative=settings.nonnegative,
                    follow=settings.follow,
                    rough=many,
                )
                problem.stalls += not right
            problem.level = penalty
            self.fresh = False
            if penalty > settings.penalty:
                break
        if problem.passes >= settings.max_passes:
            self._give_up()

    def _next_penalty(self) -> float:
        """The penalty to solve for with these scores.

        With non-negative coefficients few columns ever join, and the final penalty is taken at once. With both signs
        more and more columns join as the penalty falls, so it falls in steps. So it does with non-negative ones where
        the vectors have so little in common that as many join as they are wide (tf-idf); then the residual turns with
        every column, and a step is taken only where the last left few columns above the penalty.
        """
        problem, settings = self.problem, self.settings
        if problem.level == np.inf:
            top = float(self.scores.max() if settings.nonnegative else np.abs(self.scores).max())
            problem.level = max(settings.penalty, (top + self.error) * self.anchor_length)
        elif problem.in_steps and self._count_violators() > _FEW_VIOLATORS:
            return problem.level
        if settings.nonnegative and not problem.in_steps:
            return settings.penalty
        return max(settings.penalty, settings.fall * problem.level)

    def _count_violators(self) -> int:
        """How many columns these scores show to be above the last penalty, beside those of the support."""
        support = self.problem.support.columns
        cut = self.problem.level / self.anchor_length + self.error
        above = self.scores > cut
        return int(above.sum() - above[support].sum())

    def _cut(self, penalty: float) -> float | None:
        """The score above which a column may exceed the penalty by now; None if too many may, and a pass is needed.

        With the residual r = along * anchor + rest, a column's correlation is at most along * score + |rest|.
        """
        residual = self.problem.residual
        along = float(residual @ self.anchor) / self.anchor_length
        rest = 0.0
        if not self.fresh:
            rest = length(residual - (along / self.anchor_length) * self.anchor)
            if along <= 0.0:
                return None
        cut = (penalty - rest * self.pool.norm) / along - self.error if along > 0 else -np.inf
        cut -= abs(cut) * self.output_rounding + 1e-300
        if not self.fresh and share_above(self.scores, cut, self.settings.nonnegative) > self.settings.recheck_share:
            return None
        return cut

    def _clear_violators(self, penalty: float) -> Indices | None:
        """The strongest columns that a new pass shows to be above the penalty; None if there are few or none."""
        settings, support = self.settings, self.problem.support.columns
        wanted = settings.more_columns if len(support) else settings.first_columns
        cut = penalty / self.anchor_length + self.error
        # The support's own columns are above the cut too, and are out of the way while the others are sought.
        hidden = self.scores[support]
        self.scores[support] = 0.0
        found = self.pool.without_repeats(largest_above(self.scores, cut, wanted, settings.nonnegative))
        self.scores[support] = hidden
        return None if len(found) < settings.more_columns // 4 else found

    def _exact(self, cut: float, penalty: float) -> tuple[Indices, Floats]:
        """Columns that may exceed the penalty, with correlations in float64; float32 rules most of them out first."""
        residual = self.problem.residual
        columns = self.pool.without_repeats(indices_above(self.scores, cut, self.settings.nonnegative))
        rows = self.pool.vectors.take(columns, axis=0)
        rough = rows @ residual.astype(rows.dtype)
        unit = float(np.finfo(rows.dtype).eps) / 2
        margin = sum_rounding_bound(self.pool.width, unit) * self.pool.norm * length(residual)
        if not self.settings.nonnegative:
            rough = np.abs(rough)
        near = rough > penalty - margin
        exact = rows[near].astype(np.float64) @ residual
        return columns[near], exact if self.settings.nonnegative else np.abs(exact)

    def _violators(self, columns: Indices, exact: Floats, penalty: float) -> Indices:
        """The strongest of the columns above the penalty that are not in the support."""
        over = exact > penalty + correlation_slack(penalty, self.problem.length)
        columns, exact = columns[over], exact[over]
        if len(columns):
            new = (columns[:, None] != self.problem.support.columns).all(axis=1)
            columns, exact = columns[new], exact[new]
        if len(columns) > self.settings.more_columns:
            strongest = np.argsort(-exact, kind="stable")[: self.settings.more_columns]
            columns = np.sort(columns[strongest])
        return columns

    def _certify(self, exact: Floats) -> None:
        """Set the gap: no column is above the penalty by more than the exact correlations."""
        residual_length = length(self.problem.residual)
        rounding = sum_rounding_bound(self.pool.width, _ROUNDING) * self.pool.norm * residual_length
        greatest = max(float(exact.max(initial=0.0)), self.settings.penalty) + rounding
        self.problem.bound_gap(self.pool.vectors, self.settings, greatest)

    def _give_up(self) -> None:
        """Set the gap that the last scores allow, when no more passes are left."""
        problem = self.problem
        residual = problem.residual
        along = float(residual @ self.anchor) / self.anchor_length
        rest = length(residual - (along / self.anchor_length) * self.anchor)
        scores = self.scores if self.settings.nonnegative else np.abs(self.scores)
        top = float((scores if along >= 0 else -scores).max()) if self.settings.nonnegative else float(scores.max())
        bound = abs(along) * (abs(top) * (1 + self.output_rounding) + self.error) + rest * self.pool.norm
        problem.bound_gap(self.pool.vectors, self.settings, bound)
