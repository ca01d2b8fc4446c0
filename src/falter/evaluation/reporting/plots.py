"""Charts for papers, drawn with matplotlib: the report's charts as SVG, PDF and PNG in one style, the same bytes."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from falter.core.errors import UsageError, warn_user
from falter.core.files import write_atomically
from falter.core.optional_packages import import_package
from falter.evaluation.reporting.plot_data import PlotData, PlotRow
from falter.evaluation.reporting.svg import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as MplFigure

__all__ = ["FORMATS", "Plot", "PlotFormat", "draw_plot"]

PlotFormat = Literal["svg", "pdf", "png"]
FORMATS: tuple[PlotFormat, ...] = ("svg", "pdf", "png")

_COLORS = (
    "#0068a8",
    "#c4500c",
    "#00805f",
    "#8a4baf",
    "#a87400",
    "#b02a5b",
    "#2b8599",
    "#5f6772",
    "#7a4f2b",
    "#6d8a00",
    "#3f46c4",
    "#d0449f",
)
"""Those of the report: apart in lightness as well as in hue, for readers who see fewer colors and for gray prints."""
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
_TOGETHER = {"all": "all pairs", "mean": "mean of tests"}
_MOST_MARKERS = 30
_MOST_WITH_NUMBERS = 16


class Plot(NamedTuple):
    """One plot: its figure, which can be changed before it is saved, and the values that it shows."""

    name: str
    data: PlotData
    figure: MplFigure

    def save(self, folder: str | Path, formats: Sequence[str] = FORMATS) -> list[Path]:
        """Write the figure in some formats and its values as CSV; gives the files."""
        import matplotlib as mpl

        for one in formats:
            if one not in FORMATS:
                raise UsageError(f"unknown format {one!r}; available: {', '.join(FORMATS)}")
        target = Path(folder)
        if target.exists() and not target.is_dir():
            raise UsageError(f"{target} is a file, not a folder; choose another folder")
        target.mkdir(parents=True, exist_ok=True)
        written = []
        for one in formats:
            file = io.BytesIO()
            with mpl.rc_context(_STYLE), _one_word_about_letters():
                self.figure.savefig(
                    file, format=one, metadata=_METADATA[one], dpi=_PNG_DPI, bbox_inches="tight", pad_inches=0.05
                )
            written.append(target / f"{self.name}.{one}")
            write_atomically(written[-1], file.getvalue())
        written.append(target / f"{self.name}.csv")
        write_atomically(written[-1], self.data.to_csv())
        return written


@contextmanager
def _one_word_about_letters() -> Iterator[None]:
    """Where the font lacks letters, say so once; matplotlib warns of every one, each time that it is drawn."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    lacking = [one for one in found if "missing from font" in str(one.message)]
    for one in found:
        if one not in lacking:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if lacking:
        _tell_of_letters()


@cache
def _tell_of_letters() -> None:
    """Once in a process: catching warnings makes Python forget which ones it has shown."""
    warn_user("the font of plots lacks letters of some names, which are drawn as boxes; the CSV has them")


def draw_plot(data: PlotData) -> Plot:
    """Draw one plot."""
    mpl = import_package("matplotlib", "a plot")
    from matplotlib.figure import Figure as MplFigure

    makers = {
        "drop": _draw_drops,
        "breakdown": _draw_dots,
        "foils": _draw_dots,
        "noise": _draw_lines,
        "coverage": _draw_matrix,
    }
    with mpl.rc_context(_STYLE), _one_word_about_letters():
        figure = MplFigure(figsize=(_WIDTH, 3.0), layout="constrained")
        makers[data.kind](figure, data)
        return Plot(data.name, data, figure)


def _color(data: PlotData, model: str) -> str:
    return _COLORS[data.colors[model] % len(_COLORS)] if model in data.colors else _GREY


def _marker(data: PlotData, model: str) -> str:
    return _MARKERS[data.colors[model] % len(_MARKERS)] if model in data.colors else "o"


def _short(name: str) -> str:
    return shorten(name, _LONGEST_NAME)


def _distinct(values: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _share_axis(axes: Axes) -> None:
    axes.set_xlim(0, 100)
    axes.set_xticks([0, 25, 50, 75, 100])


def _draw_drops(figure: MplFigure, data: PlotData) -> None:
    tests = _distinct([row.test for row in data.rows])
    models = _distinct([row.model for row in data.rows])
    columns = min(_MOST_COLUMNS, len(tests))
    lines = -(-len(tests) // columns)
    figure.set_size_inches(_WIDTH, 0.75 + lines * (0.45 + 0.24 * len(models)))
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[len(tests) :]:
        axes.set_axis_off()
    for axes, test in zip(grid.flat, tests, strict=False):
        axes.set_title(test)
        _share_axis(axes)
        axes.set_yticks(range(len(models)), [_short(name) for name in models])
        axes.set_ylim(len(models) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        for place, model in enumerate(models):
            found = {row.measure: row for row in data.rows if (row.test, row.model) == (test, model)}
            if len(found) == 2:
                _draw_arrow(axes, place, found["acc"], found["c_acc"], _color(data, model))
    for axes in (grid[-1, column] for column in range(columns)):
        axes.set_xlabel("%")
        axes.tick_params(labelbottom=True)
    figure.suptitle(data.title, x=0.01, ha="left", fontsize=9)


def _draw_arrow(axes: Axes, place: int, start: PlotRow, end: PlotRow, color: str) -> None:
    for row, offset in ((start, -0.22), (end, 0.22)):
        if row.low is not None and row.high is not None:
            axes.plot(
                [100 * row.low, 100 * row.high],
                [place + offset] * 2,
                color=color,
                linewidth=0.9,
                alpha=0.6,
                solid_capstyle="butt",
            )
    axes.annotate(
        "",
        xy=(100 * end.value, place),
        xytext=(100 * start.value, place),
        arrowprops={"arrowstyle": "-|>", "color": color, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0},
        annotation_clip=False,
    )
    axes.plot([100 * start.value], [place], marker="o", markersize=4, color=color, clip_on=False)
    axes.plot([100 * end.value], [place], marker="|", markersize=7, color=color, clip_on=False)


def _draw_dots(figure: MplFigure, data: PlotData) -> None:
    places = _distinct([row.at or row.test for row in data.rows])
    models = _distinct([row.model for row in data.rows])
    step = 0.8 / max(len(models), 1)
    # The legend stands between the title and the axes, three entries to a line; chance is one of them.
    lines = -(-(len(models) + (data.chance is not None)) // _LEGEND_COLUMNS)
    figure.set_size_inches(_WIDTH, 1.0 + 0.15 * lines + len(places) * max(0.22, 0.11 * len(models)))
    axes = figure.subplots()
    axes.set_title(data.title, pad=7 + 11 * lines)
    _share_axis(axes)
    named = [place if data.kind != "foils" else _TOGETHER.get(place, place) for place in places]
    axes.set_yticks(range(len(places)), [_short(name) for name in named])
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(data.label)
    for line in range(1, len(places)):
        axes.axhline(line - 0.5, color="#eceff2", linewidth=0.6)
    if data.chance is not None:
        axes.axvline(100 * data.chance, color=_GREY, linewidth=0.9, linestyle=(0, (4, 3)), label="chance")
    for number, model in enumerate(models):
        own = [row for row in data.rows if row.model == model]
        y = [places.index(row.at or row.test) + (number - (len(models) - 1) / 2) * step for row in own]
        color = _color(data, model)
        for row, at in zip(own, y, strict=True):
            if row.low is not None and row.high is not None:
                axes.plot([100 * row.low, 100 * row.high], [at, at], color=color, linewidth=1.0, alpha=0.65)
        axes.plot(
            [100 * row.value for row in own],
            y,
            linestyle="none",
            marker=_marker(data, model),
            markersize=4,
            color=color,
            label=_short(model),
            clip_on=False,
        )
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=_LEGEND_COLUMNS, borderaxespad=0.2, handletextpad=0.4)


def _draw_lines(figure: MplFigure, data: PlotData) -> None:
    chart = data.chart
    assert chart is not None
    figure.set_size_inches(5.2, 3.2)
    axes = figure.subplots()
    axes.grid(visible=True, axis="y")
    axes.grid(visible=False, axis="x")
    axes.set_title(data.title)
    axes.set_xlim(chart.x.low, chart.x.high)
    axes.set_ylim(chart.y.low, chart.y.high)
    axes.set_xticks([at for at, _ in chart.x.ticks], [_short(name) for _, name in chart.x.ticks])
    axes.set_yticks([at for at, _ in chart.y.ticks], [name for _, name in chart.y.ticks])
    axes.set_xlabel(chart.x.label)
    axes.set_ylabel(chart.y.label)
    names = {number: name for name, number in data.colors.items()}
    published = [line for line in chart.lines if line.model is None]
    for line in chart.lines:
        place = published.index(line) if line.model is None else line.model
        color = _GREYS[place % len(_GREYS)] if line.model is None else _COLORS[place % len(_COLORS)]
        x = [point.x for point in line.points]
        band = [(point.x, point.low, point.high) for point in line.points if None not in (point.low, point.high)]
        if band:
            at, low, high = (np.array(column, dtype=np.float64) for column in zip(*band, strict=True))
            axes.fill_between(at, low, high, color=color, alpha=0.14, linewidth=0)
        control = line.style == "control"
        # Markers in a row, as of a curve that is no measurement, would hide what lies on it.
        marked = (line.dots or line.model is None) and len(line.points) <= _MOST_MARKERS
        name = line.name if line.model is None else names.get(line.model, line.name)
        axes.plot(
            x,
            [point.y for point in line.points],
            color=color,
            linestyle="--" if control else ":" if line.style == "published" else "-",
            # Lines from a paper are told apart by hollow markers and shades of gray.
            marker=_MARKERS[place % len(_MARKERS)] if marked else None,
            zorder=2 if line.model is None else 3,
            markerfacecolor="white" if line.model is None else color,
            markersize=3.5,
            label=_short(f"{name}, control" if control else name),
        )
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0)


def _draw_matrix(figure: MplFigure, data: PlotData) -> None:
    overs = _distinct([row.measure for row in data.rows])
    # A model that gets nothing right has a row, but nothing to be a share of.
    names, given = (_distinct([getattr(row, name) for row in data.rows]) for name in ("model", "at"))
    given.sort(key=lambda name: names.index(name) if name in names else len(names))
    size = max(2.2, 0.42 * max(len(names), len(given)))
    widest = max(len(_short(name)) for name in (*names, *given))
    figure.set_size_inches(0.075 * widest + (size + 0.35) * len(overs) + 0.9, size + 0.9 + 0.05 * widest)
    grid = figure.subplots(1, len(overs), sharey=True, squeeze=False)
    drawn = None
    for axes, over in zip(grid.flat, overs, strict=True):
        axes.grid(visible=False)
        axes.set_title(over)
        values = {(row.model, row.at): row.value for row in data.rows if row.measure == over}
        cells = [[100 * values.get((row, column), float("nan")) for column in given] for row in names]
        drawn = axes.imshow(cells, cmap="Blues", vmin=0, vmax=100, aspect="equal")
        for y, row in enumerate(cells):
            for x, value in enumerate(row):
                if len(names) <= _MOST_WITH_NUMBERS:
                    shown = f"{value:.0f}" if isfinite(value) else "–"
                    ink = "white" if isfinite(value) and value >= 60 else "black"
                    axes.text(x, y, shown, ha="center", va="center", color=ink, fontsize=7)
        axes.set_xticks(range(len(given)), [_short(name) for name in given], rotation=40, ha="right")
        axes.set_yticks(range(len(names)), [_short(name) for name in names])
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    assert drawn is not None
    bar = figure.colorbar(drawn, ax=list(grid.flat), shrink=0.8, pad=0.02)
    bar.set_label(data.label)
    bar.outline.set_visible(False)
    figure.suptitle(f"{data.title}: what the row's model gets right too", x=0.01, ha="left", fontsize=9)
