"""Gates: what a requirement may say, how many answers it needs, and how a run is held against a baseline."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import falter
from falter.cli.main import main
from falter.core.errors import InputError, UsageError
from falter.data.items import Probe
from falter.evaluation.measures.requirements import parse_requirement, parse_share
from falter.evaluation.runs import open_run
from falter.evaluation.runs.scoring import compare_runs
from falter.evaluation.score_options import ScoreOptions

from .tables import probe, write
from .test_commands import make_run

GATED = "carets.negation.c_acc"


def paired_probe(number: int, test: str = "negation", variants: int = 1) -> Probe:
    golds = ["yes", *(["no"] * variants)]
    facets = [{"form": "odd" if number % 2 else "even"}] * (variants + 1)
    return probe(
        f"{test}{number}", "different", golds, suite="carets", test=test, image_id=f"i{number}", facets=facets
    )  # fmt: skip


@pytest.fixture(scope="module")
def gates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of 100 pairs and 50 sets of three, and runs of it that fail and err in known places."""
    folder = tmp_path_factory.mktemp("gates")
    pairs = [paired_probe(number) for number in range(100)]
    sets = [paired_probe(number, "ontology", 3) for number in range(50)]
    write(folder / "suite", *pairs, *sets, name="carets")
    items = [item for one in (*pairs, *sets) for item in one.items]
    gold = {item.item_id: item.gold for item in items}

    def run(name: str, replies: dict[str, str]) -> None:
        make_run(folder / name, folder / "suite", {**gold, **replies}, name=name)

    run("right", {})
    run("most-failed", {f"negation{number}.1": "!failed" for number in range(90)})
    run("two-failed", {f"negation{number}.1": "!failed" for number in range(2)})
    run("one-failed", {"negation0.1": "!failed", "ontology0.1": "!failed"})
    run("old", {f"negation{number}.0": "no" for number in range(20)})
    run("same", {f"negation{number}.0": "no" for number in range(20)})
    run("worse", {f"negation{number}.0": "no" for number in range(40)})
    run("other", {f"negation{number}.0": "no" for number in range(10, 30)})
    return folder


def cli(*arguments: object) -> int:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(sys, "argv", ["falter", *map(str, arguments)])
        main()
    return int(ended.value.code or 0)


@pytest.mark.parametrize(
    ("run", "requirement", "allowed", "code"),
    [
        ("right", f"{GATED}>=60%", None, 0),
        ("most-failed", f"{GATED}>=60%", None, 1),
        ("most-failed", f"{GATED}>=60%", "90%", 0),
        ("most-failed", f"{GATED}>=60%", "0.89", 1),
        ("most-failed", "carets.negation.unparsed<=0", None, 1),
        ("most-failed", "carets.negation.failed<=90", None, 0),
        ("most-failed", "carets.ontology.acc>=60%", None, 0),
        ("one-failed", f"{GATED}>=60%", None, 0),
        ("one-failed", f"{GATED}>=60%", "0", 1),
        ("one-failed", f"{GATED}[form=even]>=60%", None, 1),
        ("one-failed", f"{GATED}[form=odd]>=60%", "0", 0),
        ("two-failed", f"{GATED}>=60%", None, 1),
        ("one-failed", "carets.ontology.acc>=60%", None, 0),
        ("one-failed", "carets.ontology.set ACC>=60%", None, 1),
        ("one-failed", "carets.ontology.set_acc>=60%", "2%", 0),
    ],
)
def test_a_gate_needs_nearly_all_of_its_units(
    gates: Path, run: str, requirement: str, allowed: str | None, code: int
) -> None:
    (found,) = falter.check(gates / run, requirement, allow_missing=allowed)
    assert found.verdict == ("too few answers" if code else "met")
    assert found.passed == (code == 0) == ("--allow-missing" not in found.reason)


@pytest.mark.bundle("carets")
def test_a_mean_needs_the_answers_of_every_test(tmp_path: Path) -> None:
    pairs = [paired_probe(number, "rephrase") for number in range(120)]
    pairs += [paired_probe(number, "order") for number in range(10)]
    write(tmp_path / "suite", *pairs, name="carets")
    gold = {item.item_id: item.gold for one in pairs for item in one.items}
    make_run(tmp_path / "run", tmp_path / "suite", {**gold, "order3.1": "!failed"}, name="mean")
    requirement = "carets.rephrase-and-order.c_acc>=50%"
    (found,) = falter.check(tmp_path / "run", requirement)
    assert (found.verdict, found.units, found.answered) == ("too few answers", 10, 9)
    assert falter.check(tmp_path / "run", requirement, allow_missing=0.1).passed


def test_too_few_answers_are_told_in_numbers(gates: Path) -> None:
    (found,) = falter.check(gates / "most-failed", f"{GATED}>=60%")
    assert (found.units, found.answered) == (100, 10)
    assert "only 10 of 100 pairs were answered (pairs: 90 failed)" in found.reason


@pytest.mark.parametrize(
    ("bound", "remedy"),
    [
        ("yes_rate<=60", "write 60% or 0.6"),
        ("yes_rate<=1.5", "write 1.5% or 0.015"),
        ("yes_rate<=150%", "0% to 100%"),
        ("acc>=600", "0% to 100%"),
        ("acc>=-0.1", "a share from 0 to 1"),
        ("acc>=inf", "is not a number"),
        ("acc>=nan", "is not a number"),
        ("acc>=1e999", "is not finite"),
        ("acc>=0." + "3" * 40, "at most 32 characters"),
        ("acc>=٠.٦", "digits 0 to 9"),
        ("acc>=\uff10.6", "digits 0 to 9"),
        ("acc>=0,6", "is not a number"),
        ("acc>=", "is not a number"),
        (" " * 5000 + "acc" + " " * 5000, "cannot be read"),
        ("acc>=0.6%%", "is not a number"),
        ("position_bias<=2", "of at most 1"),
        ("unparsed<=1%", "is a count of pairs"),
        ("unparsed<=-1", "is a count of pairs"),
        ("unparsed<=baseline", "is a count of pairs"),
        ("acc>=baseline-5", "write -5% or -0.05"),
        ("acc>=baseline2%", "is not a number"),
        ("acc>=baseline-", "is not a number"),
    ],
)
def test_a_bound_that_cannot_be_meant_is_refused(bound: str, remedy: str) -> None:
    with pytest.raises(UsageError, match=re.escape(remedy)):
        parse_requirement(f"carets.negation.{bound}")


@pytest.mark.parametrize(
    ("text", "measure", "bound", "baseline"),
    [
        ("s.t.yes_rate<=60%", "yes_rate", 0.6, False),
        ("s.t.yes_rate<=60 %", "yes_rate", 0.6, False),
        ("s.t.yes rate<=1", "yes_rate", 1, False),
        ("s.t.C-ACC>=.5", "c_acc", 0.5, False),
        ("s.t.c-acc>=5e-1", "c_acc", 0.5, False),
        ("s.t.set CONS>=0.5", "set_cons", 0.5, False),
        ("s.t.position_bias>=-0.1", "position_bias", -0.1, False),
        ("s.t.position bias>= -10%", "position_bias", -0.1, False),
        ("s.t.acc_di<=+5%", "acc_di", 0.05, False),
        ("s.t.unparsed<=200", "unparsed", 200, False),
        ("s.t.acc>=baseline", "acc", 0, True),
        ("s.t.acc >= baseline - 2%", "acc", -0.02, True),
        ("s.t.yes_rate<=baseline+0.02", "yes_rate", 0.02, True),
        ("s.a.b.acc[type=x>=1]>=0.5", "acc", 0.5, False),
    ],
)
def test_what_a_requirement_may_say(text: str, measure: str, bound: float, baseline: bool) -> None:
    found = parse_requirement(text)
    assert (found.measure, found.baseline) == (measure, baseline)
    assert found.bound == pytest.approx(bound)


@pytest.mark.parametrize("share", ["2", "-1%", "101%", "inf", "half", "", "baseline"])
def test_a_share_that_may_be_missing_is_a_share(share: str) -> None:
    with pytest.raises(UsageError, match="is not a share"):
        parse_share(share, "--allow-missing")


@pytest.mark.parametrize(
    ("run", "requirement", "verdict"),
    [
        ("same", f"{GATED}>=baseline", "undecided"),
        ("same", f"{GATED}>=baseline-5%", "met"),
        ("same", f"{GATED}>=baseline+5%", "not met"),
        ("right", f"{GATED}>=baseline+5%", "met"),
        ("worse", f"{GATED}>=baseline-5%", "not met"),
        ("worse", f"{GATED}>=baseline-50%", "met"),
        ("other", f"{GATED}>=baseline-2%", "undecided"),
        ("other", f"{GATED}>=baseline-20%", "met"),
        ("other", "carets.negation.no_rate<=baseline+1%", "undecided"),
        ("other", "carets.negation.no_rate<=baseline+15%", "met"),
        ("worse", "carets.negation.no_rate<=baseline+1%", "not met"),
        ("worse", "carets.negation.c_acc>=80%", "not met"),
        ("worse", "carets.negation.c_acc>=60%", "undecided"),
        ("two-failed", f"{GATED}>=baseline-5%", "too few answers"),
    ],
)
def test_a_run_against_a_baseline(gates: Path, run: str, requirement: str, verdict: str) -> None:
    other = gates / "old" if "baseline" in requirement else None
    (found,) = falter.check(gates / run, requirement, baseline=other)
    assert found.verdict == verdict


def test_exit_codes(gates: Path) -> None:
    required = ("--require", f"{GATED}>=60%")
    assert cli("check", gates / "most-failed", *required, "--allow-missing", "90%") == 0
    assert cli("check", gates / "most-failed", *required) == 1
    against = ("--baseline", gates / "old", "--require", f"{GATED}>=baseline-5%")
    assert cli("check", gates / "same", *against) == 0
    assert cli("check", gates / "other", *against) == 1
    assert cli("check", gates / "same", *required, "--allow-missing", "2") == 2


def test_the_interval_is_that_of_the_paired_comparison(gates: Path) -> None:
    (found,) = falter.check(gates / "other", f"{GATED}[form=odd]>=baseline-2%", baseline=gates / "old")
    compared = compare_runs(
        open_run(gates / "old"), open_run(gates / "other"), ScoreOptions(by=("form",), measures=("c_acc",))
    )
    (same,) = (one for one in compared.comparisons if one.group == found.requirement.group)
    assert found.comparison is not None
    assert (found.comparison.difference, found.interval_end) == (same.difference, same.low)
    assert (found.comparison.n, found.units, found.answered) == (50, 50, 50)
    # Both runs are right on 80 of 100 pairs: their own intervals would not tell 2 points apart from 20.
    assert -0.2 < (same.low or 0) < -0.02


def test_a_measure_that_counts_no_pair_is_not_called_unanswered(gates: Path) -> None:
    for requirement in ("carets.negation.first choice rate>=0.1", "carets.negation.first choice rate>=baseline"):
        other = gates / "old" if "baseline" in requirement else None
        (found,) = falter.check(gates / "right", requirement, baseline=other)
        assert found.verdict == "too few answers"
        assert "first_choice_rate counts none of the 100 pairs that were answered" in found.reason


def test_the_baselines_own_gaps_count(gates: Path) -> None:
    (found,) = falter.check(gates / "right", f"{GATED}>=baseline-2%", baseline=gates / "most-failed")
    assert (found.verdict, found.units, found.answered) == ("too few answers", 100, 10)
    assert "by both runs" in found.reason


def test_a_baseline_is_needed_and_is_of_the_same_suite(
    gates: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli("check", gates / "right", "--require", f"{GATED}>=baseline") == 2
    assert "--baseline RUN" in capsys.readouterr().err
    write(tmp_path / "suite", paired_probe(1), name="carets")
    make_run(tmp_path / "run", tmp_path / "suite", {}, name="x")
    assert cli("check", gates / "right", "--require", f"{GATED}>=baseline", "--baseline", tmp_path / "run") == 2
    assert "different suites" in capsys.readouterr().err


def test_a_file_of_requirements(gates: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = gates / "gate.yaml"
    file.write_text(
        "baseline: old\n"
        "allow_missing: 5%\n"
        "require:\n"
        "  - carets.negation.C-ACC >= 60%\n"
        f"  - {GATED}[form=odd] >= baseline - 2%\n"
    )
    assert cli("check", gates / "two-failed", "--requirements", file, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["requirement"]["text"] for one in told["verdicts"]] == [
        "carets.negation.C-ACC >= 60%",
        f"{GATED}[form=odd] >= baseline - 2%",
    ]
    assert [one["verdict"] for one in told["verdicts"]] == ["met", "met"]
    assert not falter.check(gates / "two-failed", file, allow_missing=0).passed, "what is said here counts"
    assert not falter.check(gates / "old", [str(file), "carets.negation.yes_rate<=1"], baseline=gates / "right").passed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("require: []\n", "requires nothing"),
        ("- carets.negation.acc>=0.6\n", "is not a file of requirements"),
        ("required: [carets.negation.acc>=0.6]\n", "is not a file of requirements"),
        ("require: [carets.negation.acc>=0.6, carets.negation.acc>=60]\n", "requirement 2: .*write 60% or 0.6"),
        ("require: [carets.negation.acc>=0.6]\nallow_missing: 7\n", "allow_missing '7.*is not a share"),
    ],
)
def test_a_bad_file_of_requirements_is_refused(gates: Path, tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "gate.yaml").write_text(text)
    with pytest.raises(InputError, match=told):
        falter.check(gates / "right", tmp_path / "gate.yaml")


def test_nothing_required_is_bad_use(gates: Path) -> None:
    with pytest.raises(UsageError, match="nothing is required"):
        falter.check(gates / "right", [])
