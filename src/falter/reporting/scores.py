"""All scores of a report, and one score as a table cell."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

import msgspec
from markupsafe import Markup

from falter.measures.score import Score
from falter.reporting.charts import Estimate, interval_mark, percent
from falter.reporting.data import ModelScore, SuiteTest
from falter.reporting.reading import name_of

__all__ = ["Cell", "Scores", "cell_of", "colour", "estimate_of"]

COLOURS = 8
"""Model colours in the style sheet; a ninth model takes the first one again, so names always stand beside them."""


class Cell(msgspec.Struct, kw_only=True):
    """One value of a table."""

    measure: str = ""
    name: str = ""
    value: str = "–"
    interval: str = ""
    mark: Markup = Markup("")
    n: int | None = None
    best: bool = False
    note: str = ""


class Scores:
    """All scores of a report, found by model, test, measure and facet."""

    def __init__(self, scores: Iterable[ModelScore]) -> None:
        self._whole: dict[tuple[int, SuiteTest, str], Score] = {}
        self._faceted: dict[tuple[SuiteTest, str], dict[str, dict[tuple[int, str], Score]]] = {}
        self.tests: list[SuiteTest] = []
        self.measures: list[str] = []
        for entry in scores:
            score = entry.score
            key = SuiteTest(score.group.suite, score.group.test)
            if key not in self.tests:
                self.tests.append(key)
            if score.measure not in self.measures:
                self.measures.append(score.measure)
            if score.group.facet is None:
                self._whole[entry.model, key, score.measure] = score
            else:
                values = self._faceted.setdefault((key, score.group.facet), {})
                values.setdefault(str(score.group.value), {})[entry.model, score.measure] = score

    def get(self, model: int, test: SuiteTest, measure: str) -> Score | None:
        """The score over a whole test."""
        return self._whole.get((model, test, measure))

    def value(self, model: int, test: SuiteTest, measure: str) -> float | None:
        """The bare value over a whole test."""
        score = self.get(model, test, measure)
        return None if score is None else score.value

    def asked(self, test: SuiteTest) -> list[int]:
        """The models that have any score over a whole test."""
        return sorted({model for model, key, _ in self._whole if key == test})

    def facets(self, test: SuiteTest) -> dict[str, dict[str, dict[tuple[int, str], Score]]]:
        """By facet and value: the scores of every model and measure."""
        return {facet: values for (key, facet), values in self._faceted.items() if key == test}

    def all(self) -> list[tuple[int, SuiteTest, str, Score]]:
        """Every score over a whole test."""
        return [(*key, score) for key, score in self._whole.items()]


def colour(model: int) -> str:
    """The class that gives a model its colour."""
    return f"m{model % COLOURS}"


def estimate_of(score: Score | None) -> Estimate | None:
    """A score as a point with an interval, or None where there is nothing to draw."""
    if score is None or score.value is None or not isfinite(score.value):
        return None
    ends = (score.low, score.high)
    known = all(end is not None and isfinite(end) for end in ends)
    return Estimate(score.value, *(ends if known else (None, None)))


def cell_of(score: Score | None, model: int, label: str = "", width: float = 44.0) -> Cell:
    """A score as a table cell with its interval mark."""
    estimate = estimate_of(score)
    if score is None or estimate is None:
        return Cell(measure="" if score is None else score.measure)
    interval = ""
    if estimate.low is not None and estimate.high is not None:
        interval = f"{percent(estimate.low)} to {percent(estimate.high)}"
    return Cell(
        measure=score.measure,
        name=name_of(score.measure),
        value=percent(estimate.value),
        interval=interval,
        mark=interval_mark(estimate, colour(model), f"{label} {name_of(score.measure)}", width),
        n=score.n,
    )
