"""``falter overlap``: how many of one model's correct answers the others give as well."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.output import print_result
from falter.cli.scoring_options import AsJson, SubsetName, SuiteFolder, VqaRuleName

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    def overlap(
        runs: Annotated[
            list[Path], typer.Argument(help="Folders of two or more runs of one suite, or folders of run folders.")
        ],
        *,
        suite: SuiteFolder = None,
        vqa_rule: VqaRuleName = "vqa-v2",
        subset: SubsetName = None,
        json: AsJson = False,
    ) -> None:
        """Show, for each pair of models, the share of one model's correct answers that the other also gives.

        For captions and foils, the same over pairs whose caption scores above its foil.

        Example: falter overlap runs/bow-image runs/blind runs/oracle
        """
        from falter.api.results import overlap

        print_result(overlap(runs, vqa_rule=vqa_rule, subset=subset, suite=suite), json)

    app.command("overlap")(overlap)
