"""What is asked for in Python is shown, or refused with what there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import falter
from falter.core.errors import UsageError
from falter.generation.authoring.options import build_options
from falter.suites.basic_questions.options import BasicQuestionsOptions
from falter.suites.carets.options import CaretsOptions
from falter.suites.rad.options import RadOptions
from tests.engine.small_suite import make_suite


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("obeyed")
    suite = make_suite(folder / "suite", probes=6)
    return falter.run(suite, "builtin:always-yes", out=folder / "run")


def test_a_table_has_the_measures_that_were_asked_for(run: Any) -> None:
    titles = {one.name: one.title for one in run.scores().measures}
    asked = ["acc_original", "acc_perturbed", "yes_rate"]
    for scores in (run.scores(measures=asked), falter.score(run, measures=asked)):
        heading = " ".join(str(scores).split("─", maxsplit=1)[0].split())
        assert all(titles[name].split()[-1] in heading for name in asked), heading
        assert {row.measure for row in scores} == set(asked)
    assert "yes" not in str(run.scores(measures="acc")).lower().split("─", maxsplit=1)[0]


def test_an_unknown_measure_is_refused_with_those_that_there_are(run: Any) -> None:
    with pytest.raises(UsageError, match=r"no run has the measure 'nope'; there are acc, acc_original, .*c_acc"):
        run.scores(measures=["acc", "nope"])
    with pytest.raises(UsageError, match=r"no run has the measure 'acc_r'"):
        falter.score(run, measures=["acc_r"])


def test_a_rule_for_answers_of_several_people_needs_such_answers(run: Any) -> None:
    calls: list[Any] = [
        lambda: falter.score(run, vqa_rule="min3"),
        lambda: falter.compare(run, run, vqa_rule="any"),
        lambda: falter.check(run, "small.t.acc>=1%", vqa_rule="exact"),
        lambda: falter.compare(run, run, what="overlap", vqa_rule="min3"),
    ]
    for call in calls:
        with pytest.raises(
            UsageError, match=r"--vqa-rule \w+ has no effect .*no question has several people's answers"
        ):
            call()


def test_facets_and_measures_are_of_breakdowns(run: Any) -> None:
    for given in ({"by": "kind"}, {"measure": "acc"}):
        with pytest.raises(UsageError, match="is of breakdowns and has no effect on --kind drop"):
            falter.plot(run, "drop", **given)


@pytest.mark.parametrize(
    ("struct", "given", "tests", "without"),
    [
        (RadOptions, {"num_choices": 3}, (), r"--test \*-choice"),
        (RadOptions, {"num_choices": 3}, ("color-choice",), ""),
        (RadOptions, {"num_beams": 2}, ("color",), "--test back-translation"),
        (CaretsOptions, {"direction": "paper"}, ("negation",), "--test ontology"),
        (CaretsOptions, {"direction": "paper"}, (), ""),
        (CaretsOptions, {"mean_color": "1,2,3"}, ("order",), "--test visual"),
        (BasicQuestionsOptions, {"lam": 0.1, "ranker": ["bm25"]}, (), "--ranker lasso"),
        (BasicQuestionsOptions, {"lam": 0.1, "ranker": ["bm25", "lasso"]}, (), ""),
        (BasicQuestionsOptions, {"lam": 0.1}, None, ""),
        (BasicQuestionsOptions, {"similarity_band": ["0.1:0.2"]}, ("noise",), "--test distractors"),
        (BasicQuestionsOptions, {"similarity_band": ["0.1:0.2"]}, None, ""),
    ],
)
def test_an_option_of_a_suite_says_what_it_needs(
    struct: Any, given: dict[str, Any], tests: tuple[str, ...] | None, without: str
) -> None:
    if without:
        with pytest.raises(UsageError, match=f"has no effect without {without}"):
            build_options("x", struct, given, tests)
    else:
        assert build_options("x", struct, given, tests) is not None


def test_workers_of_an_importer_that_divides_no_work_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="workers has no effect: importing pope is not divided"):
        falter.import_suite("pope", tmp_path, out=tmp_path / "out", workers=2)
    with pytest.raises(UsageError, match="images=link has no effect without image_dir"):
        falter.import_suite("pope", tmp_path, out=tmp_path / "out", images="link")
