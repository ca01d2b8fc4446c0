"""``falter compare``: which of two runs is better, where, and by how much."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.option_rules import option_rules
from falter.cli.output import note, print_json, print_result
from falter.cli.scoring_options import AsJson, IntervalSeed, SubsetName, SuiteFolder, VqaRuleName
from falter.errors import UsageError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
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
