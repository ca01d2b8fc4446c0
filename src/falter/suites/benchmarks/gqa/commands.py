"""``falter gqa scores``: GQA's own scores of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from falter.cli.options import AsJson, SuiteFolder
from falter.cli.output import out, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from falter.suites.benchmarks.gqa.official import OfficialScores

__all__ = ["scores_command"]

_SCORES = ("accuracy", "binary", "open", "consistency", "validity", "plausibility", "distribution")


def scores_command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders of run folders, on an imported GQA.")],
    *,
    choices: Annotated[
        Path | None,
        typer.Option(
            "--choices", metavar="FILE", help="GQA's file of valid and plausible answers, such as val_choices.json."
        ),
    ] = None,
    suite: SuiteFolder = None,
    json: AsJson = False,
) -> None:
    """Score runs as GQA's own evaluation does, in percent; distribution is a distance, lower is better.

    A score that the files do not allow is left out: validity and plausibility need --choices, consistency the entailed
    questions (those of val_all_questions.json).

    Example: falter gqa scores runs/mine --choices val_choices.json
    """
    from falter.api.paths import as_runs
    from falter.suites.benchmarks.gqa.official import official_scores

    found = [official_scores(run, choices=choices) for run in as_runs(runs, suite)]
    if json:
        print_json(found)
        return
    print_table(_blocks(found))
    for one in found:
        for note in one.notes:
            out.print(f"{Path(one.run).name}: {note}")


def _blocks(found: Sequence[OfficialScores]) -> list[Any]:
    from rich.text import Text

    from falter.core.tables import Column, Grid

    def columns(cells: Sequence[Sequence[str]]) -> list[Column]:
        return [
            Column(Path(one.run).name, [Text(cell) for cell in own], right=True)
            for one, own in zip(found, cells, strict=True)
        ]

    whole = [[_format(getattr(one, name)) for name in _SCORES] for one in found]
    blocks: list[Any] = [Grid([Column("score", [Text(name) for name in _SCORES])], columns(whole))]
    for name in found[0].by:
        values = list(dict.fromkeys(value for one in found for value in one.by[name]))
        if values:
            cells = [[_format(*one.by[name].get(value, (None,))) for value in values] for one in found]
            blocks += ["", Grid([Column(name, [Text(value) for value in values])], columns(cells))]
    return blocks


def _format(value: float | None, questions: int | None = None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if questions is None else f"{value:.2f} ({questions:,})"
