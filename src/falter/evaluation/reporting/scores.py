"""All scores of a report, one score as a table cell, and what the report says of a measure.

Of a measure that is its title, description, scale and direction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

import msgspec
from markupsafe import Markup

from falter.data.items import TOTALS
from falter.evaluation.measures import Estimate, Score, find_measure, summaries_for
from falter.evaluation.reporting.charts import Scale
from falter.evaluation.reporting.report_data import ModelAnswered, ModelScore
from falter.evaluation.reporting.svg_charts import interval_mark, model_color, percent
from falter.evaluation.runs.failure_records import SuiteTest

_WON_BY_ONE_ANSWER = frozenset(("cons", "cons_strict", "set_cons", "p_c", "p_f"))
"""Measures on which a model that always gives the same answer can be the best: their best value is not marked."""


def measure_title(name: str) -> str:
    """How a measure is headed."""
    measure = find_measure(name)
    return name if measure is None else measure.title


def measure_description(name: str) -> str:
    """What a measure says."""
    measure = find_measure(name)
    return "" if measure is None else measure.description


def measure_scale(name: str) -> Scale:
    """Whether values are shares, differences of shares, plain numbers or counts."""
    measure = find_measure(name)
    return "share" if measure is None else measure.scale


def higher_is_better(name: str) -> bool | None:
    """Which end of a measure is the better one; None where neither is."""
    measure = find_measure(name)
    return None if measure is None else measure.higher_is_better


def is_headline(name: str) -> bool:
    """Whether a measure is in the report's tables of tests."""
    measure = find_measure(name)
    return measure is not None and measure.headline


def has_best(name: str) -> bool:
    """Whether the best value of a measure is the best model: it has a better end that needs correct answers."""
    return higher_is_better(name) is not None and name not in _WON_BY_ONE_ANSWER


_PART = 0.95
"""A model with fewer than this share of the cases of another was asked a part."""


class ScoreCell(msgspec.Struct, kw_only=True):
    """One value of a table."""

    measure: str = ""
    name: str = ""
    value: str = "–"
    interval: str = ""
    mark: Markup = Markup("")
    n: int | None = None
    best: bool = False
    note: str = ""
    at_chance: bool = False
    """Whether the value is at or below chance, as far as the measure has one."""


class ScoresByModel:
    """All scores of a report, found by model, test, measure and facet."""

    def __init__(self, scores: Iterable[ModelScore]) -> None:
        self._whole: dict[tuple[int, SuiteTest, str], Score] = {}
        self._faceted: dict[tuple[SuiteTest, str], dict[str, dict[tuple[int, str], Score]]] = {}
        tests: dict[SuiteTest, None] = {}
        measures: dict[str, None] = {}
        for entry in scores:
            score = entry.score
            key = SuiteTest(score.group.suite, score.group.test)
            measures[score.measure] = None
            if key.test not in TOTALS:
                tests[key] = None
            if score.group.facet is None:
                self._whole[entry.model, key, score.measure] = score
            else:
                values = self._faceted.setdefault((key, score.group.facet), {})
                values.setdefault(str(score.group.value), {})[entry.model, score.measure] = score
        self.tests, self.measures = list(tests), list(measures)
        models: dict[SuiteTest, set[int]] = {}
        for model, key, _ in self._whole:
            models.setdefault(key, set()).add(model)
        self._models = {test: sorted(own) for test, own in models.items()}
        self._with_foils = {key for _, key, measure in self._whole if measure == "acc_r"}

    def get(self, model: int, test: SuiteTest, measure: str) -> Score | None:
        """The score over a whole test."""
        return self._whole.get((model, test, measure))

    def value(self, model: int, test: SuiteTest, measure: str) -> float | None:
        """The bare value over a whole test."""
        score = self.get(model, test, measure)
        return None if score is None else score.value

    @property
    def suites(self) -> list[str]:
        """The suites that have scores, in the order in which they come."""
        return list(dict.fromkeys(test.suite for test in self.tests))

    def ran(self, model: int, suite: str) -> bool:
        """Whether a model has scores on a suite."""
        return any(model in self.models(test) for test in self.tests if test.suite == suite)

    def averages(self, suite: str) -> frozenset[str]:
        """The tests of a suite that are several tests taken together."""
        return frozenset(one.name for one in summaries_for([suite]))

    def has_foils(self, test: SuiteTest) -> bool:
        """Whether a test has captions ranked against foils."""
        return test in self._with_foils

    def headline(self, test: SuiteTest) -> list[str]:
        """The headline measures that some model has a value of on a test."""
        known = {measure for (_, key, measure), one in self._whole.items() if key == test and one.value is not None}
        return [measure for measure in self.measures if measure in known and is_headline(measure)]

    def models(self, test: SuiteTest) -> list[int]:
        """The models that have any score over a whole test."""
        return self._models.get(test, [])

    def cases(self, model: int, test: SuiteTest) -> int:
        """Over how many pairs, or questions, a model has a score on a test."""
        found = (self.get(model, test, measure) for measure in ("c_acc", "acc_r", "acc"))
        return next((one.n for one in found if one is not None and one.n), 0)

    def asked_parts(self, test: SuiteTest) -> dict[int, int]:
        """The models that were asked clearly less of a test than others, with the cases that they have."""
        cases = {model: number for model in self.models(test) if (number := self.cases(model, test))}
        return {model: number for model, number in cases.items() if number < _PART * max(cases.values())}

    def facets(self, test: SuiteTest) -> dict[str, dict[str, dict[tuple[int, str], Score]]]:
        """By facet and value: the scores of every model and measure."""
        return {facet: values for (key, facet), values in self._faceted.items() if key == test}

    def all(self) -> list[tuple[int, SuiteTest, str, Score]]:
        """Every score over a whole test."""
        return [(*key, score) for key, score in self._whole.items()]


def best_of(measure: str, values: Sequence[float | None]) -> list[bool]:
    """Which of several values is the best of a measure.

    None is where there is one value alone, where all are equal, and of measures that say nothing of correct answers.
    """
    known = {value for value in values if value is not None}
    if not has_best(measure) or len(known) < 2:
        return [False] * len(values)
    best = max(known) if higher_is_better(measure) else min(known)
    return [value == best for value in values]


def comparable_values(
    scores: ScoresByModel, lacking: Iterable[ModelAnswered], models: Sequence[int], test: SuiteTest, measure: str
) -> list[float | None]:
    """The values by which models are ranked: none of a model that did not answer more than 1 % of the test.

    Nor of one that was asked a part of what others were asked.
    """
    group = (test.suite, test.test)
    out = {one.model for one in lacking if (one.answered.group.suite, one.answered.group.test) == group}
    out.update(scores.asked_parts(test))
    return [None if model in out else scores.value(model, test, measure) for model in models]


def score_estimate(score: Score | None) -> Estimate | None:
    """A score as a value with an interval, or None where there is nothing to draw."""
    if score is None or score.value is None or not isfinite(score.value):
        return None
    ends = score.low, score.high
    known = all(end is not None and isfinite(end) for end in ends)
    return Estimate(score.value, *(ends if known else (None, None)), n=score.n)


def format_value(value: float, scale: Scale) -> str:
    """A value as its measure's scale has it: shares and differences in per cent."""
    if scale == "share":
        return percent(value)
    if scale == "difference":
        return f"{100 * value:.1f}"
    return f"{value:,.0f}" if scale == "count" else f"{value:.4g}"


def score_cell(score: Score | None, model: int, label: str = "", width: float = 44.0) -> ScoreCell:
    """A score as a table cell with its interval, and a mark where it is a share and the mark has a width."""
    estimate = score_estimate(score)
    if score is None or estimate is None or estimate.value is None:
        return ScoreCell(measure="" if score is None else score.measure)
    scale, title = measure_scale(score.measure), measure_title(score.measure)
    interval = ""
    if estimate.low is not None and estimate.high is not None:
        interval = f"{format_value(estimate.low, scale)} to {format_value(estimate.high, scale)}"
    mark = Markup("")
    if scale == "share" and width:
        mark = interval_mark(estimate, model_color(model), f"{label} {title}", width)
    return ScoreCell(
        measure=score.measure,
        name=title,
        value=format_value(estimate.value, scale),
        interval=interval,
        mark=mark,
        n=score.n,
    )
