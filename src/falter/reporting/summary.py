"""The top of the page: what the report covers, and the weakest test of each model."""

from __future__ import annotations

import msgspec
from markupsafe import Markup

from falter.measures import summaries_for
from falter.reporting.foils import CHANCE, OVER_TESTS, FoilSuite, weakest_foil_test
from falter.reporting.headline import Headline
from falter.reporting.measure_info import measure_title
from falter.reporting.report_data import ReportData, SuiteTest
from falter.reporting.scores import ScoresByModel
from falter.reporting.svg import model_color, percent, share_bar

__all__ = ["ModelSummary", "model_summaries", "summary"]


def summary(data: ReportData, results: Headline, foil_suites: list[FoilSuite]) -> str:
    """What the report is about, in two sentences."""
    sentences = []
    if results.tests or not foil_suites:
        models = _models(len(results.rows) if results.tests else len(data.models))
        # A mean over tests has no pairs of its own.
        means = {one.name for one in summaries_for(test.suite for test in results.tests)}
        counted = [
            (unit, number)
            for test, number, unit in zip(results.tests, results.pairs, results.units, strict=True)
            if test.test not in means
        ]
        tests = f"{len(counted)} test{'' if len(counted) == 1 else 's'}"
        pairs, questions, sets = (
            sum(number for unit, number in counted if unit == one) for one in ("pairs", "questions", "sets")
        )
        if questions:
            tests = f"{tests}, {questions:,} single questions"
        if sets:
            tests = f"{tests}, {sets:,} sets of two images by two texts"
        if pairs or not (questions or sets):
            tests = (
                f"{tests}, {pairs:,} pairs of questions. The two questions of a pair differ a little in text or image, "
                "and the expected relation between their answers is known"
            )
        sentences.append(f"{models}, {tests}.")
    for suite in foil_suites:
        models = _models(suite.models)
        own = [pairs for test, pairs in zip(suite.tests, suite.pairs, strict=True) if test not in OVER_TESTS]
        tests = f"{len(own)} test{'' if len(own) == 1 else 's'}"
        sentences.append(
            f"{models}, {tests}, {sum(own):,} pairs of a caption and a foil. The foil differs from the caption in one "
            "respect that the image decides; the caption must score higher."
        )
    return " ".join(sentences)


def _models(count: int) -> str:
    return f"{count} model{'' if count == 1 else 's'}"


class ModelSummary(msgspec.Struct):
    """One model on its weakest test."""

    name: str
    css: str
    test: str
    acc: str
    c_acc: str
    drop: str
    drawing: Markup
    perfect: bool
    foils: str = ""
    """What the figure says of captions and foils."""
    lacking: str = ""
    """Of how many pairs the figure is, where more than 1 % have no answer."""


def model_summaries(data: ReportData, scores: ScoresByModel) -> list[ModelSummary]:
    """For each model the test on which it gets the fewest pairs right, and its ACC there."""
    found = []
    incomplete: dict[int, dict[SuiteTest, str]] = {}
    for one in data.lacking:
        told = f"Only {one.answered.answered:,} of {one.answered.pairs:,} pairs were answered."
        incomplete.setdefault(one.model, {})[SuiteTest(one.answered.group.suite, one.answered.group.test)] = told
    for model, info in enumerate(data.models):
        measured = [
            (c_acc, acc, test)
            for test in scores.tests
            if (c_acc := scores.value(model, test, "c_acc")) is not None
            and (acc := scores.value(model, test, "acc")) is not None
        ]
        weakest = weakest_foil_test(scores, model)
        if weakest is not None:
            found.append(_foil_summary(info.name, model, *weakest))
        if not measured:
            single = _single_summary(info.name, model, scores)
            if single is not None:
                found.append(single)
            continue
        c_acc, acc, test = min(measured, key=lambda entry: entry[0])
        drawing = share_bar(c_acc, model_color(model), f"{info.name}, {test.test}, C-ACC")
        drop = f"{(acc - c_acc) * 100:.1f}"
        found.append(
            ModelSummary(
                info.name,
                model_color(model),
                test.test,
                percent(acc),
                percent(c_acc),
                drop,
                drawing,
                c_acc == 1 and model not in incomplete,
                lacking=incomplete.get(model, {}).get(test, ""),
            )
        )
    return found


_OTHER_FORMS = (
    ("acc", "of the questions correct on"),
    ("group_score", "of the sets correct on"),
    ("group_acc", "of the sets correct on"),
)


def _single_summary(name: str, model: int, scores: ScoresByModel) -> ModelSummary | None:
    """The weakest test of a model that ran on single questions, or on two images by two texts."""
    for measure, told in _OTHER_FORMS:
        if measure == "acc" and not any(scores.value(model, test, "questions") for test in scores.tests):
            continue
        measured = [(value, test) for test in scores.tests if (value := scores.value(model, test, measure)) is not None]
        if measured:
            value, test = min(measured, key=lambda entry: entry[0])
            drawing = share_bar(value, model_color(model), f"{name}, {test.test}, {measure_title(measure)}")
            return ModelSummary(name, model_color(model), test.test, "", percent(value), "", drawing, False, told)
    return None


def _foil_summary(name: str, model: int, value: float, test: SuiteTest) -> ModelSummary:
    drawing = share_bar(value, model_color(model), f"{name}, {test.test}, acc_r")
    points = (value - CHANCE) * 100
    against = f"{abs(points):.1f} points {'above' if points >= 0 else 'below'} chance"
    foils = f"of the captions score above their foils, {against}, on"
    return ModelSummary(name, model_color(model), test.test, "", percent(value), "", drawing, False, foils)
