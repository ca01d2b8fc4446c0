"""``falter plan``: how many pairs a comparison needs, and how many a gate asks before it stops."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from falter.api.results import ScoreOptions
from falter.cli.help_layout import WholeSentences
from falter.cli.options import AsJson, SuiteFolder, with_struct_options
from falter.cli.output import print_result

Pilot = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[RUN]...", help="One pilot run, or two of one suite. Default: assumed rates."),
]
Measure = Annotated[
    str | None,
    typer.Option("--measure", metavar="NAME", help="The share of pairs to compare. Default: c_acc, acc_r or acc."),
]
Accuracy = Annotated[
    float | None,
    typer.Option("--accuracy", metavar="SHARE", help="Assume this accuracy, and errors that are independent."),
]
Disagreement = Annotated[
    float | None,
    typer.Option("--disagreement", metavar="SHARE", help="Assume that the models differ on this share of the pairs."),
]
_IN_PLANS = ("subset", "vqa_rule")
"""The options of scores that count for a pilot."""

Alpha = Annotated[float, typer.Option("--alpha", metavar="P", help="The level of the two-sided test.")]


def add_plan(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=WholeSentences,
        help="Plan how many pairs a comparison of two models needs, or a gate that may stop early asks.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("power")(with_struct_options(_plan_power, ScoreOptions, into="options", only=_IN_PLANS))
    group.command("gates")(with_struct_options(_plan_gates, ScoreOptions, into="options", only=_IN_PLANS))
    app.add_typer(group, name="plan")


def _plan_power(
    pilot: Pilot = None,
    *,
    detect: Annotated[
        float, typer.Option("--detect", metavar="POINTS", help="The difference to find, in percentage points.")
    ],
    power: Annotated[
        float, typer.Option("--power", metavar="P", help="How likely it is to be found if it exists.")
    ] = 0.8,
    alpha: Alpha = 0.05,
    measure: Measure = None,
    accuracy: Accuracy = None,
    disagreement: Disagreement = None,
    pairs_per_image: Annotated[
        float | None,
        typer.Option("--pairs-per-image", metavar="N", help="Pairs per image. Default: the pilot's, or 1."),
    ] = None,
    design_effect: Annotated[
        float | None,
        typer.Option(
            "--design-effect",
            metavar="N",
            help="How much the pairs of one image repeat each other. Default: the pilot's, or 1.",
        ),
    ] = None,
    suite: SuiteFolder = None,
    json: AsJson = False,
    options: Mapping[str, Any],
) -> None:
    """Plan how many pairs a comparison of two models needs.

    Example: falter plan power runs/blind runs/bow-image --detect 2 --power 0.8
    """
    from falter.api.planning import power as plan_power

    plans = plan_power(
        pilot or (),
        detect=detect,
        power=power,
        alpha=alpha,
        measure=measure,
        accuracy=accuracy,
        disagreement=disagreement,
        pairs_per_image=pairs_per_image,
        design_effect=design_effect,
        suite=suite,
        **options,
    )
    print_result(plans, json)


def _plan_gates(
    pilot: Pilot = None,
    *,
    margin: Annotated[
        float,
        typer.Option(
            "--margin", metavar="POINTS", help="By how many percentage points the model may be below the baseline."
        ),
    ],
    difference: Annotated[
        list[float] | None,
        typer.Option(
            "--difference",
            metavar="POINTS",
            help="How far the model truly is from the baseline; may be repeated. Default: several.",
        ),
    ] = None,
    pairs: Annotated[
        int | None, typer.Option("--pairs", metavar="N", help="Pairs of the suite. Default: the pilot's.")
    ] = None,
    alpha: Alpha = 0.05,
    measure: Measure = None,
    accuracy: Accuracy = None,
    disagreement: Disagreement = None,
    suite: SuiteFolder = None,
    json: AsJson = False,
    options: Mapping[str, Any],
) -> None:
    """Plan how many pairs falter run --until ...>=baseline-MARGIN% asks before it stops.

    Example: falter plan gates runs/blind --margin 2
    """
    from falter.api.planning import gates

    plans = gates(
        pilot or (),
        margin=margin,
        pairs=pairs,
        differences=difference,
        alpha=alpha,
        measure=measure,
        accuracy=accuracy,
        disagreement=disagreement,
        suite=suite,
        **options,
    )
    print_result(plans, json)
