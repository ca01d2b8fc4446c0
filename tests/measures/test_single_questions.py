"""Questions without variants: accuracy, precision, recall, F1 and yes rate, by hand and against scikit-learn."""

from __future__ import annotations

from random import Random

import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from falter.evaluation.measures import Score
from falter.evaluation.measures.comparisons import compare_tables
from falter.evaluation.measures.scoring import ScoringSettings, score_tables
from falter.evaluation.score_options import ScoreOptions
from tests.measures.tables import items_of, probe, replies_of
from tests.measures.test_foils import told


def scored(items: object, replies: object, **settings: object) -> dict[str, Score]:
    return {one.measure: one for one in score_tables(items, replies, ScoreOptions(**settings))}  # type: ignore[arg-type]


def test_by_hand() -> None:
    """Golds yes yes yes no no no; said yes yes no yes unparsed no: TP 2, FP 1, FN 1."""
    golds = ["yes", "yes", "yes", "no", "no", "no"]
    said = ["yes", "yes", "no", "yes", "!unparsed", "no"]
    items = items_of(*(probe(f"p{n}", "each", [gold]) for n, gold in enumerate(golds)))
    found = scored(items, replies_of({f"p{n}.0": one for n, one in enumerate(said)}))
    assert found["precision"].value == pytest.approx(2 / 3)
    assert found["recall"].value == pytest.approx(2 / 3)
    assert found["f1"].value == pytest.approx(2 / 3)
    assert found["acc"].value == 0.5
    assert found["yes_rate"].value == 0.5
    assert (found["precision"].n, found["recall"].n, found["f1"].n, found["acc"].n) == (3, 3, 6, 6)
    assert (found["questions"].value, found["pairs"].value, found["unparsed"].value) == (6, 0, 1)
    assert not {"cons", "c_acc", "set_acc", "acc_r"} & found.keys()


def test_against_scikit_learn() -> None:
    random = Random(3)
    golds = [random.choice(("yes", "no")) for _ in range(300)]
    said = [gold if random.random() < 0.7 else random.choice(("yes", "no")) for gold in golds]
    items = items_of(*(probe(f"p{n}", "each", [gold], image_id=f"i{n // 3}") for n, gold in enumerate(golds)))
    found = scored(items, replies_of({f"p{n}.0": one for n, one in enumerate(said)}))
    for name, official in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
        score = found[name]
        assert score.value == pytest.approx(official(golds, said, pos_label="yes"), abs=1e-12)
        assert score.low is not None and score.high is not None
        assert score.low < score.value < score.high


@pytest.mark.parametrize(
    ("gold", "said", "precision", "recall", "f1"),
    [("no", "no", None, None, None), ("yes", "no", None, 0.0, 0.0), ("no", "yes", 0.0, None, 0.0)],
)
def test_nothing_to_measure_is_null(
    gold: str, said: str, precision: float | None, recall: float | None, f1: float | None
) -> None:
    items = items_of(*(probe(f"p{n}", "each", [gold]) for n in range(4)))
    found = scored(items, replies_of({f"p{n}.0": said for n in range(4)}))
    assert [found[name].value for name in ("precision", "recall", "f1")] == [precision, recall, f1]


def test_an_excluded_question_counts_nowhere() -> None:
    items = items_of(*(probe(f"p{n}", "each", ["yes"]) for n in range(4)))
    found = scored(items, replies_of({"p0.0": "yes", "p1.0": "!failed", "p2.0": "!unsupported"}))
    assert (found["recall"].n, found["f1"].n, found["acc"].n) == (1, 1, 1)
    assert [found[name].value for name in ("questions", "failed", "missing", "unsupported")] == [4, 1, 1, 1]


def test_pairs_have_no_precision() -> None:
    items = items_of(probe("p", "different", ["yes", "no"]), probe("q", "same", ["yes", "yes"]))
    found = scored(items, replies_of({"p.0": "yes", "p.1": "yes", "q.0": "no", "q.1": "yes"}))
    assert not {"precision", "recall", "f1", "questions"} & found.keys()


def test_single_texts_are_judged_by_their_probability() -> None:
    """Golds yes no yes no with 0.9 0.8 0.4 0.1: TP 1, FP 1, FN 1, TN 1."""
    items = items_of(
        *(probe(f"p{n}", "each", [g], task="match", choices=None) for n, g in enumerate(["yes", "no"] * 2))
    )
    found = scored(items, told({"p0.0": 0.9, "p1.0": 0.8, "p2.0": 0.4, "p3.0": 0.1}))
    assert [found[name].value for name in ("acc", "precision", "recall", "f1", "yes_rate")] == [0.5] * 5
    ranked = scored(items, told({"p0.0": 9.0, "p1.0": 8.0, "p2.0": 4.0, "p3.0": 1.0}, "similarity"))
    assert ranked["f1"].value is None
    assert "threshold" in str(ranked["f1"].reason)


def test_ten_answers() -> None:
    """Two of ten say red: 0.6 by the official mean; nobody says blue."""
    answers = [["red"] * 2 + ["green"] * 8]
    items = items_of(*(probe(f"p{n}", "each", ["green"], choices=None, answers=answers) for n in range(2)))
    found = scored(items, replies_of({"p0.0": "red", "p1.0": "blue"}))
    assert found["vqa_accuracy"].value == pytest.approx(0.3)
    assert found["acc"].value == 0.5
    assert found["vqa_accuracy"].n == 2


def test_f1_is_compared() -> None:
    golds = ["yes", "no"] * 30
    items = items_of(*(probe(f"p{n}", "each", [gold], image_id=f"i{n}") for n, gold in enumerate(golds)))
    good = replies_of({f"p{n}.0": gold for n, gold in enumerate(golds)})
    bad = replies_of({f"p{n}.0": "yes" for n in range(len(golds))})
    compared = compare_tables(items, bad, good, settings=ScoringSettings())
    (f1,) = [one for one in compared.comparisons if one.measure == "f1"]
    assert (f1.first, f1.second) == pytest.approx((2 / 3, 1.0))
    assert f1.better == "second"
