"""``falter export``: write a suite or a run for another program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from falter.cli.output import out, print_json
from falter.tables import format_count

__all__ = ["register"]


def _complete_format(begun: str) -> list[str]:
    from falter.api.exports import export_formats

    return [name for name in export_formats() if name.startswith(begun)]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("export")
    def export_command(
        folder: Annotated[Path, typer.Argument(metavar="DIR", help="A suite or a run.")],
        to: Annotated[
            str,
            typer.Option(
                "--to",
                metavar="NAME",
                autocompletion=_complete_format,
                help="The format. Suites: hf, inspect, lmms-eval, vlmevalkit, valse. Runs: every-eval-ever, vqa, gqa.",
            ),
        ],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        subset: Annotated[
            Literal["all", "valid", "unanimous"],
            typer.Option("--subset", help="Of a suite that people voted on: leave out what they did not confirm."),
        ] = "all",
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Write a suite for another harness, or a run as a result file.

        Example: falter export suites/mine --to inspect --out task
        """
        from falter.api.exports import export

        written = export(folder, to, out=target, subset=subset, overwrite=overwrite)
        if as_json:
            print_json(written)
            return
        for name, number in written.items():
            out.print(f"{target / name}: {format_count(number, 'entries')}")
