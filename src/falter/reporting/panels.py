"""The charts and cards of a report, filled from its scores."""

from __future__ import annotations

import msgspec
from markupsafe import Markup

from falter.reporting.charts import Level, Row, consistency_chart, drop_chart, percent, share_bar
from falter.reporting.data import ReportData, SuiteTest
from falter.reporting.foils import worst_foils
from falter.reporting.headline import headline
from falter.reporting.published import load_published
from falter.reporting.scores import Scores, colour, estimate_of

__all__ = ["Glance", "Panel", "charts", "glance"]


_COIN = 0.5


class Panel(msgspec.Struct):
    """One chart with its heading."""

    test: SuiteTest
    drawing: Markup


def charts(data: ReportData, scores: Scores) -> tuple[list[Panel], list[Panel]]:
    """The panels of ACC against C-ACC, and of consistency against chance."""
    drops, chances = [], []
    for test in headline(data, scores).tests:
        rows = [
            Row(
                card.name,
                colour(model),
                estimate_of(scores.get(model, test, "acc")),
                estimate_of(scores.get(model, test, "c_acc")),
            )
            for model, card in enumerate(data.models)
            if scores.get(model, test, "acc") is not None
        ]
        drops.append(Panel(test, drop_chart(test.test, rows, _people(test))))
        rows = [
            Row(
                card.name,
                colour(model),
                estimate_of(scores.get(model, test, "cons_independent")),
                estimate_of(scores.get(model, test, "cons")),
            )
            for model, card in enumerate(data.models)
            if scores.get(model, test, "acc") is not None
        ]
        if any(row.start is not None for row in rows):
            chances.append(Panel(test, consistency_chart(test.test, rows)))
    return drops, chances


def _people(test: SuiteTest) -> Level | None:
    paper = load_published(test.suite)
    row = None if paper is None else paper.people(test.test)
    if row is None or ("acc" not in row.values and "c_acc" not in row.values):
        return None
    acc, c_acc = row.values.get("acc"), row.values.get("c_acc")
    return Level("people", None if acc is None else acc / 100, None if c_acc is None else c_acc / 100)


class Glance(msgspec.Struct):
    """One model in a sentence: where it falters most."""

    name: str
    css: str
    test: str
    acc: str
    c_acc: str
    drop: str
    drawing: Markup
    sound: bool
    story: str = ""
    """What the figure says, where it is not about accuracy that falls."""


def glance(data: ReportData, scores: Scores) -> list[Glance]:
    """For each model the test on which the fewest pairs come out right, and what ACC alone would have said."""
    found = []
    for model, card in enumerate(data.models):
        measured = [
            (c_acc, acc, test)
            for test in scores.tests
            if (c_acc := scores.value(model, test, "c_acc")) is not None
            and (acc := scores.value(model, test, "acc")) is not None
        ]
        ranked = worst_foils(data, scores, model)
        if ranked is not None:
            found.append(_ranked(card.name, model, *ranked))
        if not measured:
            continue
        c_acc, acc, test = min(measured, key=lambda entry: entry[0])
        drawing = share_bar(c_acc, colour(model), f"{card.name}, {test.test}, C-ACC")
        drop = f"{(acc - c_acc) * 100:.1f}"
        found.append(
            Glance(card.name, colour(model), test.test, percent(acc), percent(c_acc), drop, drawing, c_acc == 1)
        )
    return found


def _ranked(name: str, model: int, value: float, test: SuiteTest) -> Glance:
    drawing = share_bar(value, colour(model), f"{name}, {test.test}, acc_r")
    points = (value - _COIN) * 100
    against = f"{abs(points):.1f} points {'above' if points >= 0 else 'below'} a coin"
    story = f"of the captions score above their foils, {against}, on"
    return Glance(name, colour(model), test.test, "", percent(value), "", drawing, False, story)
