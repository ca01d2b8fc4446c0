"""The published figures are stored as printed, and agree with themselves except where a note says so."""

from __future__ import annotations

import pytest

from falter.report.published import Published, PublishedRow, load_published, published_suites

SIX = {"BAN", "CNN+LSTM", "LXMERT", "MMBT", "ViLBERT", "VisualBERT"}
FULL = {"acc", "acc_original", "acc_perturbed", "cons", "c_acc"}


@pytest.fixture(scope="module")
def carets() -> Published:
    found = load_published("carets")
    assert found is not None
    return found


def _flagged(row: PublishedRow, measure: str) -> bool:
    return any(note.measure == measure for note in row.notes)


def test_every_stored_paper_loads() -> None:
    assert "carets" in published_suites()
    assert all(load_published(suite) for suite in published_suites())


def test_an_unknown_suite_has_none() -> None:
    assert load_published("no-such-suite") is None


def test_five_tests_have_six_models_and_people_in_full(carets: Published) -> None:
    for test in ("rephrase", "order", "ontology", "antonym", "negation"):
        full = {row.system for row in carets.rows if row.test == test and set(row.values) == FULL}
        assert full == SIX | {"Human"}


def test_accuracy_is_the_mean_of_original_and_perturbed(carets: Published) -> None:
    full = [row for row in carets.rows if set(row.values) >= {"acc", "acc_original", "acc_perturbed"}]
    assert len(full) == 41
    for row in full:
        mean = (row.values["acc_original"] + row.values["acc_perturbed"]) / 2
        assert abs(row.values["acc"] - mean) <= 0.0101, (row.system, row.test)


def test_comprehensive_accuracy_is_never_above_its_parts_but_in_the_flagged_cell(carets: Published) -> None:
    above = [
        row
        for row in carets.rows
        if "c_acc" in row.values
        and row.values["c_acc"]
        > min(row.values.get(name, 100) for name in ("acc", "acc_original", "acc_perturbed", "cons")) + 0.001
    ]
    assert [(row.system, row.test) for row in above] == [("Human", "negation")]
    assert _flagged(above[0], "c_acc")


def test_the_printed_accuracy_of_the_augmented_model_on_antonyms_is_mended(carets: Published) -> None:
    row = carets.row("antonym", "LXMERT (augmented)")
    plain = carets.row("antonym", "LXMERT")
    assert row is not None
    assert plain is not None
    assert row.values["acc"] == 85.0
    assert row.values["acc"] - plain.values["acc"] == pytest.approx(5.5, abs=0.05)
    assert _flagged(row, "acc")


@pytest.mark.parametrize(
    ("test", "gains"),
    [
        ("rephrase", (16.2, 10.3, 19.6)),
        ("order", (18.8, 21.3, 27.8)),
        ("ontology", (9.6, 10.5, 14.9)),
        ("negation", (36.0, 62.4, 66.6)),
        ("antonym", (5.5, 12.4, 11.6)),
    ],
)
def test_the_gains_of_table_5_follow_from_the_stored_figures(
    carets: Published, test: str, gains: tuple[float, float, float]
) -> None:
    row, plain = carets.row(test, "LXMERT (augmented)"), carets.row(test, "LXMERT")
    assert row is not None
    assert plain is not None
    for measure, gain in zip(("acc", "cons", "c_acc"), gains, strict=True):
        assert row.values[measure] - plain.values[measure] == pytest.approx(gain, abs=0.11)


def test_the_visual_test_has_consistency_from_table_1_and_means_of_table_7(carets: Published) -> None:
    row = carets.row("visual", "LXMERT")
    assert row is not None
    assert row.values["cons"] == 78.6
    assert row.values["acc_perturbed"] == pytest.approx((66.33 + 61.82 + 66.59 + 66.89 + 67.06) / 5, abs=0.006)
    assert "c_acc" not in row.values
    people = carets.people("visual")
    assert people is not None
    assert people.values == {"cons": 89.0}


def test_consistency_follows_tables_11_and_12_not_table_1(carets: Published) -> None:
    antonym, negation = carets.row("antonym", "BAN"), carets.row("negation", "BAN")
    assert antonym is not None
    assert negation is not None
    assert (antonym.values["cons"], negation.values["cons"]) == (56.80, 19.30)


def test_an_alias_finds_the_test(carets: Published) -> None:
    assert carets.people("ontological") == carets.people("ontology")
