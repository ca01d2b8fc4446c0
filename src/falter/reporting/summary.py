"""The top of the page: what the report covers."""

from __future__ import annotations

from collections.abc import Sequence

from falter.measures import summaries_for
from falter.reporting.foils import OVER_TESTS, FoilSuite
from falter.reporting.headline import Headline
from falter.reporting.report_data import ReportData

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
        tests = f"{len(counted)} test{'' if len(counted) == 1 else 's'}"
        pairs, questions, sets = (
            sum(number for unit, number in counted if unit == one) for one in ("pairs", "questions", "sets")
        )
        if questions:
            tests = f"{tests}, {questions:,} single question{'' if questions == 1 else 's'}"
        if sets:
            tests = f"{tests}, {sets:,} set{'' if sets == 1 else 's'} of two images by two texts"
        if pairs or not (questions or sets):
            tests = (
                f"{tests}, {pairs:,} pair{'' if pairs == 1 else 's'} of questions. The two questions of a pair differ "
                "a little in text or image, and the expected relation between their answers is known"
            )
        sentences.append(f"{models}, {tests}.")
    for suite in foil_suites:
        models = _models(suite.models)
        own = [pairs for test, pairs in zip(suite.tests, suite.pairs, strict=True) if test not in OVER_TESTS]
        tests = f"{len(own)} test{'' if len(own) == 1 else 's'}"
        sentences.append(
            f"{models}, {tests}, {sum(own):,} pair{'' if sum(own) == 1 else 's'} of a caption and a foil. The foil "
            "differs from the caption in one "
            "respect that the image decides; the caption must score higher."
        )
    return " ".join(sentences)


def _models(count: int) -> str:
    return f"{count} model{'' if count == 1 else 's'}"
