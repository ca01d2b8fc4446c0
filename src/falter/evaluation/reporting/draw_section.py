"""Sections of bundles' panels, drawn: figures as SVG, tables cell by cell, templates rendered and checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from itertools import groupby
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from falter.core.errors import InputError, UsageError
from falter.core.files import read_text
from falter.evaluation.reporting.charts import ColumnChart, Figure, LineChart
from falter.evaluation.reporting.panel import Section, Table, TableCell
from falter.evaluation.reporting.report_data import ModelInfo, PanelSection
from falter.evaluation.reporting.scores import format_value, measure_scale
from falter.evaluation.reporting.svg_charts import draw_bars, draw_columns, draw_lines, model_color

_NUMBER = re.compile(r"[\d.,%+\-–−→ ]*")
_REFUSED = frozenset(
    ("script", "style", "link", "meta", "base", "iframe", "frame", "object", "embed", "form", "applet", "foreignobject")
)


class DrawnFigure(msgspec.Struct):
    """One chart with its heading."""

    title: str
    drawing: Markup
    count: str = ""


class DrawnCell(msgspec.Struct):
    """One cell; ``rows`` is how many rows it spans, 0 where the cell above reaches over it."""

    text: str
    interval: str = ""
    note: str = ""
    below: str = ""
    css: str = ""
    rows: int = 1
    number: bool = False


class DrawnTable(msgspec.Struct):
    """A table with its columns, each a name and whether it holds numbers; published rows come last, in gray."""

    title: str
    columns: list[tuple[str, bool]]
    rows: list[list[DrawnCell]]
    published: list[list[DrawnCell]]
    notes: list[str]


class DrawnSection(msgspec.Struct):
    """A section, ready for the page."""

    id: str
    title: str
    paragraphs: list[str]
    legend: list[tuple[str, str]]
    figures: list[list[DrawnFigure]]
    """Figures that are set together."""
    tables: list[DrawnTable]
    html: Markup
    parts: list[DrawnSection]
    folded: bool = False
    place: str = ""
    in_pairs: bool = False
    """Whether figures are set two in a row."""


def draw_panels(
    panels: Sequence[PanelSection], models: Sequence[ModelInfo], environment: jinja2.Environment
) -> list[DrawnSection]:
    """The sections that panels have built; panels of one name get that of their bundle before it."""
    names = Counter(panel.name for panel in panels)
    return [
        _draw_panel(
            panel, panel.name if names[panel.name] == 1 else f"{panel.bundle}-{panel.name}", models, environment
        )
        for panel in panels
    ]


def _draw_panel(
    panel: PanelSection, name: str, models: Sequence[ModelInfo], environment: jinja2.Environment
) -> DrawnSection:
    drawn = _draw(panel.section, panel, environment, name)
    drawn.title, drawn.place = panel.title, panel.place
    figures = list(section_figures(panel.section))
    lines = [line for figure in figures if isinstance(figure, LineChart) for line in figure.lines]
    shown = sorted({line.model for line in lines if line.model is not None})
    columns = [figure for figure in figures if isinstance(figure, ColumnChart)]
    drawn.legend = [(models[model].name, model_color(model)) for model in shown]
    drawn.legend += dict.fromkeys(
        (one.name, model_color(index)) for figure in columns for index, one in enumerate(figure.series)
    )
    return drawn


def _draw(section: Section, panel: PanelSection, environment: jinja2.Environment, name: str) -> DrawnSection:
    groups = _figure_groups(section)
    return DrawnSection(
        id=name,
        title=section.title,
        paragraphs=list(section.paragraphs),
        legend=[],
        figures=[[_draw_figure(figure) for figure in group] for group in groups],
        tables=[_draw_table(table) for table in section.tables],
        html=_render_template(section, panel, environment) if section.template else Markup(""),
        parts=[
            _draw(part, panel, environment, f"{name}-{number}") for number, part in enumerate(section.parts, start=1)
        ],
        folded=section.folded,
        in_pairs=max(map(len, groups), default=0) == 2
        and all(isinstance(group[0], LineChart | ColumnChart) for group in groups),
    )


def _figure_groups(section: Section) -> list[list[Figure]]:
    """The figures of a section itself: each sequence is a group, and so are figures given one by one."""
    groups: list[list[Figure]] = []
    alone = False
    for each in section.figures:
        if not isinstance(each, Figure):
            groups.append(list(each))
        elif alone:
            groups[-1].append(each)
        else:
            groups.append([each])
        alone = isinstance(each, Figure)
    return [group for group in groups if group]


def section_figures(section: Section) -> Iterator[Figure]:
    """Every figure of a section and its parts."""
    for group in _figure_groups(section):
        yield from group
    for part in section.parts:
        yield from section_figures(part)


def _draw_figure(figure: Figure) -> DrawnFigure:
    if isinstance(figure, LineChart):
        return DrawnFigure(figure.title, draw_lines(figure))
    if isinstance(figure, ColumnChart):
        return DrawnFigure(figure.title, draw_columns(figure), figure.count)
    return DrawnFigure(figure.title, draw_bars(figure), "" if figure.n is None else f"{figure.n:,} {figure.unit}")


def _draw_table(table: Table) -> DrawnTable:
    rows, published = ([[_draw_cell(cell) for cell in row] for row in part] for part in (table.rows, table.published))
    for row in (*rows, *published):
        if len(row) != len(table.columns):
            raise UsageError(
                f"a table has {len(table.columns)} columns and a row of {len(row)} cells: {', '.join(table.columns)}"
            )
    numeric = []
    for column in range(len(table.columns)):
        cells = [row[column] for row in (*rows, *published)]
        is_number = column > 0 and all(_NUMBER.fullmatch(cell.text) for cell in cells)
        numeric.append(is_number)
        for cell in cells:
            cell.number = is_number
    if table.grouped:
        for part in (rows, published):
            for _, group in groupby(part, key=lambda row: (row[0].text, row[0].css, row[0].note)):
                first, *rest = group
                first[0].rows = 1 + len(rest)
                for row in rest:
                    row[0].rows = 0
    columns = list(zip(table.columns, numeric, strict=True))
    return DrawnTable(table.title, columns, rows, published, list(table.notes))


def _draw_cell(value: Any) -> DrawnCell:
    if value is None:
        return DrawnCell("–")
    if isinstance(value, str):
        return DrawnCell(value)
    if isinstance(value, TableCell):
        return DrawnCell(value.text, value.interval, value.note, value.below, model_color(value.model))
    if isinstance(value, int):
        return DrawnCell(f"{value:,}")
    if isinstance(value, float):
        return DrawnCell(f"{value:.4g}")
    # A score is shown as its measure says, an estimate as a share.
    scale = measure_scale(value.measure) if hasattr(value, "measure") else "share"
    if value.value is None:
        return DrawnCell("–")
    interval = ""
    if value.low is not None and value.high is not None:
        interval = f"{format_value(value.low, scale)} to {format_value(value.high, scale)}"
    return DrawnCell(format_value(value.value, scale), interval)


def _render_template(section: Section, panel: PanelSection, environment: jinja2.Environment) -> Markup:
    """A bundle's own template, escaped as the page's own are; what could run or reach out is refused."""
    if panel.folder is None:
        raise UsageError(f"the panel {panel.name!r} names a template, and its bundle {panel.bundle!r} has no package")
    path = panel.folder / section.template
    try:
        text = environment.from_string(read_text(path, what="a template")).render(**section.values)
    except jinja2.TemplateError as error:
        raise InputError(path, f"cannot be rendered: {error}") from error
    checker = _Checker()
    checker.feed(text)
    checker.close()
    if checker.refused:
        raise InputError(path, f"holds {checker.refused[0]}", hint="a panel's template may hold text, tables and SVG")
    # The environment escapes every value, and what is left of markup is the bundle's own, checked above.
    return Markup(text)


class _Checker(HTMLParser):
    """Finds what a panel may not bring into the page."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _REFUSED:
            self.refused.append(f"the element {tag}")
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.refused.append(f"the attribute {name}")
            if name in ("href", "xlink:href") and not (value or "").startswith("#"):
                self.refused.append(f"a link to {value}")
            if name in ("src", "srcset", "action", "formaction", "data") and not (value or "").startswith(
                "data:image/"
            ):
                self.refused.append(f"the address {value}")
