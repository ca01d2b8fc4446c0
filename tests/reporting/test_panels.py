"""Panels of bundles: an outside one is built, drawn and escaped; what could run or reach out is refused."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from falter.core.bundle import BUNDLES, SuiteBundle
from falter.core.errors import FalterError, UsageError
from falter.core.untrusted_text import escape_invisible
from falter.data.items import Item, Probe
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.measures import DIFFER, ONE, Estimate, Measure
from falter.evaluation.reporting import (
    ChartAxis,
    ChartLine,
    ChartPoint,
    LineChart,
    ModelInfo,
    Panel,
    ReportData,
    ReportView,
    Section,
    Table,
    TableCell,
    bars,
    collect,
    lines,
    render_report,
)
from falter.evaluation.reporting.headline import headlines
from falter.evaluation.reporting.page import page_environment
from falter.evaluation.reporting.report_data import PanelSection
from falter.evaluation.reporting.scores import ScoresByModel
from falter.evaluation.runs import Run, open_run
from falter.evaluation.score_options import ScoreOptions

from .hostile import HOSTILE, spoiled_section
from .made_up import made_up
from .test_collect_data import Answering

Register = Callable[..., SuiteBundle]


@pytest.fixture
def register() -> Iterator[Register]:
    """Register a bundle for the suite ``outside`` for the time of a test."""

    def put(*panels: Panel, **slots: Any) -> SuiteBundle:
        bundle = SuiteBundle(name="outside", title="An outside suite", panels=panels, **slots)
        stack.enter_context(BUNDLES.restored(outside=bundle))
        return bundle

    with ExitStack() as stack:
        yield put


@pytest.fixture
def run(tmp_path: Path) -> Run:
    with create_suite(tmp_path / "suite", SuiteManifest(name="mine", title="Mine", licence="CC0-1.0")) as writer:
        for number in range(8):
            shared: dict[str, Any] = {"suite": "outside", "test": "capitals", "probe_id": str(number), "gold": "yes"}
            shared["facets"] = {"size": str(number % 2)}
            text = f"Is it {number}?"
            writer.add(Probe((Item.make(text=text, **shared), Item.make(text=text.upper(), variant=1, **shared))))
    model = Answering("shy", lambda text: "no" if text.isupper() and "3" in text else "yes")
    run_suite(open_suite(tmp_path / "suite"), model, tmp_path / "run", spec="python:shy")
    return open_run(tmp_path / "run")


def build(view: ReportView) -> Section:
    assert [each.run.manifest.model.name for each in view.runs] == ["shy"]
    assert [suite.name for suite in view.suites] == ["mine"]
    assert view.tests == ["capitals"]
    assert view.published is None
    assert set(view.runs[0].outcomes["suite"]) == {"outside"}
    return Section(
        text="Capitals change no meaning.",
        figures=[bars(view.scores("c_acc"), view.models), lines(view.scores("acc", by="size"), view.models)],
        tables=[Table(columns=["Model", "C-ACC"], rows=[["shy", view.scores("c_acc")[0].score]])],
    )


def test_an_outside_panel_is_built_from_the_runs_of_its_suite(register: Register, run: Run) -> None:
    register(Panel(name="shouting", title="Does shouting change answers?", build=build))
    data = collect([run], ScoreOptions(n_resamples=50))
    assert [(panel.name, panel.place, panel.bundle) for panel in data.panels] == [("shouting", "results", "outside")]
    page, _ = render_report(data)
    section = page[page.index('<section id="panel-shouting"') :].partition("</section>")[0]
    assert "Does shouting change answers?</h2>" in section
    assert "Capitals change no meaning." in section
    assert section.count("<svg") == 2
    assert re.search(r'<td class="number" title="[\d.]+ to [\d.]+">87.5</td>', section)
    assert '<a href="#panel-shouting">Shouting</a>' in page


def test_a_measure_of_the_bundle_is_wherever_ours_are(register: Register, run: Run, tmp_path: Path) -> None:
    flips = Measure(
        name="flips",
        title="flip <rate>",
        description="The share of pairs whose two answers differ.",
        grain="pair",
        higher_is_better=False,
        headline=True,
        sums={"part": DIFFER, "n": ONE},
    )
    shown = Panel(
        name="shouting", title="x", build=lambda view: Section(figures=[bars(view.scores("flips"), view.models)])
    )
    register(shown, measures=(flips,))
    run_suite(run.suite(), Answering("bold", lambda _: "yes"), tmp_path / "bold", spec="python:bold")
    data = collect([run, open_run(tmp_path / "bold")], ScoreOptions(n_resamples=50))
    (group,) = data.panels[0].section.figures
    assert isinstance(group, tuple)
    assert [(bar.name, bar.estimate.value) for bar in group[0].bars] == [("shy", 0.125), ("bold", 0.0)]
    page, _ = render_report(data)
    parts = dict(re.findall(r'<section id="([a-z-]+)"(.*?)</section>', page, re.DOTALL))
    for part in ("results", "breakdowns", "definitions"):
        assert "flip &lt;rate&gt;" in parts[part], part
    assert "The share of pairs whose two answers differ." in parts["definitions"]
    # Fewer flips are better: the star is at the model that has none.
    (results,) = headlines(data, ScoresByModel(data.scores))
    cells = {row.name: {cell.measure: cell for cell in row.cells[0]} for row in results.rows}
    assert (cells["shy"]["flips"].value, cells["shy"]["flips"].best) == ("12.5", False)
    assert (cells["bold"]["flips"].value, cells["bold"]["flips"].best) == ("0.0", True)
    assert (cells["shy"]["c_acc"].best, cells["bold"]["c_acc"].best) == (False, True)


def test_without_its_bundle_a_suite_is_shown_all_the_same(run: Run) -> None:
    data = collect([run], ScoreOptions(n_resamples=0))
    assert data.panels == []
    assert 'id="results"' in render_report(data)[0]


def test_a_panel_with_nothing_to_show_is_not_on_the_page(register: Register, run: Run) -> None:
    register(Panel(name="shouting", title="Nothing", build=lambda _: None))
    assert collect([run], ScoreOptions(n_resamples=0)).panels == []


def test_a_panel_that_fails_is_named_with_its_bundle(register: Register, run: Run) -> None:
    def fail(view: ReportView) -> Section:
        raise KeyError("flips")

    register(Panel(name="shouting", title="Fails", build=fail))
    with pytest.raises(UsageError, match="panel 'shouting' of the bundle 'outside' failed: KeyError: 'flips'"):
        collect([run], ScoreOptions(n_resamples=0))


@pytest.mark.parametrize("name", ["", "Shouting", "a b", "-a", '"><script>', "1st"])
def test_a_panel_needs_a_plain_name(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be named"):
        Panel(name=name, title="x", build=build)


def test_a_panel_needs_a_place_that_there_is() -> None:
    with pytest.raises(UsageError, match="results, breakdowns, control-runs, failures"):
        Panel(name="x", title="x", place="nowhere", build=build)  # type: ignore[arg-type]


def page_with(section: Section, *, place: Any = "results", folder: Path | None = None) -> str:
    panel = PanelSection(name="mine", title="Mine", section=section, place=place, bundle="outside", folder=folder)
    models = [ModelInfo(name="one")]
    return render_report(ReportData(title="x", suites=[], models=models, scores=[], panels=[panel]))[0]


def test_a_panel_follows_the_part_it_names(tmp_path: Path) -> None:
    data = made_up(tmp_path, pairs=1)
    order = []
    for place in ("results", "breakdowns", "control-runs", "failures"):
        data.panels = [PanelSection(name="mine", title="Mine", section=Section(text="x"), place=place)]  # type: ignore[arg-type]
        ids = re.findall('<section id="([a-z-]+)"', render_report(data)[0])
        order.append(ids[ids.index("panel-mine") - 1])
    assert order == ["results", "breakdowns", "overlap", "failures"]


def test_panels_of_one_name_have_ids_of_their_own() -> None:
    panels = [PanelSection(name="mine", title="x", section=Section(text="x"), bundle=bundle) for bundle in ("a", "b")]
    page, _ = render_report(ReportData(title="x", suites=[], models=[], scores=[], panels=panels))
    assert re.findall('<section id="(panel-[a-z-]+)"', page) == ["panel-a-mine", "panel-b-mine"]


def test_cells_are_written_as_what_they_are() -> None:
    row = [
        "head",
        1234,
        0.5,
        None,
        Estimate(0.25, 0.2, 0.3),
        TableCell("x", interval="1 to 2", note="odd", below="n 3"),
    ]
    page = page_with(Section(tables=[Table(columns=list("abcdef"), rows=[row])]))
    found = page[page.index('id="panel-mine"') :].partition("<tbody>")[2].partition("</tbody>")[0]
    assert [cell for cell in re.findall(r">([^<>\n]+)<", found) if cell.strip()] == [
        "head",
        "1,234",
        "0.5",
        "–",
        "25.0",
        "x",
        "*",
        " (odd)",
        "n 3",
    ]
    assert 'title="20.0 to 30.0"' in found


def test_equal_heads_of_a_grouped_table_are_one_cell() -> None:
    rows = [["a", 1], ["a", 2], ["b", 3]]
    grouped = page_with(Section(tables=[Table(columns=["x", "y"], rows=rows, grouped=True)]))
    plain = page_with(Section(tables=[Table(columns=["x", "y"], rows=rows)]))
    assert grouped.count('rowspan="2"') == 1
    assert 'rowspan="2"' not in plain


def test_a_row_that_does_not_fit_its_columns_is_refused() -> None:
    with pytest.raises(UsageError, match="2 columns and a row of 1 cells"):
        page_with(Section(tables=[Table(columns=["x", "y"], rows=[["a"]])]))


def test_line_charts_have_a_legend_of_their_models() -> None:
    axis = ChartAxis.around([0, 1], "y")
    chart = LineChart(
        "x", [ChartLine("one", [ChartPoint(0, 1)], 0), ChartLine("paper", [ChartPoint(0, 1)])], axis, axis
    )
    page = page_with(Section(figures=[chart]))
    legend = page[page.index('class="keys"') :].partition("</p>")[0]
    assert re.findall(r"<span>([^<]+)</span>", legend) == ["one"]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


def tags_of(page: str) -> _Tags:
    found = _Tags()
    found.feed(page)
    return found


@pytest.mark.parametrize("worst", HOSTILE)
def test_hostile_text_in_a_panel_adds_no_element(worst: str) -> None:
    hostile = PanelSection(name="mine", title=worst, section=spoiled_section(worst))
    plain = PanelSection(name="mine", title="a title of some length", section=spoiled_section("plain"))
    pages = [
        render_report(ReportData(title="x", suites=[], models=[ModelInfo(name="one")], scores=[], panels=[panel]))[0]
        for panel in (hostile, plain)
    ]
    found, expected = map(tags_of, pages)
    # A place to break a long name is the page's own; the next test is about names alone.
    assert [tag for tag in found.tags if tag != "wbr"] == [tag for tag in expected.tags if tag != "wbr"]
    assert found.attributes == expected.attributes
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", pages[0])
    assert pages[0].encode()


@pytest.mark.parametrize("worst", [*HOSTILE, "<wbr>a_b", "<b>a/b</b>", "&lt;wbr&gt;:x", "a_", "a__b@c"])
def test_a_name_has_no_element_but_the_places_to_break_it(worst: str) -> None:
    shown = str(
        page_environment("falter.evaluation.reporting").from_string("{{ name | breakable }}").render(name=worst)
    )
    tags = tags_of(shown).tags
    assert set(tags) <= {"wbr"}
    assert len(tags) == len(re.findall(r"[_/:@]+(?=.)", escape_invisible(worst)))
    assert html.unescape(shown.replace("<wbr>", "")) == escape_invisible(worst)


@pytest.fixture
def templates(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "mine.html.j2").write_text(
        "<p class='fine'>{{ name }}: {% for x in values %}<b>{{ x }}</b>{% endfor %}</p>"
    )
    yield tmp_path


def test_a_template_of_a_bundle_is_escaped(templates: Path) -> None:
    worst = "</script><script>window.broken = 1</script>\u202e"
    section = Section(template="mine.html.j2", values={"name": worst, "values": [worst, 2]})
    page = page_with(section, folder=templates)
    assert "<b>2</b>" in page
    assert tags_of(page).tags.count("script") == 2
    assert "\u202e" not in page


@pytest.mark.parametrize(
    "text",
    [
        "<script>1</script>",
        "<p onclick='1'>x</p>",
        "<p style='color: red'>x</p>",
        "<img src='http://example.org/x.png'>",
        "<a href='http://example.org'>x</a>",
        "<a href='javascript:1'>x</a>",
        "<iframe></iframe>",
        "<style>p { color: red }</style>",
        "<svg><foreignObject></foreignObject></svg>",
        "<form action='http://example.org'></form>",
        "{{ missing }}",
        "{% if %}",
    ],
)
def test_a_template_that_could_run_or_reach_out_is_refused(text: str, templates: Path) -> None:
    (templates / "bad.html.j2").write_text(text)
    with pytest.raises(FalterError, match=r"bad\.html\.j2"):
        page_with(Section(template="bad.html.j2"), folder=templates)


def test_a_template_needs_a_folder() -> None:
    with pytest.raises(UsageError, match="has no package"):
        page_with(Section(template="x.html.j2"))


def test_naming_a_panel_loads_nothing_heavy() -> None:
    code = (
        "import sys; from falter.evaluation.reporting import Panel, Section, bars, lines, Table; "
        "print([name for name in ('polars', 'numpy', 'pyarrow', 'jinja2', 'PIL') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
