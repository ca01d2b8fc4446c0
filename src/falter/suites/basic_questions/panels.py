"""The report's panels on basic questions: accuracy by partition, the loss, R_score with its curves, and VQABQ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from falter.evaluation.measures import Estimate
from falter.evaluation.reporting import (
    ChartAxis,
    ChartLine,
    ChartPoint,
    LineChart,
    ModelInfo,
    Panel,
    ReportView,
    Section,
    Table,
    TableCell,
    line_values,
)
from falter.suites.basic_questions.measures import r_score
from falter.suites.basic_questions.published_figures import (
    NoiseTable,
    PublishedFigures,
    PublishedVqabq,
    WithoutAndWith,
    published_figures,
)
from falter.suites.basic_questions.robustness import ALL, NoiseLevel, Robustness, robustness_of_frame
from falter.suites.basic_questions.vqabq import Vqabq, vqabq_of_run

_CONTROL = "length"
_NOISE = "noise"


class ModelRobustness(NamedTuple):
    """The accuracy of one model under noise, on one test."""

    model: int
    found: Robustness


class ModelVqabq(NamedTuple):
    """What basic questions add to the accuracy of one model."""

    model: int
    found: Vqabq


class _Test(NamedTuple):
    """One test with everything that is drawn of it."""

    name: str
    levels: str
    by_model: Sequence[ModelRobustness]
    table: NoiseTable | None


def _build_noise(view: ReportView) -> Section | None:
    found = [
        ModelRobustness(run.model, one) for run in view.runs for one in robustness_of_frame(run.outcomes, view.options)
    ]
    return noise_section(view.models, found, published_figures(view.published))


def noise_section(
    models: Sequence[ModelInfo],
    robustness: Sequence[ModelRobustness],
    paper: PublishedFigures | None,
) -> Section | None:
    """Accuracy under noise of every test, beside the paper's figures where they describe it."""
    if not robustness:
        return None
    by_test: dict[str, list[ModelRobustness]] = {}
    for one in robustness:
        by_test.setdefault(one.found.test, []).append(one)
    tests = [
        _Test(
            name,
            (found[0].found.facet or "noise").replace("_", " "),
            found,
            None if paper is None else paper.noise_table(name),
        )
        for name, found in by_test.items()
    ]
    text = [
        "Basic questions are added to the main question; the model must answer the main question alone. Bands are "
        "95 % intervals over images. If the ranking is meaningful, accuracy falls with every partition. Dashed lines "
        "are the same models with unrelated questions of the same length"
        + ("; gray lines are the paper's models, on other data." if any(test.table for test in tests) else ".")
    ]
    uneven = [
        test.name for test in tests if len(test.by_model[0].found.levels) > 1 and not _same_questions(test.by_model)
    ]
    if uneven:
        text.append(
            f"Not every question of {', '.join(uneven)} has noise of every strength, so accuracies are not over the "
            "same questions; the loss of each is."
        )
    main = next((test.by_model for test in tests if test.name.startswith(_NOISE)), [])
    return Section(
        text=text,
        figures=_charts(models, tests, by_test),
        parts=[*_r_score_part(models, main), *(_table_part(models, test) for test in tests)],
    )


def _charts(
    models: Sequence[ModelInfo], tests: Sequence[_Test], by_test: dict[str, list[ModelRobustness]]
) -> list[list[LineChart]]:
    """Accuracy and loss of all tests, side by side; tests with the same levels share their axes."""
    lines = {
        (test.name, loss): _lines(models, test, by_test.get(_CONTROL, []), loss=loss)
        for test in tests
        for loss in (False, True)
    }
    groups = []
    for test in tests:
        charts = []
        names = [level.name for level in test.by_model[0].found.levels]
        for loss in (False, True):
            if len(names) < 2 or not (loss or _same_questions(test.by_model)):
                continue
            alike = [other.name for other in tests if other.levels == test.levels]
            values = [value for name in alike for line in lines[name, loss] for value in line_values(line)]
            what = "loss of accuracy" if loss else "accuracy"
            x = ChartAxis.of_names(names if loss else ["none", *names], test.levels)
            y = ChartAxis.around(values, f"{what}, %", zero=loss)
            charts.append(LineChart(f"{test.name}: {'loss' if loss else what}", lines[test.name, loss], x, y))
        groups.append(charts)
    return groups


def _lines(
    models: Sequence[ModelInfo], test: _Test, control: Sequence[ModelRobustness], *, loss: bool
) -> list[ChartLine]:
    if not test.name.startswith(_NOISE):
        control = ()
    published = [] if test.table is None else [_published_line(test.table, name, loss) for name in test.table.rows]
    return [
        *published,
        *(_line(models, one, loss, control=True) for one in control),
        *(_line(models, one, loss, control=False) for one in test.by_model),
    ]


def _same_questions(by_model: Sequence[ModelRobustness]) -> bool:
    """Whether all levels are of nearly the same questions; if not, only losses can be compared."""
    return all(
        10 * level.accuracy[ALL].n >= 9 * found.original[ALL].n for _, found in by_model for level in found.levels
    )


def _line(models: Sequence[ModelInfo], one: ModelRobustness, loss: bool, *, control: bool) -> ChartLine:
    found = one.found
    points = [] if loss else [_point(0, found.original[ALL], "without noise")]
    for position, level in enumerate(found.levels):
        value = level.drop[ALL] if loss else level.accuracy[ALL]
        points.append(_point(position + (0 if loss else 1), value, level.name))
    known = [point for point in points if point is not None]
    name = models[one.model].name
    if control:
        bare = [point._replace(low=None, high=None) for point in known]
        return ChartLine(f"{name} (unrelated questions of the same length)", bare, one.model, "control", dots=False)
    return ChartLine(name, known, one.model)


def _point(x: float, value: Estimate, where: str) -> ChartPoint | None:
    if value.value is None:
        return None
    low, high = (None if end is None else 100 * end for end in (value.low, value.high))
    return ChartPoint(x, 100 * value.value, low, high, f"{where}: {_format_percent(value)}")


def _published_line(table: NoiseTable, name: str, loss: bool) -> ChartLine:
    rows = table.rows[name]
    before = rows["original"][ALL]
    levels = [key for key in rows if key != "original"]
    values = [before - rows[key][ALL] for key in levels] if loss else [before, *(rows[key][ALL] for key in levels)]
    points = [ChartPoint(float(position), value, title=f"{value:.2f}") for position, value in enumerate(values)]
    return ChartLine(f"{name}, published", points, None, "published", dots=False)


def _r_score_part(models: Sequence[ModelInfo], found: Sequence[ModelRobustness]) -> list[Section]:
    """Figure 3 of the paper with the user's models, and the score over its two parameters."""
    if not found or not found[0].found.levels:
        return []
    curves = [chart for over in ("t", "m") if (chart := _curves(models, found, over)) is not None]
    text = (
        "1 up to the tolerance t, 0 from the limit m on. Each dot is a model under the first partition. The score "
        "depends on the choice of t and m, so it is drawn over both."
    )
    return [Section(title="R_score", text=text, figures=[_function(models, found), *curves])]


_SHARE = ChartAxis(0.0, 1.0, [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")], "R_score")


def _function(models: Sequence[ModelInfo], found: Sequence[ModelRobustness]) -> LineChart:
    t, m = found[0].found.t, found[0].found.m
    far = max([1.25 * m, *(110 * abs(one.found.levels[0].drop[ALL].value or 0) for one in found)])
    grid = np.unique(np.concatenate([[0, t, m, far], np.linspace(0, far, 80), np.linspace(0, 2, 20)]))
    curve = [ChartPoint(float(x), float(y)) for x, y in zip(grid, r_score(grid, t, m), strict=True)]
    lines = [ChartLine(f"R_score with t = {t:g} and m = {m:g}", curve, None, "function", dots=False)]
    for model, one in found:
        level = one.levels[0]
        loss = level.drop[ALL].value
        if loss is not None and level.r_score.value is not None:
            x = 100 * abs(loss)
            title = f"loss of {x:.2f} points, R_score {_format_plain(level.r_score)}"
            lines.append(ChartLine(models[model].name, [ChartPoint(x, level.r_score.value, title=title)], model))
    step = next(one for one in (1, 2, 5, 10, 20, 25) if far / one <= 6)
    ticks = [(float(value), f"{value:g}") for value in range(0, int(far) + 1, step)]
    x_axis = ChartAxis(0, far, ticks, "difference of accuracies, percentage points")
    return LineChart("R_score by loss", lines, x_axis, _SHARE)


def _curves(models: Sequence[ModelInfo], found: Sequence[ModelRobustness], over: str) -> LineChart | None:
    """The score of the first level as one of its parameters varies and the other is fixed."""
    lines = []
    for model, one in found:
        points = [
            ChartPoint(getattr(point, over), point.value, point.low, point.high, f"{point.value:.2f}")
            for point in (one.over_t if over == "t" else one.over_m)
            if point.value is not None
        ]
        if len(points) > 1:
            lines.append(ChartLine(models[model].name, points, model, dots=False))
    if not lines:
        return None
    high = max(point.x for line in lines for point in line.points)
    ticks = [(high / 5 * number, f"{high / 5 * number:g}") for number in range(6)]
    name, fixed = ("tolerance", f"m = {found[0].found.m:g}") if over == "t" else ("limit", f"t = {found[0].found.t:g}")
    x_axis = ChartAxis(0.0, high, ticks, f"{name} {over}, percentage points ({fixed})")
    return LineChart(f"R_score by {name}", lines, x_axis, _SHARE)


def _table_part(models: Sequence[ModelInfo], test: _Test) -> Section:
    types = [*dict.fromkeys(kind for _, one in test.by_model for kind in (*one.types[1:], ALL))]
    columns = ["Model", test.levels, *types, "loss", "R_score"]
    own = Table(
        columns=columns,
        rows=[row for one in test.by_model for row in _model_rows(models, one, types)],
        grouped=True,
    )
    parts = []
    if test.table is not None:
        rows = [row for name in test.table.rows for row in _published_rows(test.table, name, types)]
        published = Table(columns=columns, rows=(), published=rows, grouped=True)
        published.notes = [note.text for note in test.table.notes]
        title = f"Published: {test.table.label}, {test.table.source}"
        parts.append(Section(title=title, folded=True, tables=[published]))
    title = f"{test.name}: VQA accuracy by {test.levels} and answer type"
    return Section(title=title, folded=True, tables=[own], parts=parts)


def _model_rows(models: Sequence[ModelInfo], one: ModelRobustness, types: Sequence[str]) -> list[list[Any]]:
    found = one.found
    tau = "" if found.monotonicity.value is None else f"tau {_format_plain(found.monotonicity)}"
    head = TableCell(models[one.model].name, below=tau, model=one.model)
    first = [head, "without noise", *(_percent_cell(found.original.get(kind)) for kind in types), "", ""]
    return [first, *([head, *_level_cells(level, types)] for level in found.levels)]


def _level_cells(level: NoiseLevel, types: Sequence[str]) -> list[Any]:
    score = level.r_score
    return [
        level.name or "with noise",
        *(_percent_cell(level.accuracy.get(kind)) for kind in types),
        _percent_cell(level.drop[ALL]),
        "–" if score.value is None else TableCell(f"{score.value:.2f}", _format_ends(score, 1, 2)),
    ]


def _published_rows(table: NoiseTable, name: str, types: Sequence[str]) -> list[list[Any]]:
    head = TableCell(name, note=" ".join(note.text for note in table.notes if note.system == name))
    rows = []
    for key, by in table.rows[name].items():
        loss = "" if key == "original" else f"{table.rows[name]['original'][ALL] - by[ALL]:.2f}"
        score = f"{table.r_scores[name]:.2f}" if key == "1" and name in table.r_scores else ""
        cells = [f"{by[kind]:.2f}" if kind in by else "–" for kind in types]
        rows.append([head, "without noise" if key == "original" else key, *cells, loss, score])
    standard = table.standard.get(name, {})
    for key, by in standard.items():
        loss = "" if key == "original" else f"{standard['original'][ALL] - by[ALL]:.2f}"
        cells = [f"{by[kind]:.2f}" if kind in by else "–" for kind in types]
        rows.append([head, f"test-standard, {'without noise' if key == 'original' else key}", *cells, loss, ""])
    return rows


def _build_vqabq(view: ReportView) -> Section | None:
    found = [ModelVqabq(run.model, one) for run in view.runs for one in vqabq_of_run(run.run, view.options)]
    return vqabq_section(view.models, found, published_figures(view.published))


def vqabq_section(
    models: Sequence[ModelInfo], found: Sequence[ModelVqabq], figures: PublishedFigures | None
) -> Section | None:
    """Accuracy without and with basic questions appended, beside Table 7 of the paper."""
    if not found:
        return None
    types = [*dict.fromkeys(kind for _, one in found for kind in (*list(one.without)[1:], ALL))]
    papers = () if figures is None else figures.vqabq
    used = {tuple(one.thresholds) for _, one in found} | {paper.thresholds for paper in papers}
    # What is the same in every row is told once.
    alike = _format_thresholds(next(iter(used))) if len(used) == 1 else ""
    text = (
        "VQABQ appends up to three basic questions where their scores are above its thresholds"
        f"{f' ({alike})' if alike else ''}. Accuracy without and with them, in per cent."
    )
    published: list[list[Any]] = []
    for paper in papers:
        text += f" Published figures: {paper.source}."
        published += [
            _published_vqabq(paper, types, "test-dev", paper.dev, alike),
            _published_vqabq(paper, types, "test-standard", paper.standard, alike),
        ]
    table = Table(
        columns=["Model", "test", *([] if alike else ["thresholds"]), "0 / 1 / 2 / 3 appended, %", *types, "gain"],
        rows=[
            [
                TableCell(models[model].name, model=model),
                one.test,
                *([] if alike else [_format_thresholds(one.thresholds)]),
                _format_counts(one.appended),
                *(f"{_format_value(one.without.get(kind))} → {_format_value(one.with_.get(kind))}" for kind in types),
                _format_gain(one.gain),
            ]
            for model, one in found
        ],
        published=published,
    )
    return Section(text=text, tables=[table])


def _published_vqabq(
    paper: PublishedVqabq, types: Sequence[str], where: str, both: WithoutAndWith, alike: str
) -> list[Any]:
    before, after = both.without, both.with_
    return [
        f"{paper.system}, {where}",
        "published",
        *([] if alike else [_format_thresholds(paper.thresholds)]),
        _format_counts({int(number): count for number, count in paper.appended.items()}),
        *(f"{before[kind]:.2f} → {after[kind]:.2f}" if kind in before else "–" for kind in types),
        f"{after[ALL] - before[ALL]:+.2f}".replace("-", "\N{MINUS SIGN}"),
    ]


def _format_thresholds(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _format_counts(appended: dict[int, int]) -> str:
    total = max(sum(appended.values()), 1)
    return " / ".join(f"{100 * count / total:.1f}" for _, count in sorted(appended.items()))


def _percent_cell(value: Estimate | None) -> TableCell:
    return TableCell(_format_value(value), "" if value is None else _format_ends(value, 100, 1))


def _format_value(value: Estimate | None) -> str:
    return "–" if value is None or value.value is None else f"{100 * value.value:.1f}"


def _format_percent(value: Estimate) -> str:
    ends = _format_ends(value, 100, 1)
    return _format_value(value) + (f" ({ends})" if ends else "")


def _format_gain(value: Estimate) -> str:
    if value.value is None:
        return "–"
    ends = _format_ends(value, 100, 1)
    return (f"{100 * value.value:+.1f}" + (f" ({ends})" if ends else "")).replace("-", "\N{MINUS SIGN}")


def _format_plain(value: Estimate) -> str:
    ends = _format_ends(value, 1, 2)
    return f"{value.value:.2f}" + (f" ({ends})" if ends else "")


def _format_ends(value: Estimate, scale: float, digits: int) -> str:
    if value.low is None or value.high is None:
        return ""
    return f"{scale * value.low:.{digits}f} to {scale * value.high:.{digits}f}"


PANELS = (
    Panel(name="noise", title="Basic questions as noise", build=_build_noise),
    Panel(name="vqabq", title="VQABQ", build=_build_vqabq),
)
