"""``falter report``: one HTML file that shows where models falter."""

from __future__ import annotations

from pathlib import Path

import typer

from falter.cli.output import note, out, print_json, progress
from falter.cli.run_paths import runs_in
from falter.cli.scoring_options import SubsetName

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def report(
        runs: list[Path] = typer.Argument(..., metavar="RUN...", help="Run folders, or folders that hold run folders."),
        *,
        out_file: Path = typer.Option(..., "--out", metavar="FILE.html", help="The file to write."),
        failures: int = typer.Option(
            200, "--failures", min=0, metavar="N", help="Failed pairs to show of each test and model."
        ),
        title: str = typer.Option("", "--title", metavar="T", help="The heading of the report."),
        suite: Path | None = typer.Option(
            None, "--suite", metavar="DIR", help="Where the suite lies, if it has moved."
        ),
        subset: SubsetName = None,
        as_json: bool = typer.Option(False, "--json", help="Print what was written as JSON."),
    ) -> None:
        """Make one self-contained HTML file from runs: scores, charts, breakdowns and a viewer of failed pairs.

        It needs no network and holds at most 15 MB; with more than 200 failures it may grow in proportion.

        Example: falter report runs/oracle runs/blind --out report.html
        """
        from falter.errors import UsageError
        from falter.reporting import MAX_BYTES, MAX_FAILURES, collect, write_report
        from falter.runs import open_run

        if out_file.is_dir():
            raise UsageError(f"{out_file} is a folder: give the name of a file, such as {out_file / 'report.html'}")
        opened = [open_run(folder, suite_folder=suite) for folder in runs_in(runs)]
        with progress() as bar:
            scoring = bar.add_task("scoring", total=len(opened))
            data = collect(
                opened,
                title=title or None,
                failures=failures,
                subset=subset,
                progress=lambda _name: bar.advance(scoring),
            )
            drawing = bar.add_task("images", total=len(data.images))
            limit = MAX_BYTES * max(failures, MAX_FAILURES) // MAX_FAILURES
            viewer = write_report(data, out_file, limit=limit, progress=lambda: bar.advance(drawing))
        size = out_file.stat().st_size
        if as_json:
            print_json(
                {
                    "report": str(out_file),
                    "bytes": size,
                    "models": [model.name for model in data.models],
                    "failures": len(viewer.payload["failures"]),
                    "notes": [*data.notes, *viewer.notes],
                    "pictures_not_shown": viewer.image_problems,
                }
            )
            return
        for line in [*data.notes, *viewer.notes]:
            note(line)
        for problem, number in sorted(viewer.image_problems.items()):
            note(f"{number} images could not be shown: {problem}")
        out.print(f"{out_file} ({size / 1e6:.1f} MB)")
