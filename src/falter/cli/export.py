"""``falter export``: write a suite in the format in which others release theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.output import out, print_json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("export")
    def export_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder.")],
        to: Annotated[str, typer.Option("--to", metavar="NAME", help="The format, e.g. valse.")],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder if it exists.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Write a suite in the format of a released one, for tools that read it.

        Example: falter export suites/plurality --to valse --out files
        """
        from falter.api.exports import export

        written = export(suite, to, out=target, overwrite=overwrite)
        if as_json:
            print_json(written)
            return
        for name, number in written.items():
            out.print(f"{target / name}: {number:,} entries")
