"""``falter score`` and ``compare``: the scores of runs, and how runs differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from falter.api.results import ScoreOptions
from falter.cli.options import AsJson, SuiteFolder, option_rules, with_struct_options
from falter.cli.output import note, print_json, print_result, progress
from falter.core.errors import UsageError
from falter.core.tables import format_count

if TYPE_CHECKING:
    from falter.evaluation.runs import Run

OpenAnswersShown = Literal["differing", "all"]
What = Literal["difference", "overlap"]

_IN_COMMANDS = ("by", "measures", "subset", "vqa_rule", "seed")
"""The options of scores that commands have; others are for Python alone."""


def add_score(app: typer.Typer) -> None:
    """Add the command."""

    @option_rules(
        idle_with={
            "--all": ("--measure", "--json", "--helpers", "--open-answers"),
            "--csv": "--helpers",
            **dict.fromkeys(("--markdown", "--seed"), ("--helpers", "--open-answers")),
            **dict.fromkeys(("--by", "--measure", "--subset", "--vqa-rule", "--helpers"), "--open-answers"),
        }
    )
    def score(
        runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders of run folders.")],
        *,
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
        open_answers: Annotated[
            OpenAnswersShown | None,
            typer.Option(
                "--open-answers",
                metavar="differing|all",
                help="List replies to single open questions instead, and what the official and the careful rule make "
                "of them: those that the rules judge differently, or with --csv or --json all.",
            ),
        ] = None,
        suite: SuiteFolder = None,
        json: AsJson = False,
        options: Mapping[str, Any],
    ) -> None:
        """Score runs on every test, with 95 % intervals over images.

        Runs of one model with and without its images, or under several prompts, are also compared with each other.

        Example: falter score runs/oracle runs/always-yes --by form
        """
        from falter.api.paths import as_runs, refuse_output_file
        from falter.api.results import score
        from falter.core.files import write_atomically

        opened = as_runs(runs, suite)
        for file in (csv, markdown):
            if file is not None:
                refuse_output_file(file, opened)
        if open_answers is not None:
            _list_open_answers(opened, open_answers, csv, json)
            return
        with progress() as bar:
            task = bar.add_task("scoring", total=len(opened))
            scores = score(opened, helpers=helpers or (), progress=lambda: bar.advance(task), **options)
        if helpers:
            if json:
                print_json([one.json_value() for one in scores.estimates])
            else:
                for one in scores.estimates:
                    print_result(one)
            return
        if json:
            for line in (line for run in scores.runs for line in run.notes()):
                note(line)
        scores.show_all |= every
        if csv is not None:
            scores.to_csv(csv)
        if markdown is not None:
            write_atomically(markdown, scores.to_markdown())
        print_result(scores, json)

    app.command()(with_struct_options(score, ScoreOptions, into="options", only=_IN_COMMANDS))


def _list_open_answers(runs: Sequence[Run], shown: OpenAnswersShown, csv: Path | None, json: bool) -> None:
    """Print of every run its scores by both rules, and the orders of two models that turn; or all replies as JSON."""
    if shown == "all" and csv is None and not json:
        raise UsageError("--open-answers all needs --csv FILE or --json; add one, or give --open-answers differing")
    every = runs[0].open_answers(*runs[1:])
    chosen = every if shown == "all" else every.differing()
    if csv is not None:
        chosen.to_csv(csv)
        note(f"{csv}: {format_count(len(chosen), 'replies')}")
    print_result(chosen if json else every, json)


def add_compare(app: typer.Typer) -> None:
    """Add the command."""

    @option_rules(
        idle_with={
            "--seed": ("--anytime", "--what overlap"),
            **dict.fromkeys(("--by", "--measure", "--anytime"), "--what overlap"),
        }
    )
    def compare(
        runs: Annotated[
            list[Path],
            typer.Argument(metavar="RUN...", help="Two or more runs of one suite, or folders of run folders."),
        ],
        *,
        what: Annotated[
            What,
            typer.Option(
                "--what",
                metavar="difference|overlap",
                help="The difference from the first run; or, for each two models, the share of one's correct answers "
                "that the other also gives.",
            ),
        ] = "difference",
        anytime: Annotated[
            bool,
            typer.Option(
                "--anytime", help="Intervals and p-values that hold however often one looks, for runs that still grow."
            ),
        ] = False,
        suite: SuiteFolder = None,
        json: AsJson = False,
        options: Mapping[str, Any],
    ) -> None:
        """Compare runs over the pairs that both answered: the difference, its interval, and who is better.

        Of more than two runs, each is compared with the first. A run is better where the 95 % interval of the
        difference (paired, over images) excludes 0 and McNemar's exact test, corrected by Holm, agrees.

        For captions and foils, an overlap is over pairs whose caption scores above its foil.

        Example: falter compare runs/blind runs/bow-image
        """
        from falter.api.paths import as_runs
        from falter.api.results import compare

        first, *others = as_runs(runs, suite)
        if not others:
            raise UsageError(f"{first.folder} is one run; give two or more of one suite, or a folder that holds them")
        if what == "overlap":
            print_result(compare(first, *others, what="overlap", **options), json)
            return
        tables = [compare(first, other, anytime=anytime, **options) for other in others]
        if json:
            for line in dict.fromkeys(line for one in tables for line in one.notes()):
                note(line)
            values = [one.json_value() for one in tables]
            print_json(values[0] if len(values) == 1 else values)
            return
        for one in tables:
            print_result(one)

    app.command()(with_struct_options(compare, ScoreOptions, into="options", only=_IN_COMMANDS))
