"""Coefficients of agreement, against the worked examples of the literature and other implementations."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from falter.data.agreement import cohen_kappa, count_categories, fleiss_kappa, krippendorff_alpha
from falter.evaluation.measures.statistics.regression import LabelledStratum, choose_next, estimate_rate


def alpha_of(rows: list[str]) -> float:
    judgements = [(str(unit), value) for row in rows for unit, value in enumerate(row) if value != "."]
    found = krippendorff_alpha(count_categories(judgements).counts)
    assert found is not None
    return found.value


def test_alpha_is_that_of_krippendorffs_examples() -> None:
    # Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": A. two observers, ten units, two categories;
    # B. two observers, twelve units, five categories; C. four observers, twelve units, with gaps.
    assert alpha_of(["0100000010", "1110010000"]) == pytest.approx(0.095, abs=0.0005)
    assert alpha_of(["aabbdcccedda", "babbbccceddd"]) == pytest.approx(0.692, abs=0.0005)
    rows = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    assert alpha_of(rows) == pytest.approx(0.743, abs=0.0005)


def test_kappas_are_those_of_the_printed_examples() -> None:
    # Fleiss (1971), as in the reference tables: ten subjects, fourteen raters, five categories.
    table = [
        *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
        *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
    ]
    fleiss = fleiss_kappa(table)
    assert fleiss is not None and fleiss.value == pytest.approx(0.210, abs=0.0005)

    def cohen(a: int, b: int, c: int, d: int) -> float:
        first, second = ["y"] * (a + b) + ["n"] * (c + d), ["y"] * a + ["n"] * b + ["y"] * c + ["n"] * d
        found = cohen_kappa(first, second)
        assert found is not None
        return found.value

    assert [round(cohen(*cells), 4) for cells in ((20, 5, 10, 15), (45, 15, 25, 15), (25, 35, 5, 35))] == [
        *(0.4, 0.1304, 0.2593)
    ]
    assert cohen_kappa(["y"], ["y"]) is None
    assert cohen_kappa([], []) is None
    with pytest.raises(ValueError, match="same number"):
        fleiss_kappa([[2, 0], [1, 2]])


def test_agreement_is_that_of_other_implementations() -> None:
    agreement = pytest.importorskip("nltk.metrics.agreement")
    rng = np.random.default_rng(3)
    rows = [(f"c{n}", str(unit), str(rng.integers(0, 4))) for unit in range(40) for n in range(5) if rng.random() < 0.7]
    counted = count_categories((unit, value) for _, unit, value in rows)
    shared = {unit for unit in counted.items if sum(one[1] == unit for one in rows) > 1}
    found = krippendorff_alpha(counted.counts)
    assert found is not None
    assert found.value == pytest.approx(agreement.AnnotationTask([one for one in rows if one[1] in shared]).alpha())
    # The interval agrees with what leaving out one item at a time gives.
    table = counted.counts[counted.counts.sum(1) > 1]
    left = [krippendorff_alpha(np.delete(table, index, 0)) for index in range(len(table))]
    values = np.array([one.value for one in left if one is not None])
    error = np.sqrt((len(values) - 1) / len(values) * ((values - values.mean()) ** 2).sum())
    assert found.high is not None
    assert found.high - found.value == pytest.approx(1.96 * error, rel=0.1)


def simulate_answers(rng: np.random.Generator, items: int, errors: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Votes over three categories, a fifth of them missing; and by person how many of how many are right."""
    gold = rng.integers(0, 3, items)
    counts = np.zeros((items, 3))
    right = []
    for error in errors:
        wrong = rng.random(items) < error
        answer = np.where(wrong, (gold + rng.integers(1, 3, items)) % 3, gold)
        seen = rng.random(items) < 0.8
        np.add.at(counts, (np.flatnonzero(seen), answer[seen]), 1)
        right.append((int((~wrong & seen).sum()), int(seen.sum())))
    return counts, np.array(right)


def draw_strata(rng: np.random.Generator, labels: int, sensitivity: float) -> tuple[float, list[LabelledStratum]]:
    """A suite of six tests with known errors, one prediction that finds some of them and one that is noise."""
    rates = (0.02, 0.05, 0.08, 0.10, 0.15, 0.04)
    errors, strata = [], []
    for rate in rates:
        wrong = (rng.random(800) < rate).astype(float)
        found = np.where(wrong == 1, rng.random(800) < sensitivity, rng.random(800) < 0.03)
        predictions = np.stack([found.astype(float), rng.random(800)], 1)
        asked = rng.choice(800, labels, replace=False)
        strata.append(LabelledStratum(800, predictions.mean(0), wrong[asked], predictions[asked]))
        errors.append(wrong.mean())
    return float(np.mean(errors)), strata


def check_coverage(studies: int, low: float, high: float) -> None:
    from falter.data.agreement import wilson

    errors = (0.1, 0.15, 0.2, 0.25, 0.3)
    rng = np.random.default_rng(0)
    truth = krippendorff_alpha(simulate_answers(rng, 1_000_000, errors)[0])
    assert truth is not None
    alphas, accuracies, rates, plain = [], [], [], []
    for number in range(studies):
        counts, right = simulate_answers(rng, 250, errors)
        found = krippendorff_alpha(counts)
        assert found is not None and found.low is not None and found.high is not None
        alphas.append(found.low <= truth.value <= found.high)
        shares = [wilson(hits, seen) for hits, seen in right]
        accuracies += [one.low <= 1 - error <= one.high for one, error in zip(shares, errors, strict=True)]
        rate, strata = draw_strata(rng, 50, 0.7 if number % 2 else 0.03)
        estimate = estimate_rate(strata)
        rates.append(estimate.low <= rate <= estimate.high)
        plain.append(estimate.plain_low <= rate <= estimate.plain_high)
        assert estimate.high - estimate.low <= 1.02 * (estimate.plain_high - estimate.plain_low)
    covered = [float(np.mean(each)) for each in (alphas, accuracies, rates, plain)]
    assert all(low <= share <= high for share in covered), covered


def test_intervals_cover_the_truth_short() -> None:
    check_coverage(150, 0.90, 0.99)


@pytest.mark.soak
def test_intervals_cover_the_truth_in_a_thousand_studies() -> None:
    check_coverage(1000, 0.93, 0.97)


def test_good_predictions_narrow_the_interval_and_useless_ones_change_nothing() -> None:
    rng = np.random.default_rng(5)
    good = [estimate_rate(draw_strata(rng, 60, 0.9)[1]) for _ in range(20)]
    useless = [estimate_rate(draw_strata(rng, 60, 0.03)[1]) for _ in range(20)]

    def width(found: list) -> float:  # type: ignore[type-arg]
        return float(np.mean([(one.high - one.low) / (one.plain_high - one.plain_low) for one in found]))

    assert width(good) < 0.75
    assert 0.95 < width(useless) <= 1.0
    everything = draw_strata(rng, 800, 0.5)
    known = estimate_rate(everything[1])
    assert known.value == pytest.approx(everything[0]) and known.high - known.low < 0.002


def test_the_next_labels_go_where_the_interval_shrinks_most() -> None:
    flat = np.zeros((20, 1))

    def stratum(size: int, errors: int) -> LabelledStratum:
        return LabelledStratum(size, np.zeros(1), np.array([1.0] * errors + [0.0] * (20 - errors)), flat)

    more = choose_next([stratum(1000, 10), stratum(1000, 2), stratum(100, 10)], 60)
    assert sum(more) == 60 and all(a > b for a, b in pairwise(more))
    # Labels in proportion to size times spread (Neyman's allocation): 0.5 to 0.3 of 100 labels.
    assert (20 + more[0]) / (20 + more[1]) == pytest.approx(0.513 / 0.308, rel=0.1)
    assert choose_next([stratum(20, 1)], 5) == [0], "everything is labelled"
