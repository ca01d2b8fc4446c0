"""AccuracyPrediction of accuracy on unseen augmentations: known coefficients come back, and too few runs are told."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from typer.testing import CliRunner

import falter
from falter.cli.main import build_app
from falter.core.errors import UsageError
from falter.evaluation.measures.statistics.regression import fit_linear
from falter.evaluation.runs import open_run
from falter.suites.rad.prediction import CorrectPairs, FeatureMode, count_pairs, find_targets, predict_accuracy
from tests.measures.tables import probe, write

pytestmark = pytest.mark.bundle("rad")

PAIRS = 100_000
TARGETS = ["color", "how-many", "what-kind", "rephrasings"]


WEIGHTS = {"accuracy": 0.2, "rad_forward": 0.3, "rad_backward": 0.4}


def simulated(seed: int, noise: float = 0.0) -> dict[str, dict[str, CorrectPairs]]:
    """Instances whose three sets are alike, and whose accuracy on the fourth is a known function of them."""
    rng = Random(seed)
    found = {}
    for number in range(45):
        drawn = {"accuracy": rng.uniform(0.4, 0.8), "rad_forward": rng.uniform(0.3, 0.9)}
        drawn["rad_backward"] = rng.uniform(0.5, 0.95)
        original = round(PAIRS * drawn["accuracy"])
        both = round(original * drawn["rad_forward"])
        seen = CorrectPairs(PAIRS, original, round(both / drawn["rad_backward"]), both)
        predicted = sum(WEIGHTS[name] * value for name, value in drawn.items())
        unseen = CorrectPairs(PAIRS, original, round(PAIRS * (predicted + rng.gauss(0, noise))), 0)
        found[f"m{number}"] = {**dict.fromkeys(TARGETS[:3], seen), "rephrasings": unseen}
    return found


def test_known_coefficients_come_back() -> None:
    found = predict_accuracy(simulated(0), TARGETS)
    for one in found:
        (fit,) = [fit for fit in one.fits if fit.target == "rephrasings"]
        if one.features == "all":
            assert fit.coefficients == pytest.approx(WEIGHTS, abs=2e-3)
            assert fit.r2 == pytest.approx(1, abs=1e-4)
            assert fit.r2_left_out == pytest.approx(1, abs=1e-3)
            assert fit.constant == (pytest.approx(0, abs=2e-3) if one.intercept else None)
        else:
            assert fit.r2 is not None
            assert fit.r2 < 0.9


def test_noise_lowers_what_is_explained_and_more_so_for_what_is_left_out() -> None:
    first, *_ = predict_accuracy(simulated(1, 0.05), TARGETS)
    (fit,) = [one for one in first.fits if one.target == "rephrasings"]
    assert fit.r2 is not None
    assert fit.r2_left_out is not None
    assert 0.3 < fit.r2_left_out < fit.r2 < 0.95


def test_sets_are_pooled_or_averaged() -> None:
    rng = Random(2)
    instances = {}
    for number in range(10):
        large = CorrectPairs(900, rng.randrange(300, 800), 500, 250)
        small = CorrectPairs(100, rng.randrange(30, 80), 50, 25)
        # The accuracy on the third set is half of the pooled accuracy of the first two.
        pooled = (large.original + small.original) / 1000
        instances[f"m{number}"] = {"a": large, "b": small, "c": CorrectPairs(2000, 1000, round(1000 * pooled), 500)}
    r2 = {}
    modes: tuple[FeatureMode, ...] = ("pooled", "mean")
    for mode in modes:
        found = predict_accuracy(instances, ["a", "b", "c"], mode)
        (told,) = [one for one in found if one.features == "accuracy" and one.intercept]
        r2[mode] = next(fit.r2 for fit in told.fits if fit.target == "c")
    assert r2["pooled"] == pytest.approx(1)
    assert r2["mean"] is not None
    assert r2["mean"] < 0.95


def test_the_mean_and_deviation_are_over_targets() -> None:
    found = predict_accuracy(simulated(3, 0.05), TARGETS)
    for one in found:
        values = [fit.r2 for fit in one.fits]
        assert one.targets == 4
        assert one.r2 == pytest.approx(np.mean(values))
        assert one.r2_deviation == pytest.approx(np.std(values, ddof=1))


def test_a_regression_is_as_the_textbook_has_it() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(12, 2)), rng.normal(size=12)
    fit = fit_linear(x, y)
    left_out = []
    for place in range(12):
        kept = np.arange(12) != place
        design = np.column_stack([x[kept], np.ones(11)])
        beta, *_ = np.linalg.lstsq(design, y[kept], rcond=None)
        left_out.append(y[place] - np.append(x[place], 1) @ beta)
    assert fit.r2_left_out == pytest.approx(1 - np.sum(np.square(left_out)) / np.sum((y - y.mean()) ** 2))
    assert fit_linear([[1.0], [2.0], [3.0]], [2.0, 2.0, 2.0]).r2 is None


@pytest.mark.parametrize(
    ("instances", "targets", "told"),
    [
        (simulated(0), ["color"], "needs two tests or more"),
        (
            dict(list(simulated(0).items())[:5]),
            TARGETS,
            "needs runs of 6 models or more, and there are 5",
        ),
        (simulated(0), ["color", "where"], "has no answered pairs of the test 'where'"),
    ],
)
def test_too_little_is_an_error(instances: dict[str, dict[str, CorrectPairs]], targets: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        predict_accuracy(instances, targets)


def test_a_model_without_a_correct_original_has_no_rad() -> None:
    instances = simulated(0)
    instances["m0"] = dict.fromkeys(TARGETS, CorrectPairs(10, 0, 5, 0))
    with pytest.raises(UsageError, match="m0 answers no original of the other tests correctly"):
        predict_accuracy(instances, TARGETS)


def test_targets() -> None:
    one = CorrectPairs(1, 1, 1, 1)
    assert find_targets({"a": {"color": one, "where": one, "rephrasings": one}}) == ["color", "rephrasings"]
    assert find_targets({"a": {"x": one, "y": one}, "b": {"y": one, "x": one, "z": one}}) == ["x", "y"]
    assert find_targets({}, ["b", "a", "b"]) == ["b", "a"]


def test_the_command(tmp_path: Path) -> None:
    tests = ("color", "how-many", "what-kind")
    made = [
        probe(f"{test}-{number}", "each", ["2", "yes" if number % 2 else "no"], suite="rad", test=test, choices=None)
        for test in tests
        for number in range(20)
    ]
    write(tmp_path / "suite", *made, name="rad")
    rng = Random(4)
    for number in range(7):
        skill = 0.4 + 0.07 * number
        lines = [
            {"item_id": item.item_id, "answer": item.gold if rng.random() < skill else "5"}
            for one in made
            for item in one.items
        ]
        path = tmp_path / f"model-{number}.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        falter.run(tmp_path / "suite", f"file:{path}", out=tmp_path / "runs" / str(number))
    counts = count_pairs(open_run(tmp_path / "runs" / "0"))
    assert set(counts) == set(tests)
    assert counts["color"].pairs == 20
    words = ["rad", "predict-accuracy", str(tmp_path / "runs"), "--features", "mean"]
    done = CliRunner().invoke(build_app(), words)
    assert done.exit_code == 0, done.output
    assert "0.917 ± 0.117" not in done.stdout, "the paper's is of four tests, taken as one set"
    assert done.stderr.count("Published figures of Table 4 are not shown: they belong to all features of three") == 1
    assert "over 7 models" in done.stdout
    assert "left out" not in done.stderr
    told = json.loads(CliRunner().invoke(build_app(), [*words, "--json"]).stdout)
    assert told["targets"] == list(tests)
    assert told["instances"] == [f"model-{number}" for number in range(7)]
    table = done.stdout.splitlines()[1:-2]
    assert len(table) > 6
    assert max(map(len, table)) <= 80
    assert told["published"] == {}
    assert len(told["predictions"]) == 8
    # Of one more model, two pairs lack the reply to their variant and one lacks both.
    gone = {item.item_id for one in made[:2] for item in one.items[1:]} | {item.item_id for item in made[25].items}
    kept = [json.dumps(line) for line in lines if line["item_id"] not in gone]
    (tmp_path / "lacking.jsonl").write_text("\n".join(kept), encoding="utf-8")
    falter.run(tmp_path / "suite", f"file:{tmp_path / 'lacking.jsonl'}", out=tmp_path / "lacking")
    assert count_pairs(open_run(tmp_path / "lacking"))["color"].excluded == 2
    with_it = CliRunner().invoke(build_app(), [*words, str(tmp_path / "lacking")])
    assert with_it.exit_code == 0, with_it.output
    assert "left out: 3 of 480 pairs, since one of their questions has no reply (lacking" in with_it.stderr
    # Two models of one name are told apart.
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "model-0.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    falter.run(tmp_path / "suite", f"file:{tmp_path / 'again' / 'model-0.jsonl'}", out=tmp_path / "namesake")
    both = CliRunner().invoke(build_app(), [*words, str(tmp_path / "namesake"), "--json"])
    named = json.loads(both.stdout)["instances"]
    assert len(named) == 8
    assert sum(name.startswith("model-0 [") for name in named) == 2
    few = CliRunner().invoke(build_app(), [*words[:2], str(tmp_path / "runs" / "0")])
    assert isinstance(few.exception, UsageError)
    assert "needs runs of 6 models" in str(few.exception)
    # A run on another suite with a test of the same name is left out.
    other = probe("other", "each", ["2", "yes"], suite="other-sets", test="color", choices=None)
    write(tmp_path / "other", other, name="other-sets")
    answers = tmp_path / "other.jsonl"
    answers.write_text("\n".join(json.dumps({"item_id": item.item_id, "answer": "2"}) for item in other.items))
    falter.run(tmp_path / "other", f"file:{answers}", out=tmp_path / "runs" / "other")
    beside = CliRunner().invoke(build_app(), words)
    assert beside.exit_code == 0, beside.output
    assert "left out: 1 run on other suites (other-sets)" in beside.output
    assert "over 7 models" in beside.output
    alone = CliRunner().invoke(build_app(), [*words[:2], str(tmp_path / "runs" / "other")])
    assert "none of the runs is on a suite of RAD" in str(alone.exception)
