"""``falter debias``: drop the pairs of caption and foil that text alone gives away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from falter.cli.output import print_result, progress

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("debias")
    def debias_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder with captions and foils.")],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        scorer: Annotated[
            list[str] | None,
            typer.Option(
                "--scorer",
                metavar="SPEC",
                help=(
                    "Choose pairs by this too, besides their words: common-sense, lm:NAME or grammar:NAME; may be "
                    "repeated. Default: common-sense. words: by their words alone."
                ),
            ),
        ] = None,
        judge: Annotated[
            list[str] | None,
            typer.Option(
                "--judge",
                metavar="SPEC",
                help="Judge by this too, besides n-grams and length: lm:NAME or grammar:NAME; may be repeated.",
            ),
        ] = None,
        min_kept: Annotated[
            float, typer.Option("--min-kept", metavar="SHARE", help="Share of a test's pairs that stays at least.")
        ] = 0.5,
        subset: Annotated[
            Literal["all", "valid", "unanimous"],
            typer.Option("--subset", help="Pairs to take where annotators voted. Others are left out."),
        ] = "valid",
        test: Annotated[
            list[str] | None, typer.Option("--test", help="Test to repair; may be repeated. Default: all.")
        ] = None,
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Subsample pairs of caption and foil so that text alone does not tell which is which.

        Pairs are chosen by one scorer and the result is judged by others. Images and votes are carried over.

        Example: falter debias suites/valse --out suites/valse-debiased
        """
        from falter.api.debiasing import debias

        with progress() as display:
            advance = display.start_stage("tests")
            result = debias(
                suite,
                out=target,
                scorers=scorer or ("common-sense",),
                judges=judge or (),
                min_kept=min_kept,
                subset=subset,
                tests=test or (),
                overwrite=overwrite,
                progress=lambda _: advance(1),
            )
        print_result(result, as_json)
