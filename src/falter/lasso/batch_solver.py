"""Many questions at once: shared passes over all columns, and between them each question's own small problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from falter.lasso.certificate import duality_gap
from falter.lasso.pool import Pool
from falter.lasso.screening import Scores, Screen, rounding_of_sums
from falter.lasso.top_k import largest_above, share_above, those_above
from falter.lasso.warm_start import HeadStart
from falter.lasso.working_set import carry_on, empty_support, length, slack_of

__all__ = ["Question", "Settings", "solve_together"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_ROUNDING = 2.0**-53

_MOST_STALLS = 5
"""How often a small problem may end short of its conditions before the gap is stated as it is."""


class Settings(NamedTuple):
    """What stays the same for all questions."""

    penalty: float
    nonnegative: bool
    tolerance: float
    first_columns: int
    more_columns: int
    recheck_share: float
    fall: float
    most_passes: int
    walk: Any
    head_start: HeadStart


class Question:
    """One right-hand side on its way to a certified solution."""

    def __init__(self, place: int, query: Floats) -> None:
        self.place = place
        self.query = query
        self.length = length(query)
        self.support = empty_support()
        self.residual = query
        self.level = np.inf
        self.reopen()

    def reopen(self) -> None:
        """Make ready for a smaller penalty, from where the question stands."""
        self.passes = 0
        self.stalls = 0
        self.gap = np.inf
        self.certified = False
        self.done = False

    def bound_gap(self, vectors: NDArray[Any], settings: Settings, greatest: float) -> None:
        """Work out the gap for a bound on the correlations of all columns, and whether it is small enough."""
        own = vectors[self.support.columns].astype(np.float64) @ self.residual
        self.gap = duality_gap(self.residual, self.support.values, own, greatest, settings.penalty)
        self.certified = self.gap <= settings.tolerance * 0.5 * self.length**2
        self.done = True


def solve_together(
    pool: Pool,
    screen: Screen,
    questions: Iterable[Question],
    settings: Settings,
    buffer: Scores,
    workers: Executor | None,
) -> Iterator[Question]:
    """Solve questions, as many at once as the buffer has rows; each is given back when it is done, in no set order.

    Every pass is shared by as many questions as there is room for: those still open, then new ones.
    """
    waiting = iter(questions)
    going: list[Question] = []
    while True:
        new: list[Question] = []
        for question in islice(waiting, len(buffer) - len(going)):
            if question.length == 0.0:
                question.bound_gap(pool.vectors, settings, 0.0)
                yield question
            else:
                new.append(question)
        _start(new, settings, workers)
        going += new
        if not going:
            return
        lengths = np.array([length(question.residual) for question in going])
        lengths[lengths == 0.0] = 1.0
        directions = np.stack([question.residual for question in going]) / lengths[:, None]
        errors = screen.scores(directions, buffer[: len(going)], workers)

        def advance(place: int, going: list[Question] = going, errors: Floats = errors) -> None:
            going[place].passes += 1
            _Round(pool, going[place], buffer[place], float(errors[place]), screen.output_rounding, settings).run()

        _each(advance, len(going), workers)
        yield from (question for question in going if question.done)
        going = [question for question in going if not question.done]


def _start(new: list[Question], settings: Settings, workers: Executor | None) -> None:
    """Give questions that have no support yet one from a sample of the pool."""
    sample, penalty = settings.head_start, settings.penalty
    new = [question for question in new if question.level == np.inf]
    if not (new and settings.nonnegative and sample.useful):
        return
    scores = sample.scores([question.query for question in new])

    def begin(place: int) -> None:
        support, residual = sample.support(new[place].query, scores[place], penalty, settings.walk)
        if len(support.columns):
            new[place].support, new[place].residual, new[place].level = support, residual, penalty

    _each(begin, len(new), workers)


def _each(advance: Callable[[int], None], count: int, workers: Executor | None) -> None:
    for _ in map(advance, range(count)) if workers is None else workers.map(advance, range(count)):
        pass


class _Round:
    """What one question does with its scores: add columns and solve, until the scores say nothing more."""

    def __init__(
        self, pool: Pool, question: Question, scores: Scores, error: float, output_rounding: float, settings: Settings
    ) -> None:
        self.pool = pool
        self.question = question
        self.scores = scores
        self.error = error
        self.output_rounding = output_rounding
        self.settings = settings
        self.anchor = question.residual
        self.anchor_length = length(self.anchor) or 1.0
        self.fresh = True

    def run(self) -> None:
        """Go on until the question is certified or a new pass is due."""
        question, settings = self.question, self.settings
        penalty = self._next_penalty()
        while (cut := self._cut(penalty)) is not None:
            found = self._clear_violators(penalty) if self.fresh else None
            many = found is not None
            if found is None:
                columns, exact = self._exact(cut, penalty)
                found = self._violators(columns, exact, penalty)
                if question.level == settings.penalty and (len(found) == 0 or question.stalls > _MOST_STALLS):
                    self._certify(exact)
                    return
            if len(found) or len(question.support.columns):
                question.support, question.residual, right = carry_on(
                    self.pool.vectors,
                    question.query,
                    question.residual,
                    question.support,
                    found,
                    question.level,
                    penalty,
                    nonnegative=settings.nonnegative,
                    walk=settings.walk,
                    rough=many,
                )
                question.stalls += not right
            question.level = penalty
            self.fresh = False
            if penalty > settings.penalty:
                break
        if question.passes >= settings.most_passes:
            self._give_up()

    def _next_penalty(self) -> float:
        """How far down to go with these scores.

        Where only positive coefficients count, few columns ever join, and the last penalty is right at once. With both
        signs more and more columns join as the penalty falls, so it falls in steps.
        """
        question, settings = self.question, self.settings
        if question.level == np.inf:
            top = float(self.scores.max() if settings.nonnegative else np.abs(self.scores).max())
            question.level = max(settings.penalty, (top + self.error) * self.anchor_length)
        if settings.nonnegative:
            return settings.penalty
        return max(settings.penalty, settings.fall * question.level)

    def _cut(self, penalty: float) -> float | None:
        """The score above which a column may exceed the penalty by now; None if too many do, and a pass is due.

        With the residual r = along * anchor + rest, a column's correlation is at most along * score + |rest|.
        """
        residual = self.question.residual
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
        settings, support = self.settings, self.question.support.columns
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
        residual = self.question.residual
        columns = self.pool.without_repeats(those_above(self.scores, cut, self.settings.nonnegative))
        rows = self.pool.vectors.take(columns, axis=0)
        rough = rows @ residual.astype(rows.dtype)
        unit = float(np.finfo(rows.dtype).eps) / 2
        margin = rounding_of_sums(self.pool.width, unit) * self.pool.norm * length(residual)
        if not self.settings.nonnegative:
            rough = np.abs(rough)
        near = rough > penalty - margin
        exact = rows[near].astype(np.float64) @ residual
        return columns[near], exact if self.settings.nonnegative else np.abs(exact)

    def _violators(self, columns: Indices, exact: Floats, penalty: float) -> Indices:
        """The strongest of the columns above the penalty that are not in the support."""
        over = exact > penalty + slack_of(penalty, self.question.length)
        columns, exact = columns[over], exact[over]
        if len(columns):
            new = (columns[:, None] != self.question.support.columns).all(axis=1)
            columns, exact = columns[new], exact[new]
        if len(columns) > self.settings.more_columns:
            strongest = np.argsort(-exact, kind="stable")[: self.settings.more_columns]
            columns = np.sort(columns[strongest])
        return columns

    def _certify(self, exact: Floats) -> None:
        """State the gap: no column is above the penalty by more than the exact correlations say."""
        residual_length = length(self.question.residual)
        rounding = rounding_of_sums(self.pool.width, _ROUNDING) * self.pool.norm * residual_length
        greatest = max(float(exact.max(initial=0.0)), self.settings.penalty) + rounding
        self.question.bound_gap(self.pool.vectors, self.settings, greatest)

    def _give_up(self) -> None:
        """No more passes: the gap that the last scores allow to be stated."""
        question = self.question
        residual = question.residual
        along = float(residual @ self.anchor) / self.anchor_length
        rest = length(residual - (along / self.anchor_length) * self.anchor)
        scores = self.scores if self.settings.nonnegative else np.abs(self.scores)
        top = float((scores if along >= 0 else -scores).max()) if self.settings.nonnegative else float(scores.max())
        bound = abs(along) * (abs(top) * (1 + self.output_rounding) + self.error) + rest * self.pool.norm
        question.bound_gap(self.pool.vectors, self.settings, bound)
