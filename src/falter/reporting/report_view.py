"""What a panel is built from: the runs on a bundle's suites, with their scores and the published figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from falter.reporting.report_data import ModelInfo, ModelScore, SuiteInfo

if TYPE_CHECKING:
    import polars as pl

    from falter.reporting.published import Published
    from falter.runs import Run

__all__ = ["ReportRun", "ReportView"]


class ReportRun(NamedTuple):
    """A run of the report; ``model`` is an index into the models, ``outcomes`` has a row per pair."""

    run: Run
    model: int
    outcomes: pl.DataFrame


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
    seed: int = 0
    n_resamples: int = 1000

    def scores(self, measure: str, *, by: str | None = None) -> list[ModelScore]:
        """The scores of a measure over whole tests, or by the values of a facet, in the order of the models."""
        return [one for one in self.all_scores if one.score.measure == measure and one.score.group.facet == by]

    @property
    def tests(self) -> list[str]:
        """The tests that have scores, in the order in which they come."""
        return list(dict.fromkeys(one.score.group.test for one in self.all_scores))
