"""``falter score``, ``compare``, ``overlap`` and ``open-answers``: the scores of runs, and how runs differ."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.options import AsJson, IntervalSeed, SubsetName, SuiteFolder, VqaRuleName, option_rules
from falter.cli.output import note, print_json, print_result, progress
from falter.core.errors import UsageError
from falter.core.tables import format_count

__all__ = ["add_compare", "add_open_answers", "add_overlap", "add_score"]


def add_score(app: typer.Typer) -> None:
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
        from falter.core.files import write_atomically

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


def add_compare(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    @option_rules(idle_with={"--seed": "--anytime"})
    def compare(
        runs: Annotated[
            list[Path],
            typer.Argument(metavar="RUN...", help="Two or more runs of one suite, or folders of run folders."),
        ],
        *,
        by: Annotated[
            list[str] | None, typer.Option("--by", metavar="FACET", help="Also compare by the values of a facet.")
        ] = None,
        measure: Annotated[
            list[str] | None,
            typer.Option(
                "--measure",
                metavar="NAME",
                help="Compare this measure only; may be repeated. Default: headline measures.",
            ),
        ] = None,
        anytime: Annotated[
            bool,
            typer.Option(
                "--anytime", help="Intervals and p-values that hold however often one looks, for runs that still grow."
            ),
        ] = False,
        suite: SuiteFolder = None,
        subset: SubsetName = None,
        vqa_rule: VqaRuleName = "vqa-v2",
        seed: IntervalSeed = 0,
        json: AsJson = False,
    ) -> None:
        """Compare runs over the pairs that both answered: the difference, its interval, and who is better.

        Of more than two runs, each is compared with the first. A run is better where the 95 % interval of the
        difference (paired, over images) excludes 0 and McNemar's exact test, corrected by Holm, agrees.

        Example: falter compare runs/blind runs/bow-image
        """
        from falter.api.paths import as_runs
        from falter.api.results import compare

        first, *others = as_runs(runs, suite)
        if not others:
            raise UsageError(f"{first.folder} is one run; give two or more of one suite, or a folder that holds them")
        found = [
            compare(
                first,
                other,
                by=by or (),
                measures=measure or None,
                vqa_rule=vqa_rule,
                subset=subset,
                seed=seed,
                anytime=anytime,
            )
            for other in others
        ]
        if json:
            for line in dict.fromkeys(line for one in found for line in one.notes()):
                note(line)
            values = [one.json_value() for one in found]
            print_json(values[0] if len(values) == 1 else values)
            return
        for one in found:
            print_result(one)


def add_overlap(app: typer.Typer) -> None:
    """Add the command."""

    def overlap(
        runs: Annotated[
            list[Path], typer.Argument(help="Folders of two or more runs of one suite, or folders of run folders.")
        ],
        *,
        suite: SuiteFolder = None,
        vqa_rule: VqaRuleName = "vqa-v2",
        subset: SubsetName = None,
        json: AsJson = False,
    ) -> None:
        """Show, for each pair of models, the share of one model's correct answers that the other also gives.

        For captions and foils, the same over pairs whose caption scores above its foil.

        Example: falter overlap runs/bow-image runs/blind runs/oracle
        """
        from falter.api.results import overlap

        print_result(overlap(runs, vqa_rule=vqa_rule, subset=subset, suite=suite), json)

    app.command("overlap")(overlap)


def add_open_answers(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("open-answers")
    @option_rules(needs={"--all": ("--csv", "--json")})
    def open_answers_command(
        runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders of run folders.")],
        *,
        csv: Annotated[
            Path | None,
            typer.Option("--csv", metavar="FILE", help="Write the replies on which the rules differ to this file."),
        ] = None,
        every: Annotated[bool, typer.Option("--all", help="With --csv and --json: every reply.")] = False,
        suite: SuiteFolder = None,
        json: AsJson = False,
    ) -> None:
        """List replies to single open questions that the official and the careful rule judge differently.

        Also the scores of every run by both rules, the orders of two models that turn, and odd replies: truncated,
        empty, without an answer, or with text of a log in them.

        Example: falter open-answers runs/one runs/two --csv differing.csv
        """
        from falter.api.results import open_answers

        found = open_answers(runs, suite=suite)
        chosen = found if every else found.differing()
        if csv is not None:
            chosen.to_csv(csv)
            note(f"{csv}: {format_count(len(chosen), 'replies')}")
        print_result(chosen if json else found, json)
