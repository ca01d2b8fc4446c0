"""From runs on disk to what a report shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import msgspec

from falter.core.bundle import SuiteBundle, bundle_of
from falter.core.errors import FalterError, UsageError
from falter.data.blind_checks import BLIND_CHECKERS
from falter.data.images import Source
from falter.data.items import TOTALS
from falter.data.suite import Suite
from falter.evaluation.measures import Overlap, count_answered
from falter.evaluation.measures.outcomes import Outcomes
from falter.evaluation.reporting.differences import collect_differences, collect_rankings, whole_runs
from falter.evaluation.reporting.manifest_info import (
    distinct_suites,
    model_infos,
    report_title,
    run_notes,
    suite_info,
)
from falter.evaluation.reporting.panel import Panel
from falter.evaluation.reporting.published import published_for
from falter.evaluation.reporting.published_settings import SuiteFacts, format_unshown
from falter.evaluation.reporting.report_data import (
    FailedTest,
    ModelAnswered,
    ModelImageAblation,
    ModelPromptSpread,
    ModelScore,
    PanelSection,
    ReportData,
    SuiteBlindCheck,
)
from falter.evaluation.reporting.report_view import ReportRun, ReportView
from falter.evaluation.reporting.run_scores import FacetScores, note_answers, note_lacking, note_silent, score_facets
from falter.evaluation.reporting.scores import ScoresByModel
from falter.evaluation.reporting.suite_checks import votes_panel
from falter.evaluation.reporting.tables import values_per_facet
from falter.evaluation.runs import Run
from falter.evaluation.runs.asked import tell_sampled
from falter.evaluation.runs.failures import FailedPairs, ModelRun, budget_rank, load_failures, release_memory
from falter.evaluation.runs.scored_items import find_limit
from falter.evaluation.runs.scoring import (
    ablation_pairs,
    image_ablation,
    outcomes_of_run,
    overlap_runs,
    prompt_groups,
    prompt_spread,
    score_run,
)
from falter.evaluation.score_options import PLAIN, ScoreOptions

MAX_FAILURES = 200
"""How many failed pairs the viewer shows per test and model, where they fit. Chosen by hand, not measured."""

_TEXT_BYTES = 8_000_000
_PAIR_BYTES = 1000
_REPLY_BYTES = 60
"""What a pair and a model's reply to it take in the page, about: more pairs than fit are not loaded.

Chosen by hand: texts get about half of ``MAX_BYTES``, images the rest.
"""


_BLIND_SAMPLE = 2000
"""How many questions of a test the blind checks are over; ``falter inspect --blind`` uses more. Chosen by hand."""


def collect(
    runs: Sequence[Run],
    options: ScoreOptions = PLAIN,
    *,
    title: str | None = None,
    failures: int = MAX_FAILURES,
    scenes: Source | None = None,
    scorers: Sequence[Any] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> ReportData:
    """Scores, counts and failed pairs of runs, over one suite or several.

    ``scenes`` are those of the images, for the blind checks; captions and foils are ranked by ``scorers`` too.
    """
    collector = _Collector(runs, options, progress)
    data = collector.data
    loading: list[tuple[Suite, list[ModelRun], FailedPairs]] = []
    for suite, own in collector.suites:
        failed, before = FailedPairs(), len(data.scores)
        answering = collector.add_scores(suite, own, failed)
        _compare_models(data, ScoresByModel(data.scores[before:]), answering, options)
        _check_blind(data, suite, seed=options.seed, scenes=scenes, scorers=scorers)
        loading.append((suite, own, failed))
    _note_observed(data)
    ranked = {entry.model for entry in data.scores}
    named = [data.models[model] for model in sorted(ranked)] or data.models
    data.title = title or report_title(named, [suite for suite, _ in collector.suites])
    data.scores.sort(key=lambda entry: entry.model)
    _add_failures(data, loading, failures, options)
    collector.add_panels()
    data.panels += votes_panel(suite for suite, _ in collector.suites)
    return data


def collect_scores(
    runs: Sequence[Run], options: ScoreOptions = PLAIN, *, progress: Callable[[str], None] = lambda _: None
) -> ReportData:
    """Scores, overlaps and the panels of bundles, and nothing that takes longer: what charts are drawn from."""
    collector = _Collector(runs, options, progress)
    for suite, own in collector.suites:
        collector.add_scores(suite, own, FailedPairs())
    collector.data.scores.sort(key=lambda entry: entry.model)
    collector.add_panels()
    return collector.data


class _Collector:
    """The runs by suite, and the data that their scores are added to; every run is read once."""

    def __init__(self, runs: Sequence[Run], options: ScoreOptions, progress: Callable[[str], None]) -> None:
        runs = list({run.folder.resolve(): run for run in runs}.values())
        if not runs:
            raise UsageError("a report needs at least one run")
        suites = distinct_suites(runs)
        models, model_of_run = model_infos(runs)
        by_suite: dict[str, list[ModelRun]] = {fingerprint: [] for fingerprint in suites}
        for run, model in zip(runs, model_of_run, strict=True):
            by_suite[run.manifest.suite.fingerprint].append(ModelRun(run, model))
        self.suites = [(suite, by_suite[fingerprint]) for fingerprint, suite in suites.items()]
        self.data = ReportData(
            title="",
            suites=[suite_info(suite.manifest) for suite in suites.values()],
            models=models,
            scores=[],
            notes=run_notes(runs, options.subset),
        )
        self._options = options
        self._progress = progress
        self._by_bundle: dict[str, list[ReportRun]] = {}

    def add_scores(self, suite: Suite, runs: Sequence[ModelRun], failed: FailedPairs) -> list[ModelRun]:
        """Add scores and overlaps of the runs of a suite; give the runs that answered, so that they can be ranked."""
        facts = SuiteFacts(suite.manifest, suite.items_path, self._options)
        answering = [run for run in runs if self._add_run(run, failed, facts)]
        self.data.overlaps += _overlaps(answering, self._options)
        return answering

    def add_panels(self) -> None:
        """Add what the panels of the bundles have to show of the runs on their suites."""
        for runs in self._by_bundle.values():
            self.data.panels += _panels(self.data, runs, self._options)

    def _add_run(self, model_run: ModelRun, failed: FailedPairs, facts: SuiteFacts) -> bool:
        """Add the scores of a run and what it failed; False where it answered no pair."""
        run, model = model_run
        data, info = self.data, self.data.models[model]
        self._progress(info.name)
        scores = score_run(run, self._options)
        answered = [
            each for each in count_answered(scores) if each.group.facet is None and each.group.test not in TOTALS
        ]
        if not any(each.answered for each in answered):
            data.unranked.append(note_silent(info, run))
            return False
        data.warnings += note_lacking(info.name, answered)
        if (sampled := run.sampled()) is not None:
            how = tell_sampled(sampled, stopped=run.manifest.complete, limited=find_limit(run) is not None)
            data.sampled.append(f"{info.name} {how}.")
        data.lacking += [ModelAnswered(model, each) for each in answered if each.lacks_answers]
        data.scores += [ModelScore(model, score) for score in scores]
        release_memory(run.suite())
        outcomes = outcomes_of_run(run, self._options, facets=[])
        data.odd_answers += note_answers(info.name, run.manifest.suite.name, outcomes)
        failed.add(model, outcomes)
        for name in _suite_names(outcomes):
            _add_published(data, name, {score.group.test for score in scores if score.group.suite == name}, facts)
        by_facet = _score_facets(data, run, outcomes, self._options)
        data.scores += [ModelScore(model, score) for score in by_facet.scores]
        data.facet_values |= by_facet.values
        for bundle in _bundles(outcomes):
            if bundle.panels:
                own = ReportRun(run, model, tuple(bundle.suite_names), self._options)
                self._by_bundle.setdefault(bundle.name, []).append(own)
        return True


def _compare_models(data: ReportData, scores: ScoresByModel, runs: Sequence[ModelRun], options: ScoreOptions) -> None:
    """Add how the models of a suite compare with one another, and with themselves without images or other prompts."""
    data.rankings += collect_rankings(data, scores, runs, options=options)
    data.differences += collect_differences(data, scores, runs, options=options)
    data.image_ablations += _image_ablations(runs, options)
    data.prompt_spreads += _prompt_spreads(runs, options)


def _check_blind(data: ReportData, suite: Suite, *, seed: int, scenes: Source | None, scorers: Sequence[Any]) -> None:
    """Add how far text alone gets on a suite."""
    for name in BLIND_CHECKERS.names():
        check = BLIND_CHECKERS.get(name)
        blind = check(suite, most=_BLIND_SAMPLE, seed=seed, scenes=scenes, scorers=scorers, quick=True)
        data.blind_checks += [SuiteBlindCheck(suite.name, each) for each in blind.checks]
        data.blind_unchecked += [f"{test}, {asked} ({number})" for (test, asked), number in blind.unchecked.items()]


def _note_observed(data: ReportData) -> None:
    """A model whose scores fall without its images uses them, whatever it declares."""
    for one in data.image_ablations:
        low, info = one.found.difference_low, data.models[one.with_image]
        if low is not None and low > 0 and info.uses_images != "yes":
            observed = "yes, observed: its scores fall without them"
            data.models[one.with_image] = msgspec.structs.replace(info, uses_images=observed)


def _score_facets(data: ReportData, run: Run, found: Outcomes, options: ScoreOptions) -> FacetScores:
    return score_facets(
        run,
        found,
        published=data.published,
        most=values_per_facet(len(data.models)),
        # A run that stopped because of what it saw has no plain interval.
        options=options if run.sampled() is None else options.replace(n_resamples=0),
    )


def _add_published(data: ReportData, name: str, tests: Collection[str], facts: SuiteFacts) -> None:
    """Add the published figures that describe a suite and its scores; of two suites of one name, those of both."""
    published = data.published.get(name) or published_for(name)
    if published is None:
        return
    data.published[name], unshown = published.describing(facts, tests)
    lines = data.unshown.setdefault(name, [])
    lines += [line for line in format_unshown(unshown) if line not in lines]


def _add_failures(
    data: ReportData,
    loading: Sequence[tuple[Suite, list[ModelRun], FailedPairs]],
    most: int,
    options: ScoreOptions,
) -> None:
    """Of every test and model as many failed pairs as fit the page, the same number of each."""
    room = _TEXT_BYTES * max(most, MAX_FAILURES) // MAX_FAILURES
    pairs = room // (_PAIR_BYTES + _REPLY_BYTES * len(data.models))
    below = budget_rank([failed.ranks for *_, failed in loading], most, pairs)
    for suite, own, failed in loading:
        data.failure_counts += sorted(failed.counts, key=lambda one: (one.suite, one.test, one.model))
        data.failed_tests += [FailedTest(test, number) for test, number in failed.failed_by_any().items()]
        data.failures += load_failures(suite, own, failed.sample(below), data.images, options)


def _suite_names(found: Outcomes) -> list[str]:
    return sorted(found.frame["suite"].unique().to_list())


def _bundles(outcomes: Outcomes) -> list[SuiteBundle]:
    """The bundles that answer for the suites of a run."""
    found = (bundle_of(name) for name in _suite_names(outcomes))
    return list({bundle.name: bundle for bundle in found if bundle is not None}.values())


def _panels(data: ReportData, runs: Sequence[ReportRun], options: ScoreOptions) -> list[PanelSection]:
    """What the panels of one bundle have to show of its runs."""
    bundle = bundle_of(runs[0].suites[0])
    assert bundle is not None
    names = {run.run.suite().name for run in runs}
    view = ReportView(
        models=data.models,
        suites=[suite for suite in data.suites if suite.name in names],
        runs=runs,
        all_scores=[one for one in data.scores if one.score.group.suite in bundle.suite_names],
        published=next((data.published[name] for name in bundle.suite_names if name in data.published), None),
        options=options if all(run.run.sampled() is None for run in runs) else options.replace(n_resamples=0),
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


def _overlaps(runs: Sequence[ModelRun], options: ScoreOptions) -> list[Overlap]:
    """How much of one another's correct answers the models share that ran on one suite.

    Runs that asked a part are left out where two or more asked all: their overlap would be of that part alone.
    """
    whole = whole_runs(runs)
    runs = whole if len(whole) > 1 else runs
    if len(runs) < 2:
        return []
    models = [one.model for one in runs]
    return [
        msgspec.structs.replace(one, run=models[one.run], given=models[one.given])
        for one in overlap_runs([one.run for one in runs], options)
    ]


def _image_ablations(runs: Sequence[ModelRun], options: ScoreOptions) -> list[ModelImageAblation]:
    """Models with their images compared with themselves without."""
    return [
        ModelImageAblation(runs[normal].model, runs[blind].model, score)
        for normal, blind in ablation_pairs([one.run for one in runs])
        for score in image_ablation(runs[normal].run, runs[blind].run, options)
    ]


def _prompt_spreads(runs: Sequence[ModelRun], options: ScoreOptions) -> list[ModelPromptSpread]:
    """Models compared with themselves under other prompts."""
    return [
        ModelPromptSpread(tuple(runs[index].model for index in group), one)
        for group in prompt_groups([one.run for one in runs])
        for one in prompt_spread([runs[index].run for index in group], options)
    ]
