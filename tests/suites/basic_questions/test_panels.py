"""The panels on basic questions: what is drawn of which test, and the paper's figures beside it."""

from __future__ import annotations

from typing import Any

import pytest

from falter.data.suite import SuiteManifest
from falter.evaluation.measures import Estimate
from falter.evaluation.reporting import LineChart, ModelInfo, ReportData, Section, published_for, render_report
from falter.evaluation.reporting.published_settings import SuiteFacts
from falter.evaluation.reporting.report_data import PanelSection
from falter.evaluation.score_options import ScoreOptions
from falter.suites.basic_questions.panels import ModelRobustness, noise_section
from falter.suites.basic_questions.published_figures import PublishedFigures, published_figures
from falter.suites.basic_questions.robustness import CurvePoint, NoiseLevel, Robustness

MODELS = [ModelInfo(name="<b>& model")]


def paper() -> PublishedFigures:
    figures = published_figures(published_for("basic-questions"))
    assert figures is not None
    return figures


def found(drops: list[float], test: str = "noise", questions: int = 100) -> Robustness:
    levels = tuple(
        NoiseLevel(
            name=str(number),
            accuracy={"all": Estimate(0.6 - drop, 0.55 - drop, 0.65 - drop, questions)},
            drop={"all": Estimate(drop, drop - 0.02, drop + 0.02, questions)},
            r_score=Estimate(0.4, 0.3, 0.5),
        )
        for number, drop in enumerate(drops, start=1)
    )
    curve = tuple(CurvePoint(0.05, m, 0.4, 0.3, 0.5) for m in (10.0, 20.0, 40.0))
    return Robustness(
        suite="basic-questions",
        test=test,
        facet="partition",
        types=("all",),
        original={"all": Estimate(0.6, 0.55, 0.65, 100)},
        levels=levels,
        monotonicity=Estimate(1.0, 0.5, 1.0, 50),
        over_t=curve,
        over_m=curve,
        t=0.05,
        m=20.0,
        images=50,
        signature="falter:0.2|basic-questions:noise",
    )


PARAMETERS = {
    "pool_kind": "general",
    "rankers": ["lasso|lambda:1e-06|nonnegative"],
    "keep_duplicates": False,
    "place": "after",
}


def figures_for(vqa_rule: str = "min3", **parameters: Any) -> PublishedFigures:
    found = published_for("basic-questions")
    assert found is not None
    manifest = SuiteManifest(name="basic-questions", parameters={**PARAMETERS, **parameters})
    described, _ = found.describing(SuiteFacts(manifest, options=ScoreOptions(vqa_rule=vqa_rule)), ["noise", "vqabq"])
    figures = published_figures(described)
    assert figures is not None
    return figures


def section(*robustness: Robustness, figures: PublishedFigures | None = None) -> Section | None:
    return noise_section(MODELS, [ModelRobustness(0, one) for one in robustness], figures or figures_for())


def charts(built: Section) -> list[LineChart]:
    groups = [group for group in built.figures if not isinstance(group, LineChart)]
    return [chart for group in groups for chart in group if isinstance(chart, LineChart)]


@pytest.mark.parametrize(
    ("other", "label"),
    [
        ({}, "GBQD, Tables 2 and 4"),
        ({"pool_kind": "yesno"}, "YNBQD, Tables 3 and 4"),
        ({"keep_duplicates": True}, "without preprocessing, Table 8"),
        ({"rankers": ["bm25|x"]}, ""),
        ({"place": "before"}, ""),
        ({"vqa_rule": "vqa-v2"}, ""),
    ],
)
def test_the_papers_lines_are_those_of_the_same_pool_ranker_and_rule(other: dict[str, Any], label: str) -> None:
    built = section(found([0.1, 0.2, 0.3]), figures=figures_for(**other))
    assert built is not None
    assert [part.title for part in built.parts[-1].parts] == ([f"Published: {label}"] if label else [])
    styles = {line.style for line in charts(built)[0].lines}
    assert ("published" in styles) == bool(label)


def test_vqabq_stands_beside_the_papers_thresholds_alone() -> None:
    assert len(figures_for().vqabq) == 1
    assert figures_for(thresholds="auto").vqabq == ()


def test_levels_of_different_questions_are_compared_by_loss_alone() -> None:
    built = section(found([0.1, 0.2, 0.3], questions=40))
    assert built is not None
    assert [chart.title for chart in charts(built)] == ["noise: loss"]
    assert any(text.startswith("Not every question of noise") for text in built.paragraphs)
    whole = section(found([0.1, 0.2, 0.3]))
    assert whole is not None
    assert [chart.title for chart in charts(whole)] == ["noise: accuracy", "noise: loss"]
    assert len(whole.paragraphs) == 1


def test_without_noise_there_is_no_section() -> None:
    assert section() is None


def test_the_page_shows_it_with_names_escaped() -> None:
    built = section(found([0.1, 0.2]), found([0.2, 0.2], "length"))
    assert built is not None
    panel = PanelSection(name="noise", title="Basic questions as noise", section=built)
    page, _ = render_report(ReportData(title="Noise", suites=[], models=MODELS, scores=[], panels=[panel]))
    assert 'id="panel-noise"' in page
    assert "<b>& model" not in page
    assert "tau 1.00 (0.50 to 1.00)" in page
    assert "R_score by limit" in page
    assert page.count("line control") == 2


def test_the_papers_other_tables_are_stored() -> None:
    figures = paper()
    (vqabq,) = figures.vqabq
    general, yes_no, table = figures.noise
    # Table 6: the counts are all test questions, and the shares those printed.
    assert sum(vqabq.appended.values()) == 244_302
    shares = [round(100 * count / 244_302, 2) for count in vqabq.appended.values()]
    assert shares == [96.84, 3.07, 0.09, 0.0]
    # Table 7: about 49 questions more are right on the whole test set.
    gained = vqabq.standard.with_["all"] - vqabq.standard.without["all"]
    assert round(gained / 100 * 244_302) == 49
    # Table 8: originals of ResNet-200, and the printed differences.
    rows = table.rows["HieCoAtt (ResNet-200)"]
    assert rows["original"] == general.rows["HieCoAtt (ResNet-200)"]["original"]
    lost = [round(rows["original"]["all"] - rows[str(part)]["all"], 2) for part in range(1, 8)]
    assert lost == [20.43, 28.23, 11.81, 11.76, 17.44, 14.98, 14.69]
    corrected = [yes_no.rows["MUTAN"][str(part)]["all"] for part in range(1, 8)]
    assert corrected == [50.03, 48.98, 48.80, 48.63, 48.35, 48.16, 47.98]


def test_one_level_makes_no_chart() -> None:
    built = section(found([0.1], "random"))
    assert built is not None
    assert charts(built) == []
    assert [part.title for part in built.parts] == ["random: VQA accuracy by partition and answer type"]
    row = built.parts[0].tables[0].rows[1]
    assert row[-1] == ("0.40", "0.30 to 0.50", "", "", None)
    assert row[-2] == ("10.0", "8.0 to 12.0", "", "", None)


def test_the_whole_test_set_has_rows_of_its_own() -> None:
    built = section(found([0.1]))
    assert built is not None
    (table,) = [table for part in built.parts for inner in part.parts for table in inner.tables]
    rows = [[getattr(cell, "text", cell) for cell in row] for row in table.published]
    lstm = [row[1:] for row in rows if row[0] == "LSTM Q+I" and "test-standard" in row[1]]
    # Table 2: 58.18 without noise and 44.70 with the first partition, a loss of 13.48.
    assert lstm == [
        ["test-standard, without noise", "58.18", "", ""],
        ["test-standard, 1", "44.70", "13.48", ""],
    ]
