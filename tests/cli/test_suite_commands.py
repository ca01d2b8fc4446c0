"""Groups of suites show their own options alone; names of the last version are accepted with a warning."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from falter.api.listing import available
from falter.bundle import BUNDLES, SuiteBundle
from falter.cli.main import build_app
from falter.errors import UsageError
from falter.probes import open_suite
from tests.suites.basic_questions.conftest import write_vqa
from tests.suites.test_import_valse import release


def cli(*arguments: str | Path) -> Result:
    done = CliRunner().invoke(build_app(), [str(one) for one in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


@pytest.mark.parametrize(
    ("command", "own", "foreign"),
    [
        (("generate", "carets"), "--mean-color", "--ranker"),
        (("generate", "basic-questions"), "--ranker", "--wordnet"),
        (("generate", "contrast-sets"), "--as suite|training", "--ranker"),
        (("generate", "rad"), "--draw", "--as "),
        (("generate", "rad"), "--exactly", "training"),
        (("import", "carets"), "--visual-size", "--item-format"),
        (("import", "valse"), "--item-format", "--scenes"),
        (("basic-questions", "rank"), "--lambda", "--noise-position"),
    ],
)
def test_help_shows_the_options_of_one_suite(command: tuple[str, str], own: str, foreign: str) -> None:
    shown = cli(*command, "--help").output
    assert own in shown
    assert foreign not in shown


@pytest.mark.parametrize("group", [(), ("generate",), ("import",), ("basic-questions",), ("people",)])
def test_lists_of_commands_have_whole_sentences(group: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = cli(*group, "-h").output
    listed = shown[shown.index("Commands:") :]
    assert "..." not in listed
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("command", ["models", "sources", "suites"])
def test_lists_fit_80_columns_in_a_pipe_and_keep_every_word(command: str) -> None:
    shown = cli(command).output
    assert max(map(len, shown.splitlines())) <= 80
    told = " ".join(shown.split())
    for one in available(command):  # type: ignore[arg-type]
        assert " ".join(one.about.split()) in told
    assert "`" not in shown


def test_completion_is_printed_for_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_FALTER_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "falter comp")
    monkeypatch.setenv("COMP_CWORD", "1")
    done = CliRunner().invoke(build_app(), [], prog_name="falter")
    assert done.output.split() == ["compare"]


def test_an_unknown_name_is_told_with_those_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="unknown suite 'nothing': there are basic-questions, carets"):
        cli("generate", "nothing", "--from", "gqa:x", "--out", "y")
    monkeypatch.setitem(BUNDLES._added, "imported", SuiteBundle(name="imported", title="Imported alone"))
    with pytest.raises(UsageError, match="imported cannot be generated"):
        cli("generate", "imported", "--from", "gqa:x", "--out", "y")
    released = (
        "unknown released suite 'nothing': there are carets, contrast-sets, convqa, gqa, .*, valse, .*, winoground"
    )
    with pytest.raises(UsageError, match=released):
        cli("import", "nothing", "x", "--out", "y")


def test_old_names_of_import_options_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    old = ("--pose", "choice", "--images", tmp_path / "images", "--bring", "link")
    done = cli("import", "valse", release(tmp_path / "in"), *old, "--out", tmp_path / "out")
    for name in ("--pose is now --item-format", "--images DIR is now --image-dir", "--bring is now --images"):
        assert name in done.stderr
    manifest = open_suite(tmp_path / "out").manifest
    assert manifest.name == "valse-choice"
    assert manifest.parameters["images"] == "link"


def test_old_names_of_generate_options_and_commands_are_accepted(tmp_path: Path) -> None:
    words = ("dog", "cat", "tree", "cup")
    records = [{"question": f"Is there a {word} here?", "answer": "yes", "type": "yes/no"} for word in words]
    pool = [{"question": f"Do you see a {word} there?", "answer": "yes", "type": "yes/no"} for word in words]
    main, others = write_vqa(tmp_path / "main", records), write_vqa(tmp_path / "pool", pool)
    given = ("--from", main, "--pool", others, "--ranker", "bm25", "--test", "noise", "--images", "none")
    done = cli("generate", "basic-questions", *given, "--place=before", "--out", tmp_path / "suite")
    assert "--place is now --noise-position" in done.stderr
    assert open_suite(tmp_path / "suite").manifest.parameters["place"] == "before"
    ranked = cli("rank", "--pool", others, "--pool-kind", "yesno", "--query", "a dog?", "--ranker", "bm25", "--json")
    assert "falter rank is now falter basic-questions rank" in ranked.stderr
    assert "--pool-kind is now --pool-type" in ranked.stderr
    assert "Do you see a dog there?" in ranked.stdout
