"""Plots for papers show the report's values, and are the same bytes each time."""

from __future__ import annotations

import base64
import csv
import io
import re
import warnings
from pathlib import Path

import msgspec
import pytest

from falter.core.errors import UsageError
from falter.evaluation.measures import Group, Score
from falter.evaluation.reporting import ChartAxis, ChartLine, ChartPoint, LineChart, ModelScore, Section
from falter.evaluation.reporting import plots as plots_module
from falter.evaluation.reporting.page import look_css
from falter.evaluation.reporting.plot_data import PLOT_KINDS, PlotKind, plot_data
from falter.evaluation.reporting.plots import Plots, draw_plot
from falter.evaluation.reporting.report_data import PanelSection, ReportData
from tests.reporting.made_up import made_up


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    found = made_up(tmp_path_factory.mktemp("made-up"), pairs=2, images=2)
    group = Group("captions", "existence")
    found.scores += [
        ModelScore(model, Score(measure="acc_r", group=group, value=0.9 - model / 10, low=0.5, high=0.95, n=90))
        for model in range(2)
    ]
    found.scores.append(
        ModelScore(
            2,
            Score(measure="acc_r", group=group, value=1.0, low=0.83, high=1.0, n=20, interval="exact"),
        )
    )
    points = [ChartPoint(float(x), 60.0 - x, 55.0 - x, 65.0 - x) for x in range(3)]
    axis = ChartAxis.of_names(["none", "weak", "strong"], "noise")
    lines = [ChartLine("oracle", points, 0), ChartLine("paper", points, None, "published")]
    chart = LineChart("levels", lines, axis, ChartAxis.around([50, 65], "accuracy, %"))
    panel = PanelSection(name="noise", title="Noise", section=Section(text=["-"], figures=[chart]), bundle="noisy")
    found.panels.append(panel)
    return found


def test_plots_show_themselves_in_a_notebook(data: ReportData, tmp_path: Path) -> None:
    named = msgspec.structs.replace(plot_data(data, "drop")[0], title='<b>"drop"')
    (file, _) = draw_plot(named).save(tmp_path, ["svg"])
    assert draw_plot(named)._repr_svg_().encode() == file.read_bytes()
    html = Plots([draw_plot(named), draw_plot(named)])._repr_html_()
    assert html.count('alt="&lt;b&gt;&quot;drop&quot;"') == 2
    encoded = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)"', html)
    assert [base64.b64decode(image) for image in encoded] == [file.read_bytes()] * 2


@pytest.mark.parametrize("kind", PLOT_KINDS)
def test_a_plot_is_written_with_its_values_and_the_same_bytes_again(
    data: ReportData, kind: PlotKind, tmp_path: Path
) -> None:
    found = plot_data(data, kind)
    files = draw_plot(found[0]).save(tmp_path / "one")
    again = draw_plot(found[0]).save(tmp_path / "two")
    assert [file.suffix for file in files] == [".svg", ".pdf", ".png", ".csv"]
    for one, other in zip(files, again, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert files[1].read_bytes().startswith(b"%PDF")
    assert b"CreationDate" not in files[1].read_bytes()
    assert b"<dc:date>" not in files[0].read_bytes()
    rows = list(csv.DictReader(io.StringIO(files[3].read_text())))
    assert len(rows) == len(found[0].rows) > 1
    assert {row["model"] for row in rows} <= {"paper", *(model.name for model in data.models)}


def test_values_and_intervals_are_those_of_the_report(data: ReportData) -> None:
    by_place = {(one.model, one.score.group, one.score.measure): one.score for one in data.scores}
    names = [model.name for model in data.models]
    (drop,) = plot_data(data, "drop")
    for row in drop.rows:
        score = by_place[names.index(row.model), Group(row.suite, row.test), row.measure]
        assert (row.value, row.low, row.high, row.n) == (score.value, score.low, score.high, score.n)
    assert {row.measure for row in drop.rows} == {"acc", "c_acc"}
    (foils,) = plot_data(data, "foils")
    assert [(row.low, row.high) for row in foils.rows] == [(0.5, 0.95), (0.5, 0.95), (0.83, 1.0)]
    (noise,) = plot_data(data, "noise")
    assert [row.at for row in noise.rows if row.model == "oracle"] == ["none", "weak", "strong"]


def test_what_cannot_be_plotted_is_told(data: ReportData) -> None:
    with pytest.raises(UsageError, match="no facet 'nothing'"):
        plot_data(data, "breakdown", facets=["nothing"])
    empty = ReportData(title="", suites=[], models=[], scores=[])
    for kind in PLOT_KINDS:
        with pytest.raises(UsageError):
            plot_data(empty, kind)


def test_an_unknown_measure_is_refused_and_the_known_ones_are_named(data: ReportData) -> None:
    with pytest.raises(UsageError, match="no run has the measure 'nope'; there are acc, "):
        plot_data(data, "breakdown", measure="nope")


def test_an_unknown_format_leaves_no_folder(data: ReportData, tmp_path: Path) -> None:
    plot = draw_plot(plot_data(data, "foils")[0])
    with pytest.raises(UsageError, match="unknown format 'jpg'"):
        plot.save(tmp_path / "plots", ["jpg"])
    assert not (tmp_path / "plots").exists()


def test_a_curve_of_many_points_has_no_markers_that_hide_a_model(data: ReportData) -> None:
    (shown,) = plot_data(data, "noise")
    (chart,) = shown.charts
    assert isinstance(chart, LineChart)
    curve = [ChartPoint(x / 50, 50.0) for x in range(101)]
    lines = [ChartLine("curve", curve, None), *chart.lines]
    drawn = draw_plot(msgspec.structs.replace(shown, charts=[msgspec.structs.replace(chart, lines=lines)]))
    found = {line.get_label(): line for line in drawn.figure.axes[0].get_lines()}
    assert found["curve"].get_marker() in ("None", None) and found["paper"].get_marker() not in ("None", None)
    assert found["oracle"].get_zorder() > found["curve"].get_zorder()


def test_letters_that_the_font_lacks_are_told_in_one_line(data: ReportData, tmp_path: Path) -> None:
    named = msgspec.structs.replace(
        data, models=[msgspec.structs.replace(one, name=f"{one.name} 模型一号") for one in data.models]
    )
    plots_module._warn_of_letters.cache_clear()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        plots = [draw_plot(one) for one in plot_data(named, "drop")]
        plots[0].save(tmp_path)
    assert [str(one.message) for one in found] == [
        "the font of plots lacks letters of some names, which are drawn as boxes; the CSV has them"
    ]


def test_a_file_where_the_folder_goes_is_told_so(data: ReportData, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(UsageError, match="is a file, not a folder"):
        draw_plot(plot_data(data, "drop")[0]).save(tmp_path / "taken")


def test_plots_have_the_colors_of_the_page_and_an_axis_that_fits_the_measure(data: ReportData) -> None:
    facet = plot_data(data, "breakdown")[0].rows[0].facet
    counts = msgspec.structs.replace(
        data,
        scores=[
            msgspec.structs.replace(
                entry, score=msgspec.structs.replace(entry.score, measure="pairs", value=250.0, low=None, high=None)
            )
            for entry in data.scores
            if entry.score.measure == "c_acc"
        ],
    )
    axes = draw_plot(plot_data(counts, "breakdown", facets=[facet], measure="pairs")[0]).figure.axes[0]
    low, high = axes.get_xlim()
    assert low <= 250 <= high < 25000
    page = look_css()
    assert all(f"{line.get_color()};" in page for line in axes.get_lines() if line.get_marker() != "None")
