"""The panel on noise: axes that hold what they show, and figures that stand where the data say."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from falter.measures.robustness import CurvePoint, Measured, NoiseLevel, Robustness
from falter.reporting.data import ModelCard, ModelRobustness, ReportData, SuiteCard
from falter.reporting.line_charts import Axis, Line, Point, line_chart
from falter.reporting.page import render_report
from falter.reporting.published import load_published
from falter.reporting.robustness import noise_panel


def found(drops: list[float], test: str = "noise", questions: int = 100) -> Robustness:
    levels = tuple(
        NoiseLevel(
            name=str(number),
            accuracy={"all": Measured(0.6 - drop, 0.55 - drop, 0.65 - drop, questions)},
            drop={"all": Measured(drop, drop - 0.02, drop + 0.02, questions)},
            r_score=Measured(0.4, 0.3, 0.5),
        )
        for number, drop in enumerate(drops, start=1)
    )
    curve = tuple(CurvePoint(0.05, m, 0.4, 0.3, 0.5) for m in (10.0, 20.0, 40.0))
    return Robustness(
        suite="basic-questions",
        test=test,
        facet="partition",
        types=("all",),
        original={"all": Measured(0.6, 0.55, 0.65, 100)},
        levels=levels,
        monotonicity=Measured(1.0, 0.5, 1.0, 50),
        over_t=curve,
        over_m=curve,
        t=0.05,
        m=20.0,
        images=50,
        signature="falter:0.1|basic-questions:noise",
    )


def report(*robustness: Robustness, parameters: dict[str, str] | None = None) -> ReportData:
    return ReportData(
        title="Noise",
        suites=[SuiteCard(name="basic-questions", parameters=parameters or {"pool_kind": "general"})],
        models=[ModelCard(name="<b>& model")],
        scores=[],
        robustness=[ModelRobustness(0, one) for one in robustness],
    )


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.booleans())
def test_an_axis_holds_all_values(values: list[float], zero: bool) -> None:
    axis = Axis.around(values, "accuracy", zero=zero)
    assert axis.low <= min(values) + 1e-9
    assert axis.high >= max(values) - 1e-9
    assert 2 <= len(axis.ticks) <= 9
    assert all(axis.low <= place <= axis.high for place, _ in axis.ticks)
    if zero:
        assert axis.low <= 0 <= axis.high


def test_a_chart_is_well_formed_whatever_the_names() -> None:
    line = Line("<script>&", "m0", [Point(0, 1, 0.5, 1.5, "a<b"), Point(1, 2, 1, 3)])
    drawing = ET.fromstring(line_chart("x", [line], Axis.of_names(["<", "&"], "z"), Axis.around([0, 3], "y")))
    assert drawing.tag == "svg"
    assert len(drawing.findall("circle")) == 2
    assert len(drawing.findall("path")) == 2


def test_the_papers_lines_stand_beside_those_of_its_own_pool_and_ranker() -> None:
    for parameters, label in (
        ({"pool_kind": "general", "rankers": "lasso|lambda:1e-06", "keep_duplicates": "false"}, "GBQD, Tables 2 and 4"),
        ({"pool_kind": "yesno", "rankers": "lasso|lambda:1e-06", "keep_duplicates": "false"}, "YNBQD, Tables 3 and 4"),
        ({"pool_kind": "general", "rankers": "lasso|x", "keep_duplicates": "true"}, "without preprocessing, Table 8"),
        ({"pool_kind": "general", "rankers": "bm25|x", "keep_duplicates": "false"}, ""),
    ):
        panel = noise_panel(report(found([0.1, 0.2, 0.3]), parameters=parameters))
        assert panel is not None
        assert panel.tests[0].published == label
        assert bool(panel.tests[0].systems) == bool(label)


def test_levels_of_different_questions_are_compared_by_what_they_lost_alone() -> None:
    panel = noise_panel(report(found([0.1, 0.2, 0.3], questions=40)))
    assert panel is not None
    assert panel.tests[0].accuracy is None
    assert panel.tests[0].drop is not None


def test_a_report_without_noise_has_no_panel() -> None:
    assert noise_panel(report()) is None


def test_the_page_shows_it_with_names_escaped() -> None:
    page, _ = render_report(report(found([0.1, 0.2]), found([0.2, 0.2], "length")))
    assert 'id="noise"' in page
    assert "<b>& model" not in page
    assert "tau 1.00 (0.50 to 1.00)" in page
    assert "Over the limit" in page
    assert page.count("line control") == 2


def test_the_papers_other_tables_are_stored() -> None:
    paper = load_published("basic-questions")
    assert paper is not None
    assert paper.vqabq is not None
    # Table 6: the counts are all test questions, and the shares those printed.
    assert sum(paper.vqabq.appended.values()) == 244_302
    shares = [round(100 * count / 244_302, 2) for count in paper.vqabq.appended.values()]
    assert shares == [96.84, 3.07, 0.09, 0.0]
    # Table 7: about 49 questions more are right on the whole test set.
    gained = paper.vqabq.standard.with_["all"] - paper.vqabq.standard.without["all"]
    assert round(gained / 100 * 244_302) == 49
    # Table 8: originals of ResNet-200, and the printed differences.
    table = paper.noise_table("general", "lasso", prepared=False)
    assert table is not None
    rows = table.rows["HieCoAtt (ResNet-200)"]
    general = paper.noise_table("general", "lasso")
    assert general is not None
    assert rows["original"] == general.rows["HieCoAtt (ResNet-200)"]["original"]
    lost = [round(rows["original"]["all"] - rows[str(part)]["all"], 2) for part in range(1, 8)]
    assert lost == [20.43, 28.23, 11.81, 11.76, 17.44, 14.98, 14.69]
    yes_no = paper.noise_table("yesno", "lasso")
    assert yes_no is not None
    corrected = [yes_no.rows["MUTAN"][str(part)]["all"] for part in range(1, 8)]
    assert corrected == [50.03, 48.98, 48.80, 48.63, 48.35, 48.16, 47.98]


def test_one_level_makes_no_chart() -> None:
    panel = noise_panel(report(found([0.1], "random")))
    assert panel is not None
    assert panel.tests[0].accuracy is None
    assert panel.function is None
    assert panel.tests[0].blocks[0].rows[1].cells[-1] == ("0.40", "0.30 to 0.50")
    assert panel.tests[0].blocks[0].rows[1].cells[-2][0] == "10.0"
