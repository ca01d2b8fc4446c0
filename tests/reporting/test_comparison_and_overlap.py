"""Breakdowns compared with the paper's, and the overlap of correct answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from falter.evaluation.reporting.overlap import overlap_matrices
from falter.evaluation.reporting.page import render_report
from falter.evaluation.reporting.report_data import ReportData
from falter.evaluation.reporting.scores import ScoresByModel
from falter.evaluation.reporting.tables import compare_with_published
from falter.evaluation.runs.failure_records import SuiteTest

from .made_up import MODELS, TESTS, made_up

ORDER = SuiteTest("carets", "order")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    return made_up(tmp_path_factory.mktemp("pictures"), pairs=1)


def test_published_figures_stand_under_the_models_in_the_same_columns(data: ReportData) -> None:
    table = compare_with_published(data, ScoresByModel(data.scores), ORDER, "logic")
    assert table is not None
    assert table.values == ["conjunction", "disjunction"]
    assert table.measures == ["ACC", "C-ACC", "yes rate", "no rate", "neither yes nor no"]
    assert [row.name for row in table.rows] == list(MODELS)
    lxmert = next(row for row in table.published if row.name == "LXMERT")
    assert [cell.value for cell in lxmert.cells] == ["81", "78", "49", "51", "0", "62", "56", "59", "32", "9"]
    assert "R4" in lxmert.cells[0].note
    assert "caption" in lxmert.cells[1].note
    assert not lxmert.cells[2].note
    oracle = table.rows[0]
    assert oracle.cells[0].value == "100.0"
    assert oracle.cells[2].value == "–"


def test_humans_come_first_and_digits_are_those_printed(data: ReportData) -> None:
    table = compare_with_published(data, ScoresByModel(data.scores), SuiteTest("carets", "ontology"), "direction")
    assert table is not None
    assert table.published[0].human
    assert [cell.value for cell in table.published[0].cells] == ["91", "96"]
    visual = compare_with_published(data, ScoresByModel(data.scores), SuiteTest("carets", "visual"), "obfuscation")
    assert visual is not None
    assert next(row for row in visual.published if row.name == "MMBT").cells[3].value == "50.00"


def test_nothing_is_compared_that_no_paper_has(data: ReportData) -> None:
    scores = ScoresByModel(data.scores)
    assert compare_with_published(data, scores, ORDER, "question_type") is None
    assert compare_with_published(data, scores, SuiteTest("of-mine", "order"), "logic") is None


def test_a_matrix_has_a_row_and_a_column_for_every_model(data: ReportData) -> None:
    found = overlap_matrices(data)
    assert [matrix.test.test for matrix in found] == list(TESTS)
    matrix = found[0]
    assert [[cell.value for cell in row] for row in matrix.rows][:2] == [
        ["", "90.0", "90.0", "90.0"],
        ["60.0", "", "90.0", "90.0"],
    ]
    assert matrix.rows[0][1].pairs == "80.0"
    assert "350 questions that bag answers correctly, oracle answers 90.0 %" in matrix.rows[0][1].title
    assert (matrix.rows[0][1].shade, matrix.rows[1][0].shade) == (9, 6)


def test_the_published_matrix_stands_with_its_test_where_there_is_one(data: ReportData) -> None:
    by_test = {matrix.test.test: matrix.published for matrix in overlap_matrices(data)}
    assert by_test["visual"] is None
    negation = by_test["negation"]
    assert negation is not None
    assert negation.source == "NEGATION-DIR, Table 17"
    assert negation.rows[2][0] == "LXMERT"
    assert [cell.value for cell in negation.rows[2][1]] == ["68.9", "55.2", "", "71.0", "72.2", "70.6"]


def test_the_page_shows_both(data: ReportData) -> None:
    page, _ = render_report(data)
    assert "Comparison with published results" in page
    assert "Published: ORDER-INV, Table 3" in page
    assert "Published: REPHRASE-INV, Table 13" in page
    assert 'href="#overlap"' in page
    # Every shade that a cell may have is in the style sheet.
    shades = set(re.findall(r'class="shade (s\d+)"', page))
    assert shades
    assert all(f".{shade} {{ --depth" in page for shade in shades)


def test_one_model_alone_has_no_matrix(tmp_path: Path) -> None:
    data = made_up(tmp_path, pairs=1)
    data.overlaps = []
    page, _ = render_report(data)
    assert 'id="overlap"' not in page
