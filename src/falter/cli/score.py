"""``falter score``: the scores of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.option_rules import option_rules
from falter.cli.output import note, print_json, print_result, progress
from falter.cli.scoring_options import AsJson, IntervalSeed, SubsetName, SuiteFolder, VqaRuleName

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    @option_rules(
        idle_with={
            "--all": ("--measure", "--json", "--helpers"),
            **dict.fromkeys(("--csv", "--markdown", "--seed"), "--helpers"),
        }
    )
    def score(
        runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders of run folders.")],
        *,
        by: Annotated[
            list[str] | None,
            typer.Option("--by", metavar="FACET", help="Break scores down by a facet; may be repeated."),
        ] = None,
        measure: Annotated[
            list[str] | None,
            typer.Option(
                "--measure",
                metavar="NAME",
                help="Show this measure only; may be repeated. Default: the main ones, as far as 80 columns hold them.",
            ),
        ] = None,
        every: Annotated[bool, typer.Option("--all", help="Show every measure.")] = False,
        csv: Annotated[
            Path | None, typer.Option("--csv", metavar="FILE", help="Write every score to this CSV file, too.")
        ] = None,
        markdown: Annotated[
            Path | None, typer.Option("--markdown", metavar="FILE", help="Write the table to this Markdown file, too.")
        ] = None,
        helpers: Annotated[
            list[Path] | None,
            typer.Option(
                "--helpers",
                metavar="RUNS",
                help="Complete runs of other models on the suite, or a folder of them: estimates the scores over the "
                "whole suite of runs that asked a sample; may be repeated.",
            ),
        ] = None,
        suite: SuiteFolder = None,
        subset: SubsetName = None,
        vqa_rule: VqaRuleName = "vqa-v2",
        seed: IntervalSeed = 0,
        json: AsJson = False,
    ) -> None:
        """Score runs on every test, with 95 % intervals over images.

        Runs of one model with and without its images, or under several prompts, are also compared with each other.

        Example: falter score runs/oracle runs/always-yes --by form
        """
        from falter.api.paths import as_runs, refuse_output_file
        from falter.api.results import estimate, score
        from falter.files import write_atomically

        opened = as_runs(runs, suite)
        for file in (csv, markdown):
            if file is not None:
                refuse_output_file(file, opened)
        if helpers:
            estimates = [
                estimate(one, helpers, by=by or (), measures=measure or None, vqa_rule=vqa_rule, subset=subset)
                for one in opened
            ]
            if json:
                print_json([one.json_value() for one in estimates])
            else:
                for one in estimates:
                    print_result(one)
            return
        with progress() as bar:
            task = bar.add_task("scoring", total=len(opened))
            scores = score(
                opened,
                by=by or (),
                measures=measure or None,
                vqa_rule=vqa_rule,
                subset=subset,
                seed=seed,
                progress=lambda: bar.advance(task),
            )
        if json:
            for line in (line for run in scores.runs for line in run.notes()):
                note(line)
        scores.show_all |= every
        if csv is not None:
            scores.to_csv(csv)
        if markdown is not None:
            write_atomically(markdown, scores.to_markdown())
        print_result(scores, json)
