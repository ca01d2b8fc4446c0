"""Old names of commands and options are accepted, and a line on standard error says what they are now."""

from __future__ import annotations

import pytest

from falter.cli.old_options import replace_old_names


@pytest.mark.parametrize(
    ("old", "new", "notes"),
    [
        ("score runs --rule min3", "score runs --vqa-rule min3", 1),
        ("score runs --rule=min3", "score runs --vqa-rule=min3", 1),
        ("coverage a b --rule min3", "overlap a b --vqa-rule min3", 2),
        ("run suite --image none --extend d --bos off", "run suite --image-input none --plugin-dir d --no-bos", 3),
        ("run suite --bos=on --model m", "run suite --bos --model m", 1),
        ("models show lm:x --decide likelihood", "models show lm:x --answer-by likelihood", 1),
        ("world --out w --scenes 20", "world --out w --num-scenes 20", 1),
        ("demo --scenes=50", "demo --num-scenes=50", 1),
        ("audit suite --scenes gqa:w", "audit suite --scenes gqa:w", 0),
        ("generate carets --images none", "generate carets --images none", 0),
        ("run suite --image-input none --bos", "run suite --image-input none --bos", 0),
        ("", "", 0),
    ],
)
def test_old_names(old: str, new: str, notes: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert replace_old_names(old.split()) == new.split()
    assert len(capsys.readouterr().err.splitlines()) == notes


def test_an_old_command_of_a_suite_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    from typer.testing import CliRunner

    from falter.cli.main import build_app

    shown = CliRunner().invoke(build_app(), ["rank", "-h"])
    assert shown.exit_code == 0
    assert "falter basic-questions rank" in shown.output + capsys.readouterr().out
