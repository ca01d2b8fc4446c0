"""``falter votes``: mark the pairs of a suite by what annotators say of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from falter.cli.output import print_json, print_table

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("votes")
    def votes_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder with captions and foils.")],
        file: Annotated[
            Path, typer.Option("--from", metavar="FILE", help="Votes as CSV, JSONL, JSON or Parquet, a row each.")
        ],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        screen: Annotated[
            float,
            typer.Option(
                "--screen",
                metavar="SHARE",
                help="Leave out annotators who choose the caption in less than this share of ten or more votes.",
            ),
        ] = 0.7,
        subset: Annotated[
            Literal["all", "valid", "unanimous"],
            typer.Option("--subset", help="Pairs to write. all: every pair, marked as valid and unanimous or not."),
        ] = "all",
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Add the votes of annotators to a suite of captions and foils: valid and unanimous pairs, and agreement.

        Columns: probe_id, annotator, answer (caption, foil, both, neither, cannot tell; or first, second with
        caption_first), and if known seconds.

        Example: falter votes suites/mine --from votes.csv --out suites/mine-voted
        """
        from falter.api.voting import add_votes

        found = add_votes(suite, file, out=target, screen=screen, subset=subset, overwrite=overwrite)
        if as_json:
            print_json({"tests": found.json_value(), "screened": found.screened})
        else:
            print_table(found.blocks())
