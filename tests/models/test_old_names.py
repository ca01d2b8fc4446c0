"""What was renamed is accepted under its old name for one version, with a warning."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from falter import engine, models
from falter.cli.old_options import replace_old_names
from falter.models import LoadContext, load_model
from tests.models.test_builtins import Meadow, meadow

__all__ = ["meadow"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("TransientFailure", "TransientError"),
        ("PermanentFailure", "PermanentError"),
        ("BudgetSpent", "BudgetExceededError"),
        ("ModelContext", "LoadContext"),
        ("KINDS", "BACKENDS"),
    ],
)
def test_old_names_of_classes_are_the_new_ones(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"falter.models.{old} is now called {new}"):
        found = getattr(models, old)
    assert found is getattr(models, new)


def test_the_old_name_of_the_engines_error_is_the_new_one() -> None:
    with pytest.warns(DeprecationWarning, match="is now called ModelBrokenError"):
        found = engine.ModelBroken
    assert found is engine.ModelBrokenError


def test_the_old_name_of_the_plugin_folders_is_the_new_one() -> None:
    context = LoadContext(plugin_dirs=(Path("words"),))
    with pytest.warns(DeprecationWarning, match="is now called plugin_dirs"):
        assert context.extend == (Path("words"),)


def test_an_unknown_name_is_unknown() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = models.Nothing


def test_the_old_spec_of_a_builtin_is_the_same_model(meadow: Meadow) -> None:
    context = LoadContext(train=meadow)
    with pytest.warns(DeprecationWarning, match="builtin:bag is now called builtin:bow-image"):
        old = load_model("builtin:bag", context)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        new = load_model("builtin:bow-image", context)
    assert (old.name, old.fingerprint) == (new.name, new.fingerprint)


@pytest.mark.parametrize(
    ("given", "wanted", "noted"),
    [
        (
            ["run", "s", "--decide", "likelihood"],
            ["run", "s", "--answer-by", "likelihood"],
            "--decide is now --answer-by",
        ),
        (["models", "show", "x", "--features=f"], ["models", "show", "x", "--region-features=f"], "--region-features"),
        (
            ["run", "s", "--bos", "off", "--out", "o"],
            ["run", "s", "--no-bos", "--out", "o"],
            "is now --no-bos",
        ),
        (["run", "s", "--bos=on"], ["run", "s", "--bos"], "--bos on is now --bos"),
        (["run", "s", "--bos", "--out", "o"], ["run", "s", "--bos", "--out", "o"], ""),
        (["score", "off", "--bos", "off"], ["score", "off", "--bos", "off"], ""),
    ],
)
def test_old_options_are_replaced_with_a_note(
    given: list[str], wanted: list[str], noted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replace_old_names(given) == wanted
    err = capsys.readouterr().err
    assert noted in err if noted else not err
