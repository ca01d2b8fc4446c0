"""``falter plot``: charts for papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.output import note, out, progress
from falter.cli.scoring_options import IntervalSeed, SubsetName, SuiteFolder, VqaRuleName

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("plot")
    def plot_command(
        runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, or folders of run folders.")],
        *,
        kind: Annotated[
            str,
            typer.Option(
                "--kind",
                metavar="drop|breakdown|noise|foils|coverage",
                help="Which chart: ACC to C-ACC; scores by facet; accuracy under noise; captions against foils; "
                "what models get right in common.",
            ),
        ] = "drop",
        out_folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write into.")] = Path(
            "plots"
        ),
        format_: Annotated[
            list[str] | None,
            typer.Option("--format", metavar="svg|pdf|png", help="A format; may be repeated. Default: all three."),
        ] = None,
        by: Annotated[
            list[str] | None,
            typer.Option("--by", metavar="FACET", help="Facets of breakdowns; may be repeated. Default: all."),
        ] = None,
        measure: Annotated[
            str | None,
            typer.Option("--measure", metavar="NAME", help="What breakdowns show. Default: c_acc, acc_r or acc."),
        ] = None,
        suite: SuiteFolder = None,
        subset: SubsetName = None,
        vqa_rule: VqaRuleName = "vqa-v2",
        seed: IntervalSeed = 0,
    ) -> None:
        """Draw a chart of the report for a paper, as SVG, PDF and PNG, with its values as CSV.

        Example: falter plot runs --kind drop --out figures
        """
        from falter.api.paths import as_runs
        from falter.api.plotting import plot

        opened = as_runs(runs, suite)
        with progress() as bar:
            scored = bar.start_stage("scoring", len(opened))
            plots = plot(
                opened,
                kind,
                by=by or (),
                measure=measure,
                subset=subset,
                vqa_rule=vqa_rule,
                seed=seed,
                progress=lambda _: scored(1),
            )
        for line in dict.fromkeys(line for one in plots for line in one.data.notes):
            note(line)
        for one in plots:
            files = one.save(out_folder, format_ or ("svg", "pdf", "png"))
            out.print(f"{files[0].with_suffix('')} ({', '.join(file.suffix[1:] for file in files)})")
