"""``falter coverage``: how much of what one model gets right the others get right as well."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from falter.cli.output import out, print_json
from falter.cli.score import names_of_runs, rule_of
from falter.cli.scoring_options import SubsetName

if TYPE_CHECKING:
    from rich.text import Text

    from falter.measures import Overlap

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def coverage(
        runs: list[Path] = typer.Argument(help="Folders of two or more runs of one suite."),
        *,
        suite: Path | None = typer.Option(
            None, "--suite", metavar="DIR", help="Where the suite lies, if it has moved."
        ),
        rule: str = typer.Option("vqa-v2", "--rule", help="Accuracy where several people answered: vqa-v2 or min3."),
        subset: SubsetName = None,
        json: bool = typer.Option(False, "--json", help="Print JSON instead of tables."),
    ) -> None:
        """Show, for every two models, the share of one's right answers that the other gets right as well.

        Of captions and foils, the same over pairs whose caption scores above its foil.

        Example: falter coverage runs/bow-image runs/blind runs/oracle
        """
        from falter.runs import open_run
        from falter.runs.scoring import overlap_runs

        opened = [open_run(folder, suite_folder=suite) for folder in runs]
        found = overlap_runs(opened, vqa_rule=rule_of(rule), subset=subset)
        names = names_of_runs([(run.manifest.model.name, run.folder) for run in opened])
        if json:
            models = [{"run": str(run.folder), "model": name} for run, name in zip(opened, names, strict=True)]
            print_json({"runs": models, "coverage": found})
            return
        _print(names, found)


def _print(names: Sequence[str], found: Sequence[Overlap]) -> None:
    from rich.text import Text

    from falter.cli.tables import Column, print_columns

    groups = list(dict.fromkeys(one.group for one in found))
    if not groups:
        out.print("There is no pair to cover.")
        return
    by_place = {(one.group, one.over, one.run, one.given): one for one in found}

    def cell(row: tuple[int, int], covered: int) -> Text:
        group, covering = groups[row[0]], row[1]
        over = [by_place.get((group, each, covering, covered)) for each in ("instances", "pairs")]
        known = [one for one in over if one is not None]
        return _figures(known) if known else Text("–", style="dim")

    rows = [(group, model) for group in range(len(groups)) for model in range(len(names))]
    tests = [f"{groups[group].suite}:{groups[group].test}" if not model else "" for group, model in rows]
    print_columns(
        [
            Column("test", [Text(test) for test in tests]),
            Column("gets right", [Text(names[model]) for _, model in rows]),
        ],
        [Column(f"of {name}", [cell(row, place) for row in rows], right=True) for place, name in enumerate(names)],
        sections=frozenset(range(0, len(rows), len(names))),
    )
    out.print(
        "Percent of what the model at the head of a column gets right that the model of the row gets right as well:\n"
        "over single questions, and below over pairs with both answers right; of captions and foils, over pairs whose\n"
        "caption scores above its foil. --json adds how many these are."
    )


def _figures(over: Sequence[Overlap]) -> Text:
    from rich.text import Text

    first, *others = ("–" if one.value is None else f"{100 * one.value:.1f}" for one in over)
    text = Text(first)
    for shown in others:
        text.append(f"\n{shown}", style="dim")
    return text
