"""``falter check``: a gate for continuous integration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.output import print_result
from falter.cli.scoring_options import AsJson, IntervalSeed, SubsetName, SuiteFolder, VqaRuleName

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def check(
        run: Annotated[Path, typer.Argument(help="A run folder.")],
        *,
        require: Annotated[
            list[str] | None,
            typer.Option(
                "--require",
                metavar="REQUIREMENT",
                help="suite.test.measure[facet=value] with >=, >, <= or < and a number, a percentage or baseline-2%; "
                "may be repeated. A floor is checked against the lower end of the interval, a ceiling against the "
                "upper end. cons is checked as cons_strict.",
            ),
        ] = None,
        requirements: Annotated[
            Path | None,
            typer.Option("--requirements", metavar="FILE", help="A YAML file with a list of requirements."),
        ] = None,
        baseline: Annotated[
            Path | None,
            typer.Option("--baseline", metavar="RUN", help="The run that requirements such as >=baseline-2% refer to."),
        ] = None,
        value: Annotated[
            bool,
            typer.Option(
                "--value",
                help="Check the value over the whole suite instead of the end of its interval: exactly for a full run, "
                "by tests that hold at any time for a run in random order that asked a part.",
            ),
        ] = False,
        alpha: Annotated[
            str | None,
            typer.Option(
                "--alpha",
                metavar="SHARE",
                help="With --value: how probably any verdict may differ from the full run's. Default: 5%.",
            ),
        ] = None,
        allow_missing: Annotated[
            str | None,
            typer.Option(
                "--allow-missing", metavar="SHARE", help="Share of the pairs that may lack an answer. Default: 1%."
            ),
        ] = None,
        junit: Annotated[
            Path | None, typer.Option("--junit", metavar="FILE", help="Write the results as JUnit XML.")
        ] = None,
        markdown: Annotated[
            Path | None, typer.Option("--markdown", metavar="FILE", help="Write them as Markdown.")
        ] = None,
        suite: SuiteFolder = None,
        subset: SubsetName = None,
        vqa_rule: VqaRuleName = "vqa-v2",
        seed: IntervalSeed = 0,
        json: AsJson = False,
    ) -> None:
        """Check a run against requirements.

        Exit 0: all met; 1: one not met, undecided or with too few answers; 2: bad use or input.

        Example: falter check runs/mine --require 'carets.negation.c_acc>=60%' --junit check.xml
        """
        from falter.api.results import check
        from falter.files import write_atomically

        found = check(
            run,
            [*(require or ()), *([requirements] if requirements is not None else ())],
            baseline=baseline,
            allow_missing=allow_missing,
            vqa_rule=vqa_rule,
            subset=subset,
            seed=seed,
            suite=suite,
            value=value,
            alpha=alpha,
        )
        if junit is not None:
            write_atomically(junit, found.to_junit())
        if markdown is not None:
            write_atomically(markdown, found.to_markdown())
        print_result(found, json)
        if not found.passed:
            raise typer.Exit(1)
