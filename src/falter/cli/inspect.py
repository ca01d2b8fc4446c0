"""``falter inspect``: what is in a suite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.option_rules import option_rules
from falter.cli.output import print_json, print_table

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("inspect")
    @option_rules(
        needs={
            "--blind-sample": "--blind",
            "--scorer": "--blind",
            "--scenes": ("--blind", "--second-opinion"),
            "--captions": "--second-opinion",
            "--hierarchy": "--second-opinion",
            "--seed": ("--sample", "--blind", "--second-opinion"),
        }
    )
    def inspect_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder.")],
        sample: Annotated[int, typer.Option("--sample", min=0, help="Number of probes to print.")] = 3,
        seed: Annotated[int, typer.Option("--seed", help="Random seed of the samples.")] = 0,
        blind: Annotated[bool, typer.Option("--blind", help="Score text-only baselines on the suite.")] = False,
        blind_sample: Annotated[
            int,
            typer.Option(
                "--blind-sample",
                min=0,
                metavar="N",
                help="Questions per test and kind of question that --blind uses; 0: all.",
            ),
        ] = 5000,
        scenes: Annotated[
            str | None,
            typer.Option(
                "--scenes",
                metavar="SOURCE",
                help="Source the suite was generated from: --blind then uses the other objects in the image too.",
            ),
        ] = None,
        scorer: Annotated[
            list[str] | None,
            typer.Option(
                "--scorer",
                metavar="SPEC",
                help="Rank captions and foils of --blind by this too: lm:NAME or grammar:NAME; may be repeated.",
            ),
        ] = None,
        second_opinion: Annotated[
            bool,
            typer.Option(
                "--second-opinion",
                help="Compare yes/no labels with WordNet, --captions and --hierarchy; needs --scenes.",
            ),
        ] = False,
        captions: Annotated[
            list[Path] | None,
            typer.Option("--captions", metavar="FILE", help="Captions of the images in COCO's format; repeatable."),
        ] = None,
        hierarchy: Annotated[
            Path | None,
            typer.Option("--hierarchy", metavar="FILE", help="Names by class, as GQA's class_hierarchy.json."),
        ] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    ) -> None:
        """Show what a suite holds: counts, balance, facets, samples, and how far text-only baselines get.

        Example: falter inspect suites/negation --sample 20 --seed 7 --blind
        """
        from falter.api.suites import inspect

        found = inspect(
            suite,
            sample=sample,
            seed=seed,
            blind=blind,
            blind_sample=blind_sample or None,
            scenes=scenes,
            scorers=scorer or (),
            second_opinion=second_opinion,
            captions=captions or (),
            hierarchy=hierarchy,
        )
        if as_json:
            print_json(found.to_dict())
        else:
            print_table(found.blocks())
