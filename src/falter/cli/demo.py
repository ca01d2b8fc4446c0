"""``falter demo``: everything on the world, offline, to a report."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from falter.cli.output import note, out, print_result

if TYPE_CHECKING:
    from falter.runs.results import Scores

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("demo")
    def demo_command(
        target: Annotated[Path, typer.Option("--out", help="The folder to write.")] = Path("demo"),
        scenes: Annotated[
            int, typer.Option("--num-scenes", metavar="N", min=50, help="Number of scenes to draw.")
        ] = 400,
        pairs: Annotated[int, typer.Option("--pairs", min=1, help="Pairs per test.")] = 300,
        seed: Annotated[int, typer.Option("--seed", help="Random seed of the world and the suite.")] = 0,
        workers: Annotated[
            int | None, typer.Option("--workers", min=1, help="Number of worker processes. Default: one per core.")
        ] = None,
    ) -> None:
        """Draw a world, generate tests from it, run six small models, and write a report.

        Example: falter demo --out demo
        """
        from falter.api.demo import run_demo
        from falter.files import refuse_full_folder

        refuse_full_folder(target)
        if not run_demo(
            target,
            scenes=scenes,
            pairs=pairs,
            seed=seed,
            workers=workers or os.cpu_count() or 1,
            announce=note,
            show=_show,
        ):
            raise typer.Exit(1)


def _show(result: str | Scores) -> None:
    if isinstance(result, str):
        out.print(result)
    else:
        print_result(result)
