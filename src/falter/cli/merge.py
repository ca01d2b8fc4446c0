"""``falter merge``: one run out of its parts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.output import note, out, print_json
from falter.tables import format_count

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("merge")
    def merge_command(
        parts: Annotated[list[Path], typer.Argument(metavar="PART", help="The runs made with --shard, all of them.")],
        out_folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the merged run.")],
        suite: Annotated[
            Path | None, typer.Option("--suite", metavar="DIR", help="The suite. Default: the path recorded in part 1.")
        ] = None,
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Merge the parts of a run that was divided with --shard, as if it had never been divided.

        Exit 1: the run is incomplete, or over 1 % of its items failed.

        Example: falter merge runs/part-1 runs/part-2 --out runs/mine
        """
        from falter.api.running import merge, shortfall

        run = merge(parts, out_folder, suite=suite, overwrite=overwrite)
        manifest = run.manifest
        if as_json:
            print_json(
                {
                    "model": manifest.model.name,
                    "out": str(run.folder),
                    "complete": manifest.complete,
                    "asked": manifest.asked,
                    "counts": manifest.counts,
                }
            )
        else:
            state = "complete" if manifest.complete else "incomplete; rerun the model on it without --shard to resume"
            out.print(f"{manifest.model.name}: {format_count(manifest.asked, 'items')}, {state}; {run.folder}")
        short = shortfall(run)
        if short:
            note(f"  {short}")
            raise typer.Exit(1)
