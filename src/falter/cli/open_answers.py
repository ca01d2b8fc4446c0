"""``falter open-answers``: replies to open questions by the official and by the careful rule."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.option_rules import option_rules
from falter.cli.output import note, print_result
from falter.cli.scoring_options import AsJson, SuiteFolder
from falter.tables import format_count

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("open-answers")
    @option_rules(needs={"--all": ("--csv", "--json")})
    def open_answers_command(
        runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders of run folders.")],
        *,
        csv: Annotated[
            Path | None,
            typer.Option("--csv", metavar="FILE", help="Write the replies on which the rules differ to this file."),
        ] = None,
        every: Annotated[bool, typer.Option("--all", help="With --csv and --json: every reply.")] = False,
        suite: SuiteFolder = None,
        json: AsJson = False,
    ) -> None:
        """List replies to single open questions that the official and the careful rule judge differently.

        Also the scores of every run by both rules, the orders of two models that turn, and odd replies: truncated,
        empty, without an answer, or with text of a log in them.

        Example: falter open-answers runs/one runs/two --csv differing.csv
        """
        from falter.api.results import open_answers

        found = open_answers(runs, suite=suite)
        chosen = found if every else found.differing()
        if csv is not None:
            chosen.to_csv(csv)
            note(f"{csv}: {format_count(len(chosen), 'replies')}")
        print_result(chosen if json else found, json)
