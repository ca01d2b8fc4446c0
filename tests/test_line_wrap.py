"""What a terminal shows is broken at words; what a file or a program gets is not."""

from __future__ import annotations

from io import StringIO

import pytest

from falter.cli.output import note, out
from falter.core.tables import format_count, print_blocks, wrap_lines

LONG = "rad:color 8 of 43 (8 failed); rad:how-many 7 of 100 (7 failed); rad:what-kind 1 of 4 (1 failed); all 16 of 147"


class Terminal(StringIO):
    """A stream that somebody looks at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [20, 40, 80])
def test_no_line_is_wider_and_no_word_is_lost(width: int) -> None:
    text = f"{LONG}\n\n  template: {LONG}\nshort"
    lines = wrap_lines(text, width).split("\n")
    assert all(len(line) <= width for line in lines)
    assert " ".join(text.split()) == " ".join(" ".join(lines).split())
    assert "" in lines and lines[-1] == "short"


def test_paths_and_commands_stay_whole() -> None:
    path = "/data/" + "a/" * 60
    assert path in wrap_lines(f"the file {path} is not there", 40).split("\n")
    command = f"Next: falter report {path} --out report.html"
    assert wrap_lines(command, 40) == command


def test_lines_go_on_below_the_second_column() -> None:
    first, second = wrap_lines("lm:ID   causal language models that score texts", 32).split("\n")
    assert first.index("causal") == second.index("that") == 8


def test_results_and_notes_are_broken_for_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    note(LONG)
    out.print(LONG)
    plain = StringIO()
    print_blocks([LONG], plain)
    assert capsys.readouterr() == (f"{LONG}\n", f"{LONG}\n")
    assert plain.getvalue() == f"{LONG}\n"
    shown = Terminal()
    monkeypatch.setattr("sys.stdout", shown)
    monkeypatch.setattr("sys.stderr", shown)
    note(LONG)
    out.print(LONG)
    print_blocks([LONG], shown)
    lines = shown.getvalue().splitlines()
    assert len(lines) == 6
    assert all(len(line) <= 60 for line in lines)


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0 replies"), (1, "1 reply"), (2, "2 replies"), (1855, "1,855 replies")]
)
def test_counts_agree_in_number(count: int, shown: str) -> None:
    assert format_count(count, "replies") == shown
