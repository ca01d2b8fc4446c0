"""The options that all commands share which score a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["AsJson", "IntervalSeed", "RuleName", "SubsetName", "SuiteFolder"]

SuiteFolder = Annotated[
    Path | None, typer.Option("--suite", metavar="DIR", help="Where the suite lies, if it has moved.")
]
RuleName = Annotated[str, typer.Option("--rule", help="Accuracy where several people answered: vqa-v2 or min3.")]
SubsetName = Annotated[
    str | None,
    typer.Option(
        "--subset",
        metavar="all|valid|unanimous",
        help="Where annotators marked pairs: count all, the valid ones (the default), or those they all confirmed.",
    ),
]
IntervalSeed = Annotated[int, typer.Option("--seed", help="Seed of the intervals.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
