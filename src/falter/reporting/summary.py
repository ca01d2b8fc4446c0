"""The top of the page: what the report covers."""

from __future__ import annotations

from collections.abc import Sequence

from falter.measures import summaries_for
from falter.reporting.foils import OVER_TESTS, FoilSuite
from falter.reporting.headline import Headline
from falter.reporting.report_data import ReportData
from falter.tables import format_count

__all__ = ["summary"]


def summary(data: ReportData, results: Sequence[Headline], foil_suites: Sequence[FoilSuite]) -> str:
    """What the report is about, in two sentences."""
    sentences = []
    if results or not foil_suites:
        models = _models(len({row.name for table in results for row in table.rows}) if results else len(data.models))
        # A mean over tests has no pairs of its own.
        means = {one.name for one in summaries_for(test.suite for table in results for test in table.tests)}
        counted = [
            (unit, number)
            for table in results
            for test, number, unit in zip(table.tests, table.pairs, table.units, strict=True)
            if test.test not in means
        ]
        tests = format_count(len(counted), "tests")
        pairs, questions, sets = (
            sum(number for unit, number in counted if unit == one) for one in ("pairs", "questions", "sets")
        )
        if questions:
            tests = f"{tests}, {format_count(questions, 'single questions')}"
        if sets:
            tests = f"{tests}, {format_count(sets, 'sets')} of two images by two texts"
        if pairs or not (questions or sets):
            tests = (
                f"{tests}, {format_count(pairs, 'pairs')} of questions. The two questions of a pair differ "
                "a little in text or image, and the expected relation between their answers is known"
            )
        sentences.append(f"{models}, {tests}.")
    for suite in foil_suites:
        models = _models(suite.models)
        own = [pairs for test, pairs in zip(suite.tests, suite.pairs, strict=True) if test not in OVER_TESTS]
        tests = format_count(len(own), "tests")
        sentences.append(
            f"{models}, {tests}, {format_count(sum(own), 'pairs')} of a caption and a foil. The foil "
            "differs from the caption in one "
            "respect that the image decides; the caption must score higher."
        )
    return " ".join(sentences)


def _models(count: int) -> str:
    return format_count(count, "models")
