"""Models compared two by two on the same pairs: the difference, its interval and the verdict in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import msgspec

from falter.data.items import INVARIANCE, SENSITIVITY, TOTALS
from falter.evaluation.measures import Group
from falter.evaluation.measures.catalogue import measures_for, summaries_for
from falter.evaluation.measures.comparisons import compare_paired
from falter.evaluation.measures.standardised import turned_signs
from falter.evaluation.reporting.failure_viewer import failure_link
from falter.evaluation.reporting.ranking import MainFigure, main_comparison, main_figure, rank_models, signed
from falter.evaluation.reporting.report_data import ModelDifference, ReportData, SuiteRanking
from falter.evaluation.reporting.scores import ScoresByModel, measure_title
from falter.evaluation.reporting.svg_charts import model_color, percent
from falter.evaluation.runs.failure_records import SuiteTest
from falter.evaluation.runs.rankings import competing_runs, rank_runs
from falter.evaluation.runs.scoring import compare_runs, pair_runs

if TYPE_CHECKING:
    from falter.evaluation.measures import Comparison
    from falter.evaluation.measures.standardised import StandardisedDifference
    from falter.evaluation.runs.failures import ModelRun
    from falter.evaluation.score_options import ScoreOptions

_MOST_WITH_ALL_PAIRS = 6
"""With more models, each is compared with the best and with the next."""

_MOST_ITEMS = 300_000
"""Of larger suites, too."""

_MOST_SHOWN = 120

_TOTALS = {INVARIANCE: "answers must stay", SENSITIVITY: "answers must change"}


def collect_differences(
    data: ReportData,
    scores: ScoresByModel,
    runs: Sequence[ModelRun],
    *,
    options: ScoreOptions,
) -> list[ModelDifference]:
    """The comparisons of the runs of one suite folder that have answers to rank by; the better model is the second.

    ``scores`` are those of these runs alone: a model may have scores on other suites of the report. Control runs have
    a section of their own.
    """
    runs = without_controls(runs)
    if len(runs) < 2:
        return []
    by_model = {one.model: one.run for one in runs}
    suites = [suite for suite in scores.suites if any(scores.ran(model, suite) for model in by_model)]
    own = options.replace(measures=tuple(measure.name for measure in measures_for(suites) if measure.headline))
    facets = tuple(
        sorted({facet for (suite, _, facet), values in data.facet_values.items() if suite in suites and values > 1})
    )
    compared: dict[tuple[int, int], tuple[tuple[Comparison, ...], tuple[StandardisedDifference, ...]]] = {}
    found = []
    for suite in suites:
        main = main_figure(scores, suite)
        models = [model for model in sorted(by_model) if scores.ran(model, suite)]
        if main is None or len(models) < 2:
            continue
        for better, worse in _choose(rank_models(data, scores, models, main).order, runs[0]):
            if (better, worse) not in compared and any(by_model[one].sampled() for one in (better, worse)):
                anytime = compare_runs(by_model[worse], by_model[better], own.replace(n_resamples=0))
                compared[better, worse] = tuple(anytime.comparisons), ()
            if (better, worse) not in compared:
                both = pair_runs((by_model[worse], by_model[better]), own.replace(by=facets))
                # Facets are read for the standardised differences; comparisons are over whole tests.
                both = replace(both, by=())
                by_main = replace(both, measures=[one for one in both.measures if one.name == main.measure])
                turned = turned_signs(by_main, facets)
                compared[better, worse] = tuple(compare_paired(both).comparisons), tuple(turned)
            found.append(ModelDifference(worse, better, suite, *compared[better, worse]))
    return found


def _choose(order: list[int], one: ModelRun) -> list[tuple[int, int]]:
    """Which models are compared: all two by two, or with the best and with the next."""
    if len(order) <= _MOST_WITH_ALL_PAIRS and one.run.suite().item_count <= _MOST_ITEMS:
        return list(combinations(order, 2))
    return list(dict.fromkeys([*((order[0], other) for other in order[1:]), *pairwise(order)]))


def whole_runs(runs: Sequence[ModelRun]) -> list[ModelRun]:
    """The runs of a suite that asked as much as any of them; of the others, what is common to all would be a part."""
    most = max((one.run.manifest.asked for one in runs), default=0)
    return [one for one in runs if one.run.manifest.asked == most and one.run.sampled() is None]


def without_controls(runs: Sequence[ModelRun]) -> list[ModelRun]:
    """The runs whose models were given their images; all where none was."""
    return [one for one in runs if not one.run.manifest.is_control] or list(runs)


def collect_rankings(
    data: ReportData,
    scores: ScoresByModel,
    runs: Sequence[ModelRun],
    *,
    options: ScoreOptions,
) -> list[SuiteRanking]:
    """By suite the order of its models by the main figure, over the pairs that all of them answered.

    ``scores`` are those of these runs alone.

    Runs that lack answers are left out, and those that asked a part: they would take their pairs from all the others.
    So are control runs, in which the models did not get their images.
    """
    own = [runs[number] for number in competing_runs([one.run for one in runs])]
    found = []
    for suite in scores.suites:
        main = main_figure(scores, suite)
        lacking = {one.model for one in data.lacking if one.answered.group.suite == suite}
        chosen = [one for one in own if one.model not in lacking and scores.ran(one.model, suite)]
        if main is None or len(chosen) < 2:
            continue
        rankings = rank_runs([one.run for one in chosen], options.replace(measures=(main.measure,)))
        group = Group(main.test.suite, main.test.test)
        ranking = next((one for one in rankings if one.group == group), None)
        if ranking is not None:
            found.append(SuiteRanking(main.test, main.measure, tuple(one.model for one in chosen), ranking))
    return found


class DifferenceRow(msgspec.Struct):
    """Two models: ``first`` is the one with the lower main figure."""

    first: str
    first_css: str
    second: str
    second_css: str
    figures: str
    difference: str
    interval: str
    verdict: str
    decided: bool
    totals: list[tuple[str, str]]
    """By heading of the table's totals the difference in C-ACC, and its interval."""
    tests: str
    """On which tests one of them is better."""
    turned: str
    """A warning where the order turns once every value of a facet counts the same."""
    only_first: str
    only_second: str
    """The addresses of the failures that only the other one has."""


class Differences(msgspec.Struct):
    """The table of one suite."""

    suite: str
    measure: str
    rows: list[DifferenceRow]
    totals: list[str]
    """The headings of the differences in C-ACC by what was expected, where there are any."""
    all_pairs: bool


def differences(data: ReportData, scores: ScoresByModel) -> list[Differences]:
    """For each suite its comparisons, those with the largest differences last."""
    several = len(scores.suites) > 1
    found = []
    for suite in dict.fromkeys(one.suite for one in data.differences):
        main = main_figure(scores, suite)
        if main is None:
            continue
        own = [one for one in data.differences if one.suite == suite]
        totals = {
            total: title
            for total, title in _TOTALS.items()
            if any(_total(one, total) is not None for one in own[:_MOST_SHOWN])
        }
        rows = [row for one in own[:_MOST_SHOWN] if (row := _row(data, one, main, several, [*totals])) is not None]
        models = {model for one in own for model in (one.first, one.second)}
        if rows:
            all_pairs = len(own) == len(models) * (len(models) - 1) // 2
            found.append(Differences(suite, measure_title(main.measure), rows, [*totals.values()], all_pairs))
    return found


def _row(
    data: ReportData, one: ModelDifference, main: MainFigure, several: bool, totals: Sequence[str]
) -> DifferenceRow | None:
    comparison = main_comparison(one, main)
    if comparison is None or comparison.difference is None:
        return None
    first, second = (data.models[model].name for model in (one.first, one.second))
    suite = one.suite if several else ""
    return DifferenceRow(
        first,
        model_color(one.first),
        second,
        model_color(one.second),
        f"{percent(comparison.first or 0.0)} and {percent(comparison.second or 0.0)}",
        signed(comparison.difference),
        _interval(comparison),
        _verdict(comparison, first, second),
        comparison.better is not None,
        [_format_total(_total(one, total)) for total in totals],
        _tests(one, main, first, second),
        _turned(one, main, first, second),
        failure_link(suite=suite, wrong=second, right=first),
        failure_link(suite=suite, wrong=first, right=second),
    )


def _interval(comparison: Comparison) -> str:
    if comparison.low is None or comparison.high is None:
        return ""
    return f"{signed(comparison.low)} to {signed(comparison.high)}"


def _verdict(comparison: Comparison, first: str, second: str) -> str:
    if comparison.better is not None:
        better, worse = (second, first) if comparison.better == "second" else (first, second)
        return f"{better} is better than {worse}."
    if comparison.low is None or comparison.high is None:
        return "Not decided: there is no interval for all of the suite."
    if comparison.low <= 0 <= comparison.high:
        return "Not decided: the interval includes 0."
    return "Not decided: after correction for several tests, chance can explain it."


def _total(one: ModelDifference, test: str) -> Comparison | None:
    """The difference in C-ACC over the pairs that expect the same, or different, answers."""
    return next(
        (
            each
            for each in one.comparisons
            if each.measure == "c_acc"
            and each.group.facet is None
            and each.group.test == test
            and each.difference is not None
        ),
        None,
    )


def _format_total(found: Comparison | None) -> tuple[str, str]:
    return ("–", "") if found is None or found.difference is None else (signed(found.difference), _interval(found))


def _turned(one: ModelDifference, main: MainFigure, first: str, second: str) -> str:
    found = [
        each
        for each in one.turned
        if each.measure == main.measure and (each.group.suite, each.group.test) == (main.test.suite, main.test.test)
    ]
    if not found:
        return ""
    worst = max(found, key=lambda each: abs(each.standardised - each.difference))
    leader, other = (second, first) if worst.difference > 0 else (first, second)
    return (
        f"The order turns: {leader} leads by {100 * abs(worst.difference):.1f} points{worst.over()}, but {other} by "
        f"{100 * abs(worst.standardised):.1f} where each {worst.facet.replace('_', ' ')} counts the same."
    )


_STRICT = ("c_acc", "acc_r", "group_score", "group_acc", "acc")


def _tests(one: ModelDifference, main: MainFigure, first: str, second: str) -> str:
    """The tests on which a difference is decided, by the strictest measure of each."""
    by_test: dict[SuiteTest, Comparison] = {}
    over_tests = {*TOTALS, *(summary.name for summary in summaries_for([one.suite]))}
    for measure in _STRICT:
        for each in one.comparisons:
            test = SuiteTest(each.group.suite, each.group.test)
            if (
                each.measure == measure
                and each.group.facet is None
                and test.test not in over_tests
                and test != main.test
            ):
                by_test.setdefault(test, each)
    if len(by_test) < 2:
        return ""
    better = {"first": first, "second": second}
    said = []
    for side in ("second", "first"):
        names = [test.test for test, each in by_test.items() if each.better == side]
        where = f"every one of {len(names)} tests" if len(names) == len(by_test) else ", ".join(names)
        if names:
            said.append(f"{better[side]} is better on {where}")
    return "; ".join(said) + "." if said else "On no single test is a difference decided."
