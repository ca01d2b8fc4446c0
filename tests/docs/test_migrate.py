"""The page of renamed names is true: new names exist, and old names are accepted where it says so."""

from __future__ import annotations

import importlib
import re
import sys
import warnings

import pytest

from falter.cli import main
from tests.docs.pages import ROOT
from tests.docs.test_docs import find_command, rows_of

PAGE = "how-to/migrate.md"
ACCEPTED = {"accepted": True, "not accepted": False}


def rows(heading: str) -> list[list[str]]:
    return [[cell.strip("`| ") for cell in row] for row in rows_of(PAGE, heading)]


def exists(name: str) -> bool:
    module, _, attribute = name.partition(":")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return hasattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError:
            return False


@pytest.mark.parametrize(("old", "new", "accepted"), rows("## Python names"))
def test_python_names(old: str, new: str, accepted: str) -> None:
    assert exists(new)
    assert exists(old) == ACCEPTED[accepted]


VALUES = {
    "--image": "none",
    "--decide": "likelihood",
    "--pose": "choice",
    "--place": "before",
    "--pool-kind": "yesno",
    "--visual": "3",
    "--rule": "min3",
    "--t": "0.05",
    "--m": "20",
    "--tune": "0.5",
    "--bring": "link",
    "--extend": str(ROOT / "examples" / "my_words"),
}
"""A value that an old option takes, where not every text is one."""


def run_program(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["falter", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


@pytest.mark.parametrize(("command", "old", "new", "accepted"), rows("## Options"))
def test_options(
    command: str,
    old: str,
    new: str,
    accepted: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = command.split()[1:]
    assert run_program(monkeypatch, *words, "--help") == 0
    help_text = capsys.readouterr().out
    for name in re.findall(r"--[\w-]+", new):
        assert re.search(rf"{name}\b(?!-)", help_text), name
    name, value = re.findall(r"--[\w-]+", old)[0], VALUES.get(re.findall(r"--[\w-]+", old)[0], "off")
    status = run_program(monkeypatch, *words, name, value, "--help")
    assert (status == 0) == ACCEPTED[accepted], capsys.readouterr().err


@pytest.mark.parametrize(("old", "new", "accepted"), rows("## Commands"))
def test_commands(old: str, new: str, accepted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not find_command(new).hidden
    status = run_program(monkeypatch, *old.split()[1:], "--help")
    assert (status == 0) == ACCEPTED[accepted]


def test_entry_point_groups() -> None:
    from falter.english import GRAMMAR_FOLDERS
    from falter.suites.carets.perturbations import CARETS_TESTS
    from falter.suites.carets.questions import QUESTION_TYPES

    accepted = {(old, new) for old, new, state in rows("## Entry-point groups") if ACCEPTED[state]}
    registries = (CARETS_TESTS, QUESTION_TYPES, GRAMMAR_FOLDERS)
    assert accepted == {(one._old_group, one.group) for one in registries}


def test_keys_of_the_ontology() -> None:
    from falter.english.ontology.records import _OLD_KEYS

    assert {(old, new) for old, new, _ in rows("## Ontology files")} == {
        pair for names in _OLD_KEYS.values() for pair in names.items()
    }
