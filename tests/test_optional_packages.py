"""A package of an extra that is missing: the error says what needs it and names the extra that has it."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from falter.core.errors import UsageError
from falter.core.optional_packages import EXTRAS, import_package, one_thread, require_packages
from tests.program import falter

ROOT = Path(__file__).parents[1]
EXTRAS_OF_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def hide(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    for name in [name for name in sys.modules if name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)


def test_the_extras_of_the_errors_are_those_of_the_project() -> None:
    for extra, modules in EXTRAS.items():
        packages = {re.split("[<>=]", one)[0] for one in EXTRAS_OF_PROJECT[extra]}
        assert set(modules.values()) <= packages, extra
    every = re.search(r"falter\[(.*)\]", EXTRAS_OF_PROJECT["all"][0])
    assert every is not None
    assert set(every[1].split(",")) == set(EXTRAS)
    assert set(EXTRAS_OF_PROJECT) == {*EXTRAS, "all", "dev", "docs", "bench"}


def read_wordnet() -> None:
    from falter.generation.nlp.wordnet import load_wordnet

    load_wordnet.cache_clear()
    load_wordnet()


def parse_captions() -> None:
    from falter.generation.nlp.parsing import load_parser

    load_parser("never a pipeline")


def rank_by_bm25() -> None:
    from falter.suites.basic_questions.rankers.word_rankers import Bm25Ranker

    Bm25Ranker().fit(["what is it"])


def decode_jpeg() -> None:
    from falter.suites.carets.obfuscation.decoding import load_jpeg_codec

    load_jpeg_codec()


def blur() -> None:
    # The module that blurs imports OpenCV when it is imported, and is imported when something is to be blurred.
    sys.modules.pop("falter.suites.carets.obfuscation.blur", None)
    importlib.import_module("falter.suites.carets.obfuscation.blur")


def learn_from_text() -> None:
    from falter.generation.inspection.ngram_baselines import count_correct_by_boosting

    count_correct_by_boosting(["is it"], [True], np.zeros(1, dtype=np.int64))


def load_weights() -> None:
    from falter.evaluation.models.weights.devices import load_torch

    load_torch()


def count_tokens() -> None:
    from falter.suites.valse.foiling.context import load_token_counter

    load_token_counter("bert")


def solve_compiled() -> None:
    from falter import lasso

    lasso.LassoRanker(backend="numba").fit(np.eye(3)).rank(np.eye(3))


def average_votes() -> None:
    from falter.apps.people.judgements import aggregate

    aggregate([], "dawid-skene")


def plot() -> None:
    from falter.evaluation.reporting.plot_data import PlotData
    from falter.evaluation.reporting.plots import draw_plot

    draw_plot(PlotData(name="drop", title="a title", charts=(), label="accuracy"))


def read_inspect_log() -> None:
    from falter.evaluation.models.predictions.rows import model_of_log

    model_of_log(Path("a.eval"))


@pytest.mark.parametrize(
    ("package", "extra", "use"),
    [
        ("nltk", "generate", read_wordnet),
        ("spacy", "generate", parse_captions),
        ("bm25s", "generate", rank_by_bm25),
        ("cv2", "generate", blur),
        ("simplejpeg", "generate", decode_jpeg),
        ("sklearn", "generate", learn_from_text),
        ("torch", "hf", load_weights),
        ("transformers", "hf", count_tokens),
        ("numba", "lasso", solve_compiled),
        ("crowdkit", "people", average_votes),
        ("matplotlib", "plot", plot),
        ("inspect_ai", "inspect", read_inspect_log),
    ],
)
def test_what_is_missing_is_named_with_its_extra(
    package: str, extra: str, use: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    hide(monkeypatch, package)
    with pytest.raises(
        UsageError, match=rf"^\S.* needs the package {EXTRAS[extra][package]}: pip install 'falter\[{extra}\]'$"
    ):
        use()


def test_a_page_names_its_own_extra_and_what_has_no_extra_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "starlette")
    with pytest.raises(UsageError, match=r"^the page needs the package starlette: pip install 'falter\[view\]'$"):
        require_packages("starlette", what="the page")
    with pytest.raises(UsageError, match=r"'falter\[people\]'$"):
        require_packages("starlette", what="the page", extra="people")
    hide(monkeypatch, "pandas")
    with pytest.raises(UsageError, match=r"needs the package pandas: pip install pandas$"):
        import_package("pandas", "a data frame")


def test_a_package_that_is_broken_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('libcudart.so\\nis missing')\n")
    hide(monkeypatch, "torch")
    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match=r"needs the package torch \(libcudart.so is missing\): pip install"):
        import_package("torch", "this model")


def test_libraries_have_one_thread_where_that_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from threadpoolctl import threadpool_info

    with one_thread():
        assert {library["num_threads"] for library in threadpool_info()} == {1}
    hide(monkeypatch, "threadpoolctl")
    with one_thread():
        assert np.eye(2).sum() == 2


WITHOUT_EXTRAS = """
import sys

class Hidden:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in list(sys.modules):
    if name.partition(".")[0] in HIDDEN:
        del sys.modules[name]
sys.meta_path.insert(0, Hidden)
"""


def test_a_suite_is_imported_run_scored_compared_and_reported_without_any_extra(tmp_path: Path) -> None:
    hidden = sorted({module for modules in EXTRAS.values() for module in modules} | {"threadpoolctl"})
    without = f"HIDDEN = {hidden}{WITHOUT_EXTRAS}"
    # So many questions that the report has text-only baselines.
    rows = [f"{number}.png,Is number {number} red?,{'yes' if number % 3 else 'no'},colors" for number in range(60)]
    (tmp_path / "table.csv").write_text("\n".join(["image,question,answer,test", *rows]))
    (tmp_path / "mine.py").write_text("def no(requests):\n    return ['no' for _ in requests]\n")
    for command in (
        ["import", "table", "table.csv", "--images", "none", "--out", "suite"],
        ["inspect", "suite"],
        ["run", "suite", "--model", "builtin:always-yes", "--out", "runs/yes"],
        ["run", "suite", "--model", "python:mine:no", "--out", "runs/no"],
        ["score", "runs/yes", "runs/no"],
        ["compare", "runs/yes", "runs/no"],
        ["report", "runs", "--out", "report.html"],
    ):
        done = falter(*command, cwd=tmp_path, before=without)
        assert done.returncode == 0, (command, done.stderr)
