"""``falter compare``: which of two runs is better, where, and by how much."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.output import note, print_result
from falter.cli.scoring_options import AsJson, IntervalSeed, SubsetName, SuiteFolder, VqaRuleName

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def compare(
        first: Annotated[Path, typer.Argument(help="A run folder.")],
        second: Annotated[Path, typer.Argument(help="Another run folder of the same suite.")],
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
        """Compare two runs over the pairs that both answered (McNemar exact, paired bootstrap, Holm).

        Example: falter compare runs/blind runs/bow-image
        """
        from falter.api.results import compare

        found = compare(
            first,
            second,
            by=by or (),
            measures=measure or None,
            vqa_rule=vqa_rule,
            subset=subset,
            seed=seed,
            suite=suite,
            anytime=anytime,
        )
        if json:
            for line in found.notes():
                note(line)
        print_result(found, json)
