"""Groups of suites show their own options alone; names of the last version are accepted with a warning."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from falter.api.listing import available
from falter.cli.main import build_app
from falter.core.bundle import BUNDLES, SuiteBundle
from falter.core.errors import UsageError


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
    listed = shown[shown.index("Commands:" if group else "Start:") :]
    assert "..." not in listed
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("command", ["models", "sources", "suites", "measures"])
def test_lists_fit_80_columns_in_a_pipe_and_keep_every_word(command: str) -> None:
    shown = cli("list", command).output
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
