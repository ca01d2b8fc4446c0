"""The options that all commands share which score a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["AsJson", "IntervalSeed", "SubsetName", "SuiteFolder", "VqaRuleName"]

SuiteFolder = Annotated[
    Path | None, typer.Option("--suite", metavar="DIR", help="The suite's folder, if it has moved since the run.")
]
VqaRuleName = Annotated[
    str,
    typer.Option("--vqa-rule", metavar="vqa-v2|min3|exact|any", help="VQA accuracy where several people answered."),
]
SubsetName = Annotated[
    str | None,
    typer.Option(
        "--subset",
        metavar="all|valid|unanimous",
        help="Where annotators judged pairs: count all of them, the valid ones, or those that all confirmed. "
        "Default: valid.",
    ),
]
IntervalSeed = Annotated[int, typer.Option("--seed", help="Random seed of the intervals.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
