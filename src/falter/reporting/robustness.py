"""The panel on noise: accuracy by partition, what it loses, R_score with its curves, and VQABQ."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from markupsafe import Markup

from falter.measures.r_score import r_score
from falter.measures.robustness import ALL, CurvePoint, Measured, NoiseLevel, Robustness
from falter.reporting.data import ReportData, SuiteCard, SuiteTest
from falter.reporting.line_charts import Axis, Line, Point, line_chart
from falter.reporting.published import load_published
from falter.reporting.published_noise import ByType, NoiseTable, PublishedVqabq
from falter.reporting.scores import colour

__all__ = ["NoisePanel", "NoiseTest", "noise_panel"]

_CONTROL = "length"

ByTest = dict[SuiteTest, list[tuple[int, Robustness]]]


class Row(msgspec.Struct):
    """One row of a table by answer type: a level of one model or published system."""

    name: str
    cells: list[tuple[str, str]]
    """A value and its interval."""
    first: bool = False


class Block(msgspec.Struct):
    """The rows of one model or system."""

    name: str
    css: str
    rows: list[Row]
    tau: str = ""
    note: str = ""


class NoiseTest(msgspec.Struct):
    """One test: its charts and its table."""

    test: SuiteTest
    levels: str
    kinds: list[str]
    blocks: list[Block]
    accuracy: Markup | None = None
    drop: Markup | None = None
    published: str = ""
    systems: list[Block] = []
    notes: list[str] = []


class VqabqRow(msgspec.Struct):
    """One model or published system: accuracy without and with basic questions appended."""

    name: str
    css: str
    test: str
    thresholds: str
    appended: str
    pairs: list[tuple[str, str]]
    gain: str


class NoisePanel(msgspec.Struct):
    """Everything of the section."""

    tests: list[NoiseTest]
    function: Markup | None
    over_t: Markup | None
    over_m: Markup | None
    vqabq: list[VqabqRow]
    vqabq_kinds: list[str]
    vqabq_source: str = ""


def noise_panel(data: ReportData) -> NoisePanel | None:
    """The panel, where a run is of a suite of basic questions."""
    if not data.robustness:
        return None
    by_test: ByTest = {}
    for entry in data.robustness:
        by_test.setdefault(SuiteTest(entry.found.suite, entry.found.test), []).append((entry.model, entry.found))
    cards = {card.name: card for card in data.suites}
    tests = [_test(data, test, found, cards.get(test.suite)) for test, found in by_test.items()]
    _charts(data, tests, by_test, cards)
    main = next((found for test, found in by_test.items() if test.test.startswith("noise")), [])
    paper = load_published("basic-questions")
    rows, kinds = _vqabq(data, None if paper is None else paper.vqabq)
    return NoisePanel(
        tests=tests,
        function=_function(data, main),
        over_t=_curves(data, main, "t"),
        over_m=_curves(data, main, "m"),
        vqabq=rows,
        vqabq_kinds=kinds,
        vqabq_source="" if paper is None or paper.vqabq is None else paper.vqabq.source,
    )


def _test(
    data: ReportData, test: SuiteTest, found: Sequence[tuple[int, Robustness]], card: SuiteCard | None
) -> NoiseTest:
    table = _published(test, card)
    kinds = [*dict.fromkeys(kind for _, one in found for kind in (*one.types[1:], ALL))]
    return NoiseTest(
        test=test,
        levels=(found[0][1].facet or "noise").replace("_", " "),
        kinds=kinds,
        blocks=[_block(data, model, one, kinds) for model, one in found],
        published="" if table is None else f"{table.label}, {table.source}",
        systems=[] if table is None else [_system(table, name, kinds) for name in table.rows],
        notes=[] if table is None else [note.text for note in table.notes],
    )


def _published(test: SuiteTest, card: SuiteCard | None) -> NoiseTable | None:
    """What the paper has of this pool and ranker; nothing of controls."""
    paper = load_published(test.suite)
    if paper is None or card is None or not test.test.startswith("noise"):
        return None
    pool = card.parameters.get("pool_kind", "general")
    kept = card.parameters.get("keep_duplicates") == "true"
    ranker = test.test.partition("-")[2] or card.parameters.get("rankers", "lasso").partition("|")[0]
    return paper.noise_table(pool, ranker, prepared=not kept)


def _charts(data: ReportData, tests: Sequence[NoiseTest], every: ByTest, cards: dict[str, SuiteCard]) -> None:
    """Draw the charts of all tests; those with levels of one sort share their axes, so that rankers can be compared."""
    lines = {
        (test.test, drops): _lines(data, test.test, every, _published(test.test, cards.get(test.test.suite)), drops)
        for test in tests
        for drops in (False, True)
    }
    for drops in (False, True):
        for facet in {test.levels for test in tests}:
            alike = [test for test in tests if test.levels == facet]
            values = [value for test in alike for line in lines[test.test, drops] for value in _values(line)]
            what = "lost accuracy" if drops else "accuracy"
            up = Axis.around(values, f"{what}, %", zero=drops)
            for test in alike:
                found = every[test.test]
                names = [level.name for level in found[0][1].levels]
                if len(names) < 2 or not (drops or _of_the_same(found)):
                    continue
                across = Axis.of_names(names if drops else ["none", *names], facet)
                drawing = line_chart(f"{test.test.test}: {what} by {facet}", lines[test.test, drops], across, up)
                if drops:
                    test.drop = drawing
                else:
                    test.accuracy = drawing


def _lines(data: ReportData, test: SuiteTest, every: ByTest, table: NoiseTable | None, drops: bool) -> list[Line]:
    control = every.get(SuiteTest(test.suite, _CONTROL), []) if test.test.startswith("noise") else []
    printed = [] if table is None else [_printed_line(table, name, drops) for name in table.rows]
    controls = [_line(data, model, one, drops, "control") for model, one in control]
    return [*printed, *controls, *(_line(data, model, one, drops, "plain") for model, one in every[test])]


def _values(line: Line) -> list[float]:
    return [value for point in line.points for value in (point.y, point.low, point.high) if value is not None]


def _of_the_same(found: Sequence[tuple[int, Robustness]]) -> bool:
    """Whether all levels are of nearly the same questions: else only what each lost of its own can be compared."""
    return all(10 * level.accuracy[ALL].n >= 9 * one.original[ALL].n for _, one in found for level in one.levels)


def _line(data: ReportData, model: int, found: Robustness, drops: bool, sort: str) -> Line:
    points = [] if drops else [_point(0, found.original[ALL], "without noise")]
    for place, level in enumerate(found.levels):
        value = level.drop[ALL] if drops else level.accuracy[ALL]
        points.append(_point(place + (0 if drops else 1), value, level.name))
    name = data.models[model].name + (" (as long, unrelated)" if sort == "control" else "")
    known = [point for point in points if point is not None]
    if sort == "control":
        known = [point._replace(low=None, high=None) for point in known]
    return Line(name, colour(model), known, sort, dots=sort == "plain")


def _point(x: float, value: Measured, where: str) -> Point | None:
    if value.value is None:
        return None
    low, high = (None if end is None else 100 * end for end in (value.low, value.high))
    return Point(x, 100 * value.value, low, high, f"{where}: {_with_ends(value)}")


def _printed_line(table: NoiseTable, name: str, drops: bool) -> Line:
    rows = table.rows[name]
    before = rows["original"][ALL]
    levels = [key for key in rows if key != "original"]
    values = [before - rows[key][ALL] for key in levels] if drops else [before, *(rows[key][ALL] for key in levels)]
    points = [Point(float(place), value, title=f"{value:.2f}") for place, value in enumerate(values)]
    return Line(f"{name}, published", "", points, "printed", dots=False)


def _block(data: ReportData, model: int, found: Robustness, kinds: Sequence[str]) -> Block:
    rows = [Row("without noise", [*(_cell(found.original.get(kind)) for kind in kinds), ("", ""), ("", "")])]
    rows += [_level(level, kinds) for level in found.levels]
    tau = "" if found.monotonicity.value is None else _plain(found.monotonicity)
    return Block(data.models[model].name, colour(model), rows, tau, found.signature)


def _level(level: NoiseLevel, kinds: Sequence[str]) -> Row:
    robust = level.r_score
    return Row(
        level.name or "with noise",
        [
            *(_cell(level.accuracy.get(kind)) for kind in kinds),
            _cell(level.drop[ALL]),
            ("–", "") if robust.value is None else (f"{robust.value:.2f}", _ends(robust, 1, 2)),
        ],
    )


def _system(table: NoiseTable, name: str, kinds: Sequence[str]) -> Block:
    rows = []
    for key, by in table.rows[name].items():
        lost = "" if key == "original" else f"{table.rows[name]['original'][ALL] - by[ALL]:.2f}"
        robust = f"{table.r_scores[name]:.2f}" if key == "1" and name in table.r_scores else ""
        cells = [(f"{by[kind]:.2f}" if kind in by else "–", "") for kind in kinds]
        rows.append(Row("without noise" if key == "original" else key, [*cells, (lost, ""), (robust, "")]))
    notes = " ".join(note.text for note in table.notes if note.system == name)
    return Block(name, "", rows, "", notes)


def _function(data: ReportData, found: Sequence[tuple[int, Robustness]]) -> Markup | None:
    """Figure 3: the score over the difference, with each model where it stands."""
    if not found or not found[0][1].levels:
        return None
    t, m = found[0][1].t, found[0][1].m
    far = max([1.25 * m, *(110 * abs(one.levels[0].drop[ALL].value or 0) for _, one in found)])
    grid = np.unique(np.concatenate([[0, t, m, far], np.linspace(0, far, 80), np.linspace(0, 2, 20)]))
    curve = [Point(float(x), float(y)) for x, y in zip(grid, r_score(grid, t, m), strict=True)]
    lines = [Line(f"R_score with t = {t:g} and m = {m:g}", "", curve, "function", dots=False)]
    for model, one in found:
        level = one.levels[0]
        lost = level.drop[ALL].value
        if lost is not None and level.r_score.value is not None:
            x = 100 * abs(lost)
            told = f"{x:.2f} points lost, R_score {_plain(level.r_score)}"
            lines.append(Line(data.models[model].name, colour(model), [Point(x, level.r_score.value, title=told)]))
    step = next(one for one in (1, 2, 5, 10, 20, 25) if far / one <= 6)
    ticks = [(float(place), f"{place:g}") for place in range(0, int(far) + 1, step)]
    return line_chart("R_score", lines, Axis(0, far, ticks, "difference of accuracies, percent points"), _SHARE)


_SHARE = Axis(0.0, 1.0, [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")], "R_score")


def _curves(data: ReportData, found: Sequence[tuple[int, Robustness]], over: str) -> Markup | None:
    """The score of the first level as one of its parameters moves and the other stays."""
    lines = []
    for model, one in found:
        curve: Sequence[CurvePoint] = one.over_t if over == "t" else one.over_m
        points = [
            Point(point.t if over == "t" else point.m, point.value, point.low, point.high, f"{point.value:.2f}")
            for point in curve
            if point.value is not None
        ]
        if len(points) > 1:
            lines.append(Line(data.models[model].name, colour(model), points, dots=False))
    if not lines:
        return None
    high = max(point.x for line in lines for point in line.points)
    low = 0.0
    step = high / 5
    ticks = [(low + step * place, f"{low + step * place:g}") for place in range(6)]
    fixed = f"m = {found[0][1].m:g}" if over == "t" else f"t = {found[0][1].t:g}"
    label = f"tolerance t, percent points ({fixed})" if over == "t" else f"limit m, percent points ({fixed})"
    return line_chart(f"R_score over {over}", lines, Axis(low, high, ticks, label), _SHARE)


def _vqabq(data: ReportData, paper: PublishedVqabq | None) -> tuple[list[VqabqRow], list[str]]:
    if not data.vqabq:
        return [], []
    kinds = [*dict.fromkeys(kind for entry in data.vqabq for kind in (*list(entry.found.without)[1:], ALL))]
    rows = []
    for entry in data.vqabq:
        found = entry.found
        pairs = [(_percent(found.without.get(kind)), _percent(found.with_.get(kind))) for kind in kinds]
        rows.append(
            VqabqRow(
                name=data.models[entry.model].name,
                css=colour(entry.model),
                test=found.test,
                thresholds=_three(found.thresholds),
                appended=_counts(found.appended),
                pairs=pairs,
                gain=_signed(found.gain),
            )
        )
    if paper is not None:
        rows += [_printed_vqabq(paper, kinds, "test-dev", paper.dev.without, paper.dev.with_)]
        rows += [_printed_vqabq(paper, kinds, "test-standard", paper.standard.without, paper.standard.with_)]
    return rows, kinds


def _printed_vqabq(paper: PublishedVqabq, kinds: Sequence[str], where: str, before: ByType, after: ByType) -> VqabqRow:
    return VqabqRow(
        name=f"{paper.system}, {where}",
        css="",
        test="published",
        thresholds=_three(paper.thresholds),
        appended=_counts({int(number): count for number, count in paper.appended.items()}),
        pairs=[(f"{before[kind]:.2f}", f"{after[kind]:.2f}") if kind in before else ("–", "–") for kind in kinds],
        gain=f"{after[ALL] - before[ALL]:+.2f}",
    )


def _three(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _counts(appended: dict[int, int]) -> str:
    total = max(sum(appended.values()), 1)
    return " · ".join(f"{number}: {100 * count / total:.1f} %" for number, count in appended.items())


def _cell(value: Measured | None) -> tuple[str, str]:
    if value is None or value.value is None:
        return "–", ""
    return f"{100 * value.value:.1f}", _ends(value, 100, 1)


def _percent(value: Measured | None) -> str:
    return "–" if value is None or value.value is None else f"{100 * value.value:.1f}"


def _signed(value: Measured) -> str:
    if value.value is None:
        return "–"
    ends = _ends(value, 100, 1)
    return f"{100 * value.value:+.1f}" + (f" ({ends})" if ends else "")


def _with_ends(value: Measured) -> str:
    told, ends = _cell(value)
    return f"{told} ({ends})" if ends else told


def _plain(value: Measured) -> str:
    ends = _ends(value, 1, 2)
    return f"{value.value:.2f}" + (f" ({ends})" if ends else "")


def _ends(value: Measured, scale: float, digits: int) -> str:
    if value.low is None or value.high is None:
        return ""
    return f"{scale * value.low:.{digits}f} to {scale * value.high:.{digits}f}"
