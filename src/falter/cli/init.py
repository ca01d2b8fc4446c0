"""``falter init``: an example to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.output import out

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def init(
        folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write.")],
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
        ] = False,
    ) -> None:
        """Write an example of your own data to start from: questions with images, columns explained, predictions.

        Example: falter init example
        """
        from falter.api.own_tables import write_example

        write_example(folder, overwrite=overwrite)
        out.print(f"{folder}: 20 questions, 5 images. Continue with:")
        out.print(f"  cd {folder}")
        out.print("  falter import table questions.csv --columns columns.yaml --out suite")
        out.print("  falter run suite --model file:predictions.csv --out runs")
        out.print("  falter report runs --out report.html")
