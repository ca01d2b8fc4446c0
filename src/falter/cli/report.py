"""``falter report``: one HTML file that shows where models falter."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.image_option import ImageDir
from falter.cli.output import note, out, print_json, progress, stages
from falter.cli.scoring_options import SubsetName, SuiteFolder, VqaRuleName
from falter.tables import format_count

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def report(
        runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, or folders of run folders.")],
        *,
        out_file: Annotated[Path, typer.Option("--out", metavar="FILE.html", help="The file to write.")],
        failures: Annotated[
            int, typer.Option("--failures", min=0, metavar="N", help="Failed pairs to show per test and model.")
        ] = 200,
        title: Annotated[str, typer.Option("--title", metavar="T", help="The heading of the report.")] = "",
        suite: SuiteFolder = None,
        image_dir: ImageDir = None,
        subset: SubsetName = None,
        vqa_rule: VqaRuleName = "vqa-v2",
        scenes: Annotated[
            str | None,
            typer.Option(
                "--scenes",
                metavar="SOURCE",
                help="Source the suite was generated from: the blind checks then use the other objects in the image.",
            ),
        ] = None,
        scorer: Annotated[
            list[str] | None,
            typer.Option(
                "--scorer",
                metavar="SPEC",
                help="Rank captions and foils without the image by this too: lm:NAME or grammar:NAME; may be repeated.",
            ),
        ] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
    ) -> None:
        """Write one self-contained HTML file from runs: scores, charts, breakdowns and a viewer of failures.

        The file needs no network. It is at most 15 MB, or larger if --failures exceeds 200.

        Example: falter report runs/oracle runs/blind --out report.html
        """
        from falter.api.reports import build_report

        with progress() as bar:
            written = build_report(
                runs,
                out_file,
                title=title or None,
                failures=failures,
                subset=subset,
                vqa_rule=vqa_rule,
                suite=suite,
                image_dir=image_dir,
                scenes=scenes,
                scorers=scorer or (),
                start_stage=stages(bar),
            )
        size = written.path.stat().st_size
        if as_json:
            print_json(
                {
                    "report": str(written.path),
                    "bytes": size,
                    "models": written.models,
                    "failures": written.failures,
                    "failed_pairs": written.failed,
                    "notes": written.notes,
                    "pictures_not_shown": written.images_not_shown,
                }
            )
            return
        for line in written.notes:
            note(line)
        for problem, number in written.images_not_shown.items():
            note(f"not shown: {format_count(number, 'images')}: {problem}")
        shown = f"{written.failures:,} of {format_count(written.failed, 'failures')} shown"
        out.print(f"{written.path} ({size / 1e6:.1f} MB, {shown})")
