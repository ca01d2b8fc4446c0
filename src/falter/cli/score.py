"""``falter score``: the scores of runs, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from falter.cli.output import out, print_json, progress
from falter.errors import BadUse

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from falter.measures import Score
    from falter.measures.vqa_accuracy import Rule

__all__ = ["names_of_runs", "print_table", "register", "rule_of"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def score(
        runs: list[Path] = typer.Argument(help="Folders of runs."),
        *,
        by: list[str] = typer.Option([], "--by", metavar="FACET", help="Break the scores down by a facet; may repeat."),
        suite: Path | None = typer.Option(
            None, "--suite", metavar="DIR", help="Where the suite lies, if it has moved."
        ),
        rule: str = typer.Option("vqa-v2", "--rule", help="Accuracy where several people answered: vqa-v2 or min3."),
        seed: int = typer.Option(0, "--seed", help="Seed of the intervals."),
        json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
    ) -> None:
        """Show what runs score on every test, with 95 % intervals over images.

        Example: falter score runs/oracle runs/always-yes --by question
        """
        from falter.measures import score_run
        from falter.runs import open_run

        chosen = rule_of(rule)
        opened = [open_run(folder, suite_folder=suite) for folder in runs]
        results = []
        with progress() as bar:
            task = bar.add_task("scoring", total=len(opened))
            for run in opened:
                results.append(score_run(run, by=by, seed=seed, rule=chosen))
                bar.advance(task)
        names = names_of_runs([(run.manifest.model.name, run.folder) for run in opened])
        if json:
            print_json(
                [
                    {"run": str(run.folder), "model": name, "complete": run.manifest.complete, "scores": scores}
                    for run, name, scores in zip(opened, names, results, strict=True)
                ]
            )
            return
        print_scores(names, results, seed)


def rule_of(name: str) -> Rule:
    """The rule of that name."""
    from falter.measures.vqa_accuracy import RULES

    for rule in RULES:
        if rule == name:
            return rule
    raise BadUse(f"unknown rule {name!r}: there are {', '.join(RULES)}")


def names_of_runs(runs: Sequence[tuple[str, Path]]) -> list[str]:
    """The models' names; where two are alike, the folder is added."""
    names = [name for name, _ in runs]
    return [name if names.count(name) == 1 else f"{name} ({folder.name})" for name, folder in runs]


def print_scores(names: Sequence[str], results: Sequence[Sequence[Score]], seed: int) -> None:
    """One table of whole tests, and one for each facet."""
    facets = dict.fromkeys(score.group.facet for scores in results for score in scores)
    for facet in facets:
        out.print(_heading(facet))
        print_table(_table(names, results, facet))
    if not facets:
        out.print("There is no pair to score.")
        return
    out.print(f"Percent, with the 95 % interval over images (1,000 draws, seed {seed}); --json gives the signatures.")


def _heading(facet: str | None) -> str:
    return "Scores by test" if facet is None else f"Scores by test and {facet}"


def _table(names: Sequence[str], results: Sequence[Sequence[Score]], facet: str | None) -> Table:
    from rich.table import Table

    from falter.measures import COUNTS, every_measure

    groups = sorted({score.group for scores in results for score in scores if score.group.facet == facet})
    found = {
        (name, score.group, score.measure): score
        for name, scores in zip(names, results, strict=True)
        for score in scores
        if score.group.facet == facet
    }
    shown = [
        measure
        for measure in every_measure()
        if any(key[2] == measure.name and score.value is not None for key, score in found.items())
    ]
    counts = [
        count
        for count in COUNTS
        if count == "pairs" or any(key[2] == count and score.value for key, score in found.items())
    ]
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("test")
    if facet is not None:
        table.add_column(facet)
    table.add_column("model")
    for heading in (*counts, *(measure.title for measure in shown)):
        table.add_column(heading, justify="right")
    for number, group in enumerate(groups):
        if number:
            table.add_section()
        for place, name in enumerate(names):
            named = [f"{group.suite}:{group.test}", *([] if facet is None else [group.value or ""])]
            cells: list[str | Text] = [
                *(named if not place else [""] * len(named)),
                name,
                *(_number(found.get((name, group, count))) for count in counts),
                *(_percent(found.get((name, group, measure.name))) for measure in shown),
            ]
            table.add_row(*(_text(cell) for cell in cells))
    return table


def _text(cell: str | Text) -> Text:
    from rich.text import Text

    return Text(cell) if isinstance(cell, str) else cell


def _number(score: Score | None) -> str:
    return "" if score is None or score.value is None else f"{int(score.value):,}"


def _percent(score: Score | None) -> Text:
    from rich.text import Text

    if score is None or score.value is None:
        return Text("–", style="dim")
    text = Text(f"{100 * score.value:.1f}")
    if score.low is not None and score.high is not None:
        text.append(f"\n{100 * score.low:.1f}–{100 * score.high:.1f}", style="dim")
    return text


def print_table(table: Table) -> None:
    """Print a table as wide as it needs to be: where a terminal is narrower, it wraps, and a file has it whole."""
    from rich.measure import Measurement

    needed = Measurement.get(out, out.options.update(max_width=1000), table).maximum
    out.print(table, width=max(needed, 1), crop=False)
    out.print()
