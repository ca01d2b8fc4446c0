"""From runs on disk to what a report shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from falter.bundle import SuiteBundle, bundle_of
from falter.errors import FalterError, UsageError
from falter.measures import Overlap, Score
from falter.measures.outcomes import FACET
from falter.reporting.failures import RunOutcomes, load_failures, sample_failures
from falter.reporting.manifest_info import (
    answer_notes_for,
    distinct_suites,
    model_infos,
    report_title,
    run_notes,
    suite_info,
)
from falter.reporting.panel import Panel
from falter.reporting.published import published_for
from falter.reporting.report_data import ModelImageAblation, ModelPromptSpread, ModelScore, PanelSection, ReportData
from falter.reporting.report_view import ReportRun, ReportView
from falter.runs import Run
from falter.runs.scoring import (
    ablation_pairs,
    image_ablation,
    outcomes_of_run,
    overlap_runs,
    prompt_groups,
    prompt_spread,
    score_run,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MAX_FAILURES", "collect"]

MAX_FAILURES = 200
"""How many failed pairs the viewer shows per test and model."""

_FACET_VALUES = range(2, 401)
"""A facet with one value says nothing; one with more than this is a name, not a facet."""

_MOST_WITH_INTERVALS = 120
"""Intervals for hundreds of values would take longer than everything else, and most of them are not shown."""


def collect(
    runs: Sequence[Run],
    *,
    title: str | None = None,
    failures: int = MAX_FAILURES,
    seed: int = 0,
    n_resamples: int = 1000,
    subset: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> ReportData:
    """Scores, counts and failed pairs of runs, over one suite or several; ``subset`` as in :func:`score_run`."""
    runs = list({run.folder.resolve(): run for run in runs}.values())
    if not runs:
        raise UsageError("a report needs at least one run")
    suites = distinct_suites(runs)
    models, model_of_run = model_infos(runs)
    data = ReportData(
        title=title or report_title(models, suites.values()),
        suites=[suite_info(suite.manifest) for suite in suites.values()],
        models=models,
        scores=[],
        notes=run_notes(runs),
    )
    of_bundles: dict[str, list[ReportRun]] = {}
    for fingerprint, suite in suites.items():
        own = [
            (run, model)
            for run, model in zip(runs, model_of_run, strict=True)
            if run.manifest.suite.fingerprint == fingerprint
        ]
        judged = []
        for run, model in own:
            progress(models[model].name)
            replies = run.replies()
            found = outcomes_of_run(run, replies=replies, subset=subset, limited=False)
            frame = found.table_of_pairs()
            data.notes += answer_notes_for(models[model].name, suite.name, found)
            judged.append(RunOutcomes(model, frame, replies))
            scores = _scores(run, _facets(frame), seed, n_resamples, subset)
            data.scores += [ModelScore(model, score) for score in scores]
            for bundle in _bundles(frame):
                if bundle.panels:
                    rows = frame.filter(frame["suite"].is_in(bundle.suite_names))
                    of_bundles.setdefault(bundle.name, []).append(ReportRun(run, model, rows))
        data.overlaps += _overlaps(own, subset)
        data.image_ablations += _image_ablations(own, seed, n_resamples)
        data.prompt_spreads += _prompt_spreads(own, seed, n_resamples)
        sample = sample_failures(judged, failures)
        data.failure_counts += sample.counts
        data.failures += load_failures(suite, judged, sample, data.images)
    data.scores.sort(key=lambda entry: entry.model)
    for name in dict.fromkeys(entry.score.group.suite for entry in data.scores):
        published = published_for(name)
        if published is not None:
            data.published[name] = published
    for own_runs in of_bundles.values():
        data.panels += _panels(data, own_runs, seed, n_resamples)
    return data


def _bundles(frame: pl.DataFrame) -> list[SuiteBundle]:
    """The bundles that answer for the suites of a run."""
    found = (bundle_of(name) for name in frame["suite"].unique().sort().to_list())
    return list({bundle.name: bundle for bundle in found if bundle is not None}.values())


def _panels(data: ReportData, runs: Sequence[ReportRun], seed: int, n_resamples: int) -> list[PanelSection]:
    """What the panels of one bundle have to show of its runs."""
    (bundle,) = _bundles(runs[0].outcomes)
    names = {run.run.suite().name for run in runs}
    view = ReportView(
        models=data.models,
        suites=[suite for suite in data.suites if suite.name in names],
        runs=runs,
        all_scores=[one for one in data.scores if one.score.group.suite in bundle.suite_names],
        published=next((data.published[name] for name in bundle.suite_names if name in data.published), None),
        seed=seed,
        n_resamples=n_resamples,
    )
    sections = []
    for panel in bundle.get("panels"):
        section = _build(panel, view, bundle)
        if section is not None:
            sections.append(
                PanelSection(
                    name=panel.name,
                    title=panel.title,
                    section=section,
                    place=panel.place,
                    bundle=bundle.name,
                    folder=bundle.path("") if bundle.package else None,
                )
            )
    return sections


def _build(panel: Panel, view: ReportView, bundle: SuiteBundle) -> Any:
    try:
        return panel.build(view)
    except FalterError:
        raise
    except Exception as error:
        raise UsageError(
            f"the panel {panel.name!r} of the bundle {bundle.name!r} failed: {type(error).__name__}: {error}"
        ) from error


def _overlaps(runs: Sequence[tuple[Run, int]], subset: str | None) -> list[Overlap]:
    """How much of one another's correct answers the models share that ran on one suite."""
    if len(runs) < 2:
        return []
    models = [model for _, model in runs]
    return [
        msgspec.structs.replace(one, run=models[one.run], given=models[one.given])
        for one in overlap_runs([run for run, _ in runs], subset=subset)
    ]


def _image_ablations(runs: Sequence[tuple[Run, int]], seed: int, n_resamples: int) -> list[ModelImageAblation]:
    """Models with their images compared with themselves without."""
    return [
        ModelImageAblation(runs[normal][1], runs[blind][1], score)
        for normal, blind in ablation_pairs([run for run, _ in runs])
        for score in image_ablation(runs[normal][0], runs[blind][0], seed=seed, n_resamples=n_resamples)
    ]


def _prompt_spreads(runs: Sequence[tuple[Run, int]], seed: int, n_resamples: int) -> list[ModelPromptSpread]:
    """Models compared with themselves under other prompts."""
    return [
        ModelPromptSpread(tuple(runs[index][1] for index in group), one)
        for group in prompt_groups([run for run, _ in runs])
        for one in prompt_spread([runs[index][0] for index in group], seed=seed, n_resamples=n_resamples)
    ]


def _facets(frame: Any) -> dict[str, int]:
    """The facets worth a table, each with the number of its values."""
    names = [name for name in frame.columns if name.startswith(FACET)]
    if "preferred" in frame.columns:
        # A facet that is the same throughout a test says nothing new about it.
        names = [name for name in names if _varies(frame, name)]
    sizes = {name.removeprefix(FACET): frame[name].drop_nulls().n_unique() for name in names}
    return {name: size for name, size in sizes.items() if size in _FACET_VALUES}


def _varies(frame: pl.DataFrame, column: str) -> bool:
    """Whether a column has several values within a test."""
    import polars as pl

    within = frame.group_by("suite", "test").agg(pl.col(column).n_unique().alias("values"))
    return bool((within["values"] > 1).any())


def _scores(run: Run, facets: dict[str, int], seed: int, n_resamples: int, subset: str | None) -> list[Score]:
    """Tests and facets with intervals; facets of very many values, which are read for their tails, without."""
    few = [name for name, size in facets.items() if size <= _MOST_WITH_INTERVALS]
    many = [name for name in facets if name not in few]
    scores = score_run(run, by=few, seed=seed, n_resamples=n_resamples, subset=subset)
    if many:
        scores += [
            score
            for score in score_run(run, by=many, seed=seed, n_resamples=0, subset=subset)
            if score.group.facet is not None
        ]
    return scores
