"""``falter power``: how many pairs a comparison needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.option_rules import option_rules
from falter.cli.output import print_result
from falter.cli.scoring_options import AsJson, SubsetName, SuiteFolder, VqaRuleName
from falter.errors import UsageError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("power")
    @option_rules(
        needs={
            **dict.fromkeys(("--difference", "--pairs"), "--gate"),
            **dict.fromkeys(("--power", "--pairs-per-image", "--design-effect"), "--detect"),
        }
    )
    def power_command(
        pilot: Annotated[
            list[Path] | None,
            typer.Argument(metavar="[RUN]...", help="One pilot run, or two of one suite. Default: assumed rates."),
        ] = None,
        *,
        detect: Annotated[
            float | None,
            typer.Option("--detect", metavar="POINTS", help="The difference to find, in percentage points."),
        ] = None,
        gate: Annotated[
            float | None,
            typer.Option(
                "--gate",
                metavar="POINTS",
                help="Plan falter run --until ...>=baseline-POINTS% instead: how many pairs it asks before it stops.",
            ),
        ] = None,
        difference: Annotated[
            list[float] | None,
            typer.Option(
                "--difference",
                metavar="POINTS",
                help="With --gate: how far the model truly is from the baseline; may be repeated. Default: several.",
            ),
        ] = None,
        pairs: Annotated[
            int | None,
            typer.Option("--pairs", metavar="N", help="With --gate: pairs of the suite. Default: the pilot's."),
        ] = None,
        power: Annotated[
            float, typer.Option("--power", metavar="P", help="How likely it is to be found if it exists.")
        ] = 0.8,
        alpha: Annotated[float, typer.Option("--alpha", metavar="P", help="The level of the two-sided test.")] = 0.05,
        measure: Annotated[
            str | None,
            typer.Option(
                "--measure", metavar="NAME", help="The share of pairs to compare. Default: c_acc, acc_r or acc."
            ),
        ] = None,
        accuracy: Annotated[
            float | None,
            typer.Option("--accuracy", metavar="SHARE", help="Assume this accuracy, and errors that are independent."),
        ] = None,
        disagreement: Annotated[
            float | None,
            typer.Option(
                "--disagreement", metavar="SHARE", help="Assume that the models differ on this share of the pairs."
            ),
        ] = None,
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
        subset: SubsetName = None,
        vqa_rule: VqaRuleName = "vqa-v2",
        json: AsJson = False,
    ) -> None:
        """Plan how many pairs a comparison of two models needs, or a gate that may stop early asks.

        Example: falter power runs/blind runs/bow-image --detect 2 --power 0.8
        """
        from falter.api.planning import plan_gates
        from falter.api.planning import power as plan

        if (detect is None) == (gate is None):
            raise UsageError("pass --detect POINTS to plan a comparison, or --gate POINTS to plan a gate")
        if gate is not None:
            gates = plan_gates(
                pilot or (),
                margin=gate,
                pairs=pairs,
                differences=difference,
                alpha=alpha,
                measure=measure,
                accuracy=accuracy,
                disagreement=disagreement,
                vqa_rule=vqa_rule,
                subset=subset,
                suite=suite,
            )
            print_result(gates, json)
            return
        assert detect is not None
        found = plan(
            pilot or (),
            detect=detect,
            power=power,
            alpha=alpha,
            measure=measure,
            accuracy=accuracy,
            disagreement=disagreement,
            pairs_per_image=pairs_per_image,
            design_effect=design_effect,
            vqa_rule=vqa_rule,
            subset=subset,
            suite=suite,
        )
        print_result(found, json)
