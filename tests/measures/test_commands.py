"""falter score, falter compare and falter check, from runs on disk."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import pytest

from falter.cli.main import main
from falter.data.items import Probe
from falter.data.model import Reply
from falter.data.suite import open_suite
from falter.evaluation.measures import MEASURES, ONE, Group, Measure, all_measures, is_, o, v
from falter.evaluation.measures.requirements import CheckResult, parse_requirement
from falter.evaluation.measures.results import Comparison, Score
from falter.evaluation.runs import ModelRecord, RunManifest, SuiteRecord, open_run
from falter.evaluation.runs.checks import CheckResults
from falter.evaluation.runs.comparison_tables import Comparisons
from falter.evaluation.runs.manifest import write_run_manifest
from falter.evaluation.runs.scoring import score_run
from falter.evaluation.runs.store import LOG_NAME, compact
from falter.evaluation.runs.table_cells import RunName
from falter.evaluation.score_options import ScoreOptions

from .tables import probe, write

EVIL = 'a<b>&"|\x07'


def make_run(
    folder: Path, suite: Path, replies: dict[str, str], *, name: str, complete: bool = True, limit: int | None = None
) -> Path:
    opened = open_suite(suite)
    manifest = RunManifest(
        model=ModelRecord(spec=f"x:{name}", name=name, fingerprint=name, abilities=("answer",), needs_image=False),
        suite=SuiteRecord(name=opened.name, path=str(suite), fingerprint=opened.fingerprint, items=opened.item_count),
        settings={} if limit is None else {"limit": limit},
    )
    folder.mkdir(parents=True)
    if complete:
        compact(folder, manifest, {key: _reply(key, said) for key, said in sorted(replies.items())})
        return folder
    write_run_manifest(folder, manifest)
    lines = [json.dumps({"item_id": key, "answer": said}) for key, said in replies.items()]
    (folder / LOG_NAME).write_text("\n".join(lines) + "\n")
    return folder


def _reply(item_id: str, said: str) -> Reply:
    return Reply(item_id=item_id, status="failed") if said == "!failed" else Reply(item_id=item_id, answer=said)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    probes: list[Probe] = []
    for n in range(40):
        gold, other = ("yes", "no") if n % 2 else ("no", "yes")
        probes.append(
            probe(
                f"p{n}", "different", [gold, other], suite="carets", test="negation", image_id=f"i{n // 3}",
                facets=[{"type": EVIL if n % 4 else "plain"}, {}],
            )
        )  # fmt: skip
    write(tmp_path / "suite", *probes, name="carets")
    items = [item for one in probes for item in one.items]
    make_run(tmp_path / "oracle", tmp_path / "suite", {item.item_id: item.gold for item in items}, name="oracle")
    make_run(tmp_path / "yes", tmp_path / "suite", {item.item_id: "yes" for item in items}, name="always-yes")
    make_run(
        tmp_path / "half", tmp_path / "suite", {item.item_id: "yes" for item in items[:40]}, name="half", complete=False
    )
    return tmp_path


@pytest.fixture
def falter(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    def call(*arguments: object) -> int:
        monkeypatch.setattr(sys, "argv", ["falter", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)

    return call


def test_score_as_json(world: Path, falter: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert falter("score", world / "oracle", world / "yes", "--by", "type", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [run["model"] for run in told] == ["oracle", "always-yes"]
    whole = {score["measure"]: score for score in told[1]["scores"] if score["group"]["facet"] is None}
    assert (whole["cons"]["value"], whole["cons"]["n"]) == (0, 40)
    assert whole["cons"]["signature"].startswith("falter:0.2|carets:negation|rule:vqa-v2|")
    assert whole["cons"]["signature"].endswith("|unparsed:wrong|cons:replies|interval:exact|n:40|seed:0")
    assert {score["group"]["value"] for score in told[0]["scores"]} == {None, EVIL, "plain"}


def test_score_as_a_table(world: Path, falter: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert falter("score", world / "oracle", world / "half") == 0
    told = capsys.readouterr().out
    for part in ("carets:negation", "oracle", "half", "C-ACC", "missing", "100.0"):
        assert part in told
    assert "unsupported" not in told


@pytest.mark.filterwarnings("ignore:.*without a checksum:falter.core.errors.FalterWarning")
def test_an_unfinished_run_is_scored_on_what_there_is(world: Path) -> None:
    found = {score.measure: score for score in score_run(open_run(world / "half"))}
    assert (found["missing"].value, found["missing"].n) == (20, 40)
    assert (found["acc"].value, found["acc"].n) == (0.5, 40)


@pytest.mark.filterwarnings("ignore:.*without a checksum:falter.core.errors.FalterWarning")
def test_scores_do_not_depend_on_the_order_of_calls_and_the_seed_matters(world: Path) -> None:
    run = open_run(world / "half")
    assert score_run(run) == score_run(run)
    # Exact intervals are not drawn; the errors of what is no share are.
    assert [one.se for one in score_run(run, ScoreOptions(n_resamples=30))] != [
        one.se for one in score_run(run, ScoreOptions(n_resamples=30, seed=1))
    ]
    assert any(score.signature.endswith("seed:1") for score in score_run(run, ScoreOptions(seed=1)))


def test_compare(world: Path, falter: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert falter("compare", world / "yes", world / "oracle", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    by_measure = {one["measure"]: one for one in told["comparisons"]}
    assert by_measure["c_acc"]["difference"] == 1
    assert by_measure["c_acc"]["better"] == "second"
    assert by_measure["c_acc"]["p"] == pytest.approx(2 / 2**40)
    assert falter("compare", world / "yes", world / "oracle") == 0
    assert "oracle is better on carets:negation (ACC, CONS, C-ACC)." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("better", "told"),
    [
        ("second", "Over all tests, new is better: ACC differs by +3.0 [+1.0, +5.0] points."),
        (None, "Over all tests, neither is shown to be better: ACC differs by +3.0 [+1.0, +5.0] points."),
    ],
)
def test_compare_ends_with_a_sentence_over_all_tests(better: Literal["second"] | None, told: str) -> None:
    def row(test: str, measure: str) -> Comparison:
        return Comparison(
            measure=measure,
            group=Group("s", test),
            first=0.5,
            second=0.53,
            difference=0.03,
            low=0.01,
            high=0.05,
            better=better,
            signature="",
        )

    names = [RunName("runs/old", "old"), RunName("runs/new", "new")]
    measures = all_measures()
    whole = Comparisons([row("one", "acc"), row("overall", "acc")], runs=names, measures=measures)
    assert told in " ".join(str(whole).split())
    assert "Over all tests" not in str(Comparisons([row("one", "acc")], runs=names, measures=measures))


def test_a_check_fits_80_columns_and_tells_its_reason_whole() -> None:
    group = Group("carets", "negation")
    reason = "met after 230 of 488 pairs; the full run would say otherwise with probability under 1 %"
    check = CheckResult(
        requirement=parse_requirement("carets.negation.c_acc>=baseline-5%"),
        score=Score(measure="c_acc", group=group, value=0.7667, low=0.7, high=0.8, n=240),
        interval_end=None,
        passed=True,
        reason=reason,
        verdict="met",
        comparison=Comparison(
            measure="c_acc", group=group, first=0.75, second=0.7667, difference=0.0167, low=-0.041, high=0.06, n=240
        ),
        gate="value",
    )
    told = str(CheckResults([check]))
    assert max(map(len, told.splitlines())) <= 80
    assert f"carets.negation.c_acc>=baseline-5%: {reason}" in " ".join(told.split())


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    """A suite of three tests of 100 pairs: one run fails in most of the first and in one pair of the second."""
    probes = [
        probe(f"{test}{n}", "same", ["yes", "yes"], suite="s", test=test, image_id=f"i{n}")
        for test in ("broken", "nearly", "whole")
        for n in range(100)
    ]
    write(tmp_path / "suite", *probes)
    items = [item.item_id for one in probes for item in one.items]
    failed = {*(item for item in items if item.startswith("broken") and item != "broken7.0"), "nearly3.1"}
    make_run(tmp_path / "good", tmp_path / "suite", dict.fromkeys(items, "yes"), name="good")
    told = {item: "!failed" if item in failed else "yes" for item in items}
    make_run(tmp_path / "bad", tmp_path / "suite", told, name="bad")
    return tmp_path


def test_score_says_in_words_what_is_missing(
    failing: Path, falter: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = "has no answer to more than 1 % of the pairs; they are in no score: s:broken 100 of 100 (100 failed)"
    assert falter("score", failing / "good", failing / "bad") == 0
    lines = capsys.readouterr().out.split("\n")
    told = " ".join(" ".join(lines).split())
    # A path has no blank at which a line could be broken.
    assert max(map(len, lines)) <= max(80, len(str(failing / "bad")))
    assert f"{failing / 'bad'} {wanted}" in told
    assert f"{failing / 'good'} has no answer" not in told
    # One of a hundred is 1 %, not more.
    assert "s:nearly 1 of" not in told
    assert falter("score", failing / "bad", "--measure", "acc", "--json") == 0
    told, noted = capsys.readouterr()
    assert wanted in noted
    answered = {one["group"]["test"]: one for one in json.loads(told)[0]["answered"]}
    assert {test: (one["pairs"], one["failed"], one["missing"]) for test, one in answered.items()} == {
        "broken": (100, 100, 0),
        "nearly": (100, 1, 0),
        "whole": (100, 0, 0),
    }


def test_compare_says_which_tests_it_leaves_out_and_how_many_pairs_it_judges(
    failing: Path, falter: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = [
        "Compared: 199 of 300 pairs, those that both runs answered, in 2 of 3 tests.",
        "Not compared: s:broken: no pair was answered by both runs.",
        f"{failing / 'bad'} has no answer to more than 1 % of the pairs; they are in no score: s:broken 100 of 100 "
        "(100 failed)",
    ]
    assert falter("compare", failing / "good", failing / "bad") == 0
    told = " ".join(capsys.readouterr().out.split())
    assert all(line in told for line in wanted), told
    assert "distinct questions" in told
    assert falter("compare", failing / "good", failing / "bad", "--measure", "acc_r", "--json") == 0
    told, noted = capsys.readouterr()
    assert "in 0 of 3 tests" in noted
    assert {one["group"]["test"]: one["reason"] for one in json.loads(told)["tests"]} == {
        "broken": "no pair was answered by both runs",
        "nearly": "it has no acc_r",
        "whole": "it has no acc_r",
    }


def test_runs_of_different_suites_are_not_compared(
    world: Path, falter: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    write(world / "other", probe("p", "same", ["yes", "yes"]))
    make_run(world / "elsewhere", world / "other", {"p.0": "yes"}, name="x")
    assert falter("compare", world / "yes", world / "elsewhere") == 2
    assert "different suites" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("requirement", "code"),
    [
        ("carets.negation.c_acc>=0.6", 0),
        ("carets.negation.c_acc >= 60%", 0),
        ("carets.negation.c_acc >= 100%", 1),
        ("carets.negation.c_acc>1", 1),
        ("carets.negation.yes_rate<=0.7", 0),
        ("carets.negation.yes_rate<=0.5", 1),
        ("carets.negation.yes_rate<0.5", 1),
        ("carets.negation.missing<=0", 0),
        ("carets.negation.missing>0", 1),
        ("carets.negation.first_choice_rate>=0", 1),
        ("carets.negation.acc[type=plain]>=0.4", 0),
        (f"carets.negation.acc[type={EVIL}]>=0.4", 0),
        ("carets.negation.acc[type=odd]>=0.9", 2),
        ("carets.negation.acc[kind=plain]>=0.9", 2),
        ("carets.rephrase.acc>=0.9", 2),
        ("carets.negation.bleu>=0.9", 2),
        ("carets.negation.acc==0.9", 2),
        ("carets.negation.acc>=high", 2),
        ("negation.acc>=0.9", 2),
        ("", 2),
    ],
)
def test_check(world: Path, falter: Callable[..., int], requirement: str, code: int) -> None:
    assert falter("check", world / "oracle", "--require", requirement) == code


@pytest.mark.filterwarnings("ignore:.*without a checksum:falter.core.errors.FalterWarning")
def test_a_floor_is_judged_on_the_lower_end_and_a_ceiling_on_the_upper(world: Path, falter: Callable[..., int]) -> None:
    found = {score.measure: score for score in score_run(open_run(world / "half"))}
    original = found["acc_original"]
    assert original.low is not None
    assert original.low < original.value < original.high
    middle, low, high = original.value, original.low - 1e-6, original.high + 1e-6
    name = "carets.negation.acc_original"
    allowed = ("--allow-missing", "50%")
    assert falter("check", world / "half", *allowed, "--require", f"{name}>={middle}") == 1
    assert falter("check", world / "half", *allowed, "--require", f"{name}<={middle}") == 1
    required = ("--require", f"{name}>={low}", "--require", f"{name}<={high}")
    assert falter("check", world / "half", *allowed, *required) == 0


def test_what_is_there_is_named(world: Path, falter: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    falter("check", world / "oracle", "--require", "carets.negation.bleu>=0.9")
    told = capsys.readouterr().err
    assert "c_acc" in told
    assert len(told.splitlines()) == 1


def test_check_without_requirements_is_bad_use(world: Path, falter: Callable[..., int]) -> None:
    assert falter("check", world / "oracle") == 2


def test_junit_and_markdown(world: Path, falter: Callable[..., int], tmp_path: Path) -> None:
    requirements = [f"carets.negation.c_acc[type={EVIL}]>=0.9", "carets.negation.c_acc>=0.1"]
    code = falter(
        "check", world / "yes", "--junit", tmp_path / "j.xml", "--markdown", tmp_path / "m.md",
        *(part for text in requirements for part in ("--require", text)),
    )  # fmt: skip
    assert code == 1
    root = ElementTree.parse(tmp_path / "j.xml").getroot()
    suite = root.find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("2", "2")
    cases = suite.findall("testcase")
    assert cases[0].get("name") == requirements[0].replace("\x07", "\ufffd")
    assert "not >= 0.9" in (cases[0].find("failure").get("message") or "")
    rows = [line for line in (tmp_path / "m.md").read_text().splitlines() if line.startswith("| ❌")]
    assert len(rows) == 2
    assert "<b>" not in rows[0]
    assert rows[0].replace("\\|", "").count("|") == 7


def test_check_takes_several_runs_and_folders_of_runs(
    world: Path, falter: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    required = ("--require", "carets.negation.c_acc>=0.6")
    runs = tmp_path / "folder of runs"
    runs.mkdir()
    (world / "oracle").rename(runs / "oracle")
    assert falter("check", runs, *required, "--json") == 0
    alone = json.loads(capsys.readouterr().out)
    assert (alone["passed"], sorted(alone)) == (True, ["model", "passed", "verdicts"])
    (world / "yes").rename(runs / "yes")
    assert falter("check", runs, *required, "--json") == 1
    first, second = json.loads(capsys.readouterr().out)
    assert first == {"run": str(runs / "oracle"), **alone}
    assert (second["run"], second["passed"]) == (str(runs / "yes"), False)

    written = ("--junit", tmp_path / "j.xml", "--markdown", tmp_path / "m.md")
    assert falter("check", runs, runs / "yes", *required, *written) == 1
    told = capsys.readouterr().out
    assert [told.count(str(runs / name)) for name in ("oracle", "yes")] == [1, 1]
    root = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    assert [(one.get("failures"), str(runs) in str(one.get("name"))) for one in root] == [("0", True), ("1", True)]
    assert [line.split(": ")[-1] for line in (tmp_path / "m.md").read_text().splitlines() if line[:1] == "#"] == [
        "all requirements met",
        "1 of 1 requirements not met",
    ]
    assert falter("check", runs, *required, "--require", "carets.negation.bleu>=1") == 2
    assert str(runs / "oracle") in capsys.readouterr().err


BOTH_WRONG = Measure(
    name="both_wrong",
    title="both wrong",
    description="The share of pairs in which both answers are wrong.",
    grain="pair",
    sums={"part": is_(o, "incorrect") & is_(v, "incorrect"), "n": ONE},
    higher_is_better=False,
    headline=True,
)


def test_a_measure_from_outside_stands_wherever_ours_do(
    world: Path, falter: Callable[..., int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MEASURES, "_added", {})
    MEASURES.add("both_wrong", BOTH_WRONG)
    found = {score.measure: score for score in score_run(open_run(world / "yes"))}
    assert (found["both_wrong"].value, found["both_wrong"].n) == (0, 40)
    assert found["both_wrong"].low is not None
    assert falter("score", world / "yes", world / "oracle") == 0
    assert "wrong" in capsys.readouterr().out
    items = {item.item_id: item.gold for item in open_suite(world / "suite").items()}
    turned = {key: {"yes": "no", "no": "yes"}[gold] for key, gold in items.items()}
    make_run(world / "turned", world / "suite", turned, name="turned")
    assert falter("compare", world / "turned", world / "oracle", "--json") == 0
    told = {one["measure"]: one for one in json.loads(capsys.readouterr().out)["comparisons"]}
    assert (told["both_wrong"]["first"], told["both_wrong"]["second"]) == (1, 0)
    # Less of it is better.
    assert (told["both_wrong"]["difference"], told["both_wrong"]["better"]) == (-1, "second")
    assert falter("compare", world / "oracle", world / "turned") == 0
    assert "both wrong" in capsys.readouterr().out
    assert falter("check", world / "oracle", "--require", "carets.negation.both_wrong<=0.4") == 0
    assert falter("check", world / "turned", "--require", "carets.negation.both_wrong<=0.4") == 1
    assert falter("report", world / "oracle", world / "turned", "--out", world / "report.html") == 0
    assert "both wrong" in (world / "report.html").read_text()


def test_every_measure_says_what_it_tells() -> None:
    for name in MEASURES.names():
        measure = MEASURES.get(name)
        assert measure.name == name
        assert measure.description.endswith(".")
        assert measure.title
