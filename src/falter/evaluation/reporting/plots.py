"""The report's charts drawn for print with matplotlib: SVG, PDF and PNG in one style, the same bytes each time.

The page draws the same charts as SVG by itself (``svg_charts``, ``svg_arrows``): it needs no package for that.
"""

from __future__ import annotations

import io
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from html import escape
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from falter.core.errors import UsageError, warn_user
from falter.core.files import write_atomically
from falter.core.optional_packages import import_package
from falter.evaluation.reporting.charts import ArrowChart, BarChart, LineChart, MatrixChart
from falter.evaluation.reporting.page import light_model_colors
from falter.evaluation.reporting.plot_data import PlotData
from falter.evaluation.reporting.svg_charts import known_value, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as MplFigure

    from falter.evaluation.measures import Estimate

PlotFormat = Literal["svg", "pdf", "png"]
FORMATS: tuple[PlotFormat, ...] = ("svg", "pdf", "png")

_MARKERS = ("o", "s", "D", "^", "v", "P", "X", "p", "<", ">", "h", "*", "d")
_GREY = "#6b7280"
_GREYS = ("#4b5260", "#8b93a0", "#2f343d")
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "axes.axisbelow": True,
    "grid.color": "#e3e6ea",
    "grid.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "lines.linewidth": 1.3,
    "svg.hashsalt": "falter",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "Falter"},
    "pdf": {"CreationDate": None, "Creator": "Falter", "Producer": "Falter"},
    "png": {"Software": "Falter"},
}
_PNG_DPI = 200
_WIDTH = 7.0
_MOST_COLUMNS = 3
_LONGEST_NAME = 32
_LEGEND_COLUMNS = 3
_MOST_MARKERS = 30
_MOST_WITH_NUMBERS = 16


class Plot(NamedTuple):
    """One plot: its figure, which can be changed before it is saved, and the values that it shows."""

    name: str
    data: PlotData
    figure: MplFigure

    def save(self, folder: str | Path, formats: Sequence[str] = FORMATS) -> list[Path]:
        """Write the figure in some formats and its values as CSV; gives the files."""
        for name in formats:
            if name not in FORMATS:
                raise UsageError(f"unknown format {name!r}; available: {', '.join(FORMATS)}")
        target = Path(folder)
        if target.exists() and not target.is_dir():
            raise UsageError(f"{target} is a file, not a folder; choose another folder")
        target.mkdir(parents=True, exist_ok=True)
        written = []
        for name in formats:
            written.append(target / f"{self.name}.{name}")
            write_atomically(written[-1], self._drawn(name))
        written.append(target / f"{self.name}.csv")
        write_atomically(written[-1], self.data.to_csv())
        return written

    def _repr_svg_(self) -> str:
        return self._drawn("svg").decode()

    def _drawn(self, name: str) -> bytes:
        """The figure as a file of one format."""
        import matplotlib as mpl

        file = io.BytesIO()
        with mpl.rc_context(_STYLE), _warn_once_of_letters():
            self.figure.savefig(
                file, format=name, metadata=_METADATA[name], dpi=_PNG_DPI, bbox_inches="tight", pad_inches=0.05
            )
        return file.getvalue()


class Plots(list[Plot]):
    """Plots of one kind; in a notebook they show themselves below one another."""

    def _repr_html_(self) -> str:
        # Images of their own: inline, the ids of one figure would be found in another.
        return "\n".join(
            f'<p><img src="data:image/svg+xml;base64,{b64encode(plot._repr_svg_().encode()).decode()}" '
            f'alt="{escape(plot.data.title)}"></p>'
            for plot in self
        )


@contextmanager
def _warn_once_of_letters() -> Iterator[None]:
    """Where the font lacks letters, say so once; matplotlib warns of every one, each time that it is drawn."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    lacking = [warning for warning in caught if "missing from font" in str(warning.message)]
    for warning in caught:
        if warning not in lacking:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if lacking:
        _warn_of_letters()


@cache
def _warn_of_letters() -> None:
    """Once in a process: catching warnings makes Python forget which ones it has shown."""
    warn_user("the font of plots lacks letters of some names, which are drawn as boxes; the CSV has them")


def draw_plot(data: PlotData) -> Plot:
    """Draw one figure: all its charts together."""
    mpl = import_package("matplotlib", "a plot")
    from matplotlib.figure import Figure as MplFigure

    with mpl.rc_context(_STYLE), _warn_once_of_letters():
        figure = MplFigure(figsize=(_WIDTH, 3.0), layout="constrained")
        _DRAW[type(data.charts[0])](figure, data, data.charts)
        return Plot(data.name, data, figure)


def _color(model: int | None) -> str:
    """The model's color in the report; what was published is gray."""
    colors = _model_colors()
    return _GREY if model is None else colors[model % len(colors)]


_model_colors = cache(light_model_colors)


def _marker(model: int | None) -> str:
    return "o" if model is None else _MARKERS[model % len(_MARKERS)]


def _short(name: str) -> str:
    return shorten(name, _LONGEST_NAME)


def _share_axis(axes: Axes) -> None:
    axes.set_xlim(0, 100)
    axes.set_xticks([0, 25, 50, 75, 100])


def _draw_arrows(figure: MplFigure, data: PlotData, charts: Sequence[ArrowChart]) -> None:
    models = list(dict.fromkeys((row.model, row.name) for chart in charts for row in chart.rows))
    columns = min(_MOST_COLUMNS, len(charts))
    lines = -(-len(charts) // columns)
    figure.set_size_inches(_WIDTH, 0.75 + lines * (0.45 + 0.24 * len(models)))
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[len(charts) :]:
        axes.set_axis_off()
    for axes, chart in zip(grid.flat, charts, strict=False):
        axes.set_title(chart.group.test)
        _share_axis(axes)
        axes.set_yticks(range(len(models)), [_short(name) for _, name in models])
        axes.set_ylim(len(models) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        for row in chart.rows:
            if row.start is not None and row.end is not None:
                _draw_arrow(axes, models.index((row.model, row.name)), row.start, row.end, _color(row.model))
    for axes in (grid[-1, column] for column in range(columns)):
        axes.set_xlabel("%")
        axes.tick_params(labelbottom=True)
    figure.suptitle(data.title, x=0.01, ha="left", fontsize=9)


def _draw_arrow(axes: Axes, y: int, start: Estimate, end: Estimate, color: str) -> None:
    for estimate, offset in ((start, -0.22), (end, 0.22)):
        _draw_interval(axes, estimate, y + offset, 100, color=color, linewidth=0.9, alpha=0.6, solid_capstyle="butt")
    x, tip = 100 * known_value(start), 100 * known_value(end)
    axes.annotate(
        "",
        xy=(tip, y),
        xytext=(x, y),
        arrowprops={"arrowstyle": "-|>", "color": color, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0},
        annotation_clip=False,
    )
    axes.plot([x], [y], marker="o", markersize=4, color=color, clip_on=False)
    axes.plot([tip], [y], marker="|", markersize=7, color=color, clip_on=False)


def _draw_interval(axes: Axes, estimate: Estimate, y: float, times: float, **style: Any) -> None:
    if estimate.low is not None and estimate.high is not None:
        axes.plot([times * estimate.low, times * estimate.high], [y, y], **style)


def _draw_dots(figure: MplFigure, data: PlotData, charts: Sequence[BarChart]) -> None:
    """Bar charts below one another on one axis, a dot for each bar."""
    series = list(dict.fromkeys((bar.model, bar.name) for chart in charts for bar in chart.bars))
    step = 0.8 / max(len(series), 1)
    chance, scale = charts[0].chance, charts[0].scale
    # The legend stands between the title and the axes, three entries to a line; chance is one of them.
    lines = -(-(len(series) + (chance is not None)) // _LEGEND_COLUMNS)
    figure.set_size_inches(_WIDTH, 1.0 + 0.15 * lines + len(charts) * max(0.22, 0.11 * len(series)))
    axes = figure.subplots()
    axes.set_title(data.title, pad=7 + 11 * lines)
    if scale == "share":
        _share_axis(axes)
    times = 100 if scale in ("share", "difference") else 1
    axes.set_yticks(range(len(charts)), [_short(chart.title) for chart in charts])
    axes.set_ylim(len(charts) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(data.label)
    for line in range(1, len(charts)):
        axes.axhline(line - 0.5, color="#eceff2", linewidth=0.6)
    if chance is not None:
        axes.axvline(times * chance, color=_GREY, linewidth=0.9, linestyle=(0, (4, 3)), label="chance")
    for number, (model, name) in enumerate(series):
        offset = (number - (len(series) - 1) / 2) * step
        dots = [
            (position + offset, bar.estimate)
            for position, chart in enumerate(charts)
            for bar in chart.bars
            if (bar.model, bar.name) == (model, name)
        ]
        color = _color(model)
        for y, estimate in dots:
            _draw_interval(axes, estimate, y, times, color=color, linewidth=1.0, alpha=0.65)
        axes.plot(
            [times * known_value(estimate) for _, estimate in dots],
            [y for y, _ in dots],
            linestyle="none",
            marker=_marker(model),
            markersize=4,
            color=color,
            label=_short(name),
            clip_on=False,
        )
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=_LEGEND_COLUMNS, borderaxespad=0.2, handletextpad=0.4)


def _draw_lines(figure: MplFigure, data: PlotData, charts: Sequence[LineChart]) -> None:
    (chart,) = charts
    figure.set_size_inches(5.2, 3.2)
    axes = figure.subplots()
    axes.grid(visible=True, axis="y")
    axes.grid(visible=False, axis="x")
    axes.set_title(data.title)
    axes.set_xlim(chart.x.low, chart.x.high)
    axes.set_ylim(chart.y.low, chart.y.high)
    axes.set_xticks([x for x, _ in chart.x.ticks], [_short(name) for _, name in chart.x.ticks])
    axes.set_yticks([y for y, _ in chart.y.ticks], [name for _, name in chart.y.ticks])
    axes.set_xlabel(chart.x.label)
    axes.set_ylabel(chart.y.label)
    published = [line for line in chart.lines if line.model is None]
    for line in chart.lines:
        if line.model is None:
            # Lines from a paper are told apart by hollow markers and shades of gray.
            number = published.index(line)
            color, marker, fill = _GREYS[number % len(_GREYS)], _MARKERS[number % len(_MARKERS)], "white"
        else:
            color, marker = _color(line.model), _marker(line.model)
            fill = color
        band = [(point.x, point.low, point.high) for point in line.points if None not in (point.low, point.high)]
        if band:
            x, low, high = (np.array(column, dtype=np.float64) for column in zip(*band, strict=True))
            axes.fill_between(x, low, high, color=color, alpha=0.14, linewidth=0)
        control = line.style == "control"
        # Markers in a row, as of a curve that is no measurement, would hide what lies on it.
        marked = (line.dots or line.model is None) and len(line.points) <= _MOST_MARKERS
        axes.plot(
            [point.x for point in line.points],
            [point.y for point in line.points],
            color=color,
            linestyle="--" if control else ":" if line.style == "published" else "-",
            marker=marker if marked else None,
            zorder=2 if line.model is None else 3,
            markerfacecolor=fill,
            markersize=3.5,
            label=_short(f"{line.name}, control" if control else line.name),
        )
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0)


def _draw_matrices(figure: MplFigure, data: PlotData, charts: Sequence[MatrixChart]) -> None:
    # A model that gets nothing right has a row, but nothing to be a share of.
    values = [value for chart in charts for value in chart.values()]
    rows = [name for name in charts[0].names if any(value.model == name for value in values)]
    columns = [name for name in charts[0].names if any(value.at == name for value in values)]
    size = max(2.2, 0.42 * max(len(rows), len(columns)))
    widest = max(len(_short(name)) for name in (*rows, *columns))
    figure.set_size_inches(0.075 * widest + (size + 0.35) * len(charts) + 0.9, size + 0.9 + 0.05 * widest)
    grid = figure.subplots(1, len(charts), sharey=True, squeeze=False)
    drawn = None
    for axes, chart in zip(grid.flat, charts, strict=True):
        axes.grid(visible=False)
        axes.set_title(chart.measure)
        known = {(value.model, value.at): 100 * value.value for value in chart.values()}
        cells = [[known.get((row, column), float("nan")) for column in columns] for row in rows]
        drawn = axes.imshow(cells, cmap="Blues", vmin=0, vmax=100, aspect="equal")
        for y, own in enumerate(cells):
            for x, value in enumerate(own):
                if len(rows) <= _MOST_WITH_NUMBERS:
                    shown = f"{value:.0f}" if isfinite(value) else "–"
                    # White on the dark half of the color map, black on the light one.
                    ink = "white" if isfinite(value) and value >= 60 else "black"
                    axes.text(x, y, shown, ha="center", va="center", color=ink, fontsize=7)
        axes.set_xticks(range(len(columns)), [_short(name) for name in columns], rotation=40, ha="right")
        axes.set_yticks(range(len(rows)), [_short(name) for name in rows])
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    assert drawn is not None
    bar = figure.colorbar(drawn, ax=list(grid.flat), shrink=0.8, pad=0.02)
    bar.set_label(data.label)
    bar.outline.set_visible(False)
    figure.suptitle(f"{data.title}: what the row's model gets right too", x=0.01, ha="left", fontsize=9)


_DRAW: dict[type, Callable[[MplFigure, PlotData, Any], None]] = {
    ArrowChart: _draw_arrows,
    BarChart: _draw_dots,
    LineChart: _draw_lines,
    MatrixChart: _draw_matrices,
}
