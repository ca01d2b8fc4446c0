"""What a panel is built from: the runs on a bundle's suites, with their scores and the published figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from falter.core.errors import UsageError
from falter.evaluation.reporting.report_data import ModelInfo, ModelScore, SuiteInfo
from falter.evaluation.score_options import PLAIN, ScoreOptions

if TYPE_CHECKING:
    import polars as pl

    from falter.evaluation.measures import Score
    from falter.evaluation.reporting.published import Published
    from falter.evaluation.runs import Run


@dataclass(frozen=True)
class ReportRun:
    """A run of the report; ``model`` is an index into the models."""

    run: Run
    model: int
    suites: tuple[str, ...]
    options: ScoreOptions = PLAIN

    @cached_property
    def outcomes(self) -> pl.DataFrame:
        """A row per pair of the bundle's suites, as ``Outcomes.table_of_pairs`` has them."""
        from falter.evaluation.runs.scoring import outcomes_of_run

        frame = outcomes_of_run(self.run, self.options).table_of_pairs()
        return frame.filter(frame["suite"].is_in(self.suites))


class ReportView(NamedTuple):
    """The runs of a report on the suites of one bundle.

    ``models`` are all models of the report, so that their indices and colors are the same everywhere; runs, suites and
    scores are those of the bundle's suites alone.
    """

    models: Sequence[ModelInfo]
    suites: Sequence[SuiteInfo]
    runs: Sequence[ReportRun]
    all_scores: Sequence[ModelScore]
    published: Published | None = None
    options: ScoreOptions = PLAIN
    """Without intervals where a run has no plain ones."""

    def scores(self, measure: str, *, by: str | None = None) -> list[ModelScore]:
        """The scores of a measure over whole tests, or by the values of a facet, in the order of the models."""
        if by is None:
            return [one for one in self.all_scores if one.score.measure == measure and one.score.group.facet is None]
        found = [ModelScore(run.model, score) for run in self.runs for score in self._by_facet(run, measure, by)]
        return sorted(found, key=lambda one: one.model)

    def _by_facet(self, run: ReportRun, measure: str, facet: str) -> list[Score]:
        """Every value of a facet, where the suite of a run has it."""
        from falter.evaluation.measures import find_measure
        from falter.evaluation.runs.scoring import score_run

        chosen = find_measure(measure)
        if chosen is None:
            return []
        try:
            scores = score_run(run.run, self.options.replace(by=(facet,)), measures=[chosen])
        except UsageError:
            return []
        return [one for one in scores if one.group.facet == facet and one.group.suite in run.suites]

    @property
    def tests(self) -> list[str]:
        """The tests that have scores, in the order in which they come."""
        return list(dict.fromkeys(one.score.group.test for one in self.all_scores))
