"""``falter compare``: which of two runs is better, where, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from falter.cli.output import out, print_json
from falter.cli.score import names_of_runs, rule_of
from falter.cli.scoring_options import AsJson, IntervalSeed, RuleName, SubsetName, SuiteFolder

if TYPE_CHECKING:
    from falter.measures import Comparison

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def compare(
        first: Path = typer.Argument(help="The folder of a run."),
        second: Path = typer.Argument(help="The folder of another run of the same suite."),
        *,
        by: list[str] = typer.Option([], "--by", metavar="FACET", help="Compare by the values of a facet, too."),
        suite: SuiteFolder = None,
        subset: SubsetName = None,
        rule: RuleName = "vqa-v2",
        seed: IntervalSeed = 0,
        json: AsJson = False,
    ) -> None:
        """Compare two runs on the pairs that both answered (McNemar exact, paired bootstrap, Holm).

        Example: falter compare runs/blind runs/bow-image
        """
        from falter.runs import open_run
        from falter.runs.scoring import compare_runs

        a, b = open_run(first, suite_folder=suite), open_run(second, suite_folder=suite)
        found = compare_runs(a, b, by=by, seed=seed, vqa_rule=rule_of(rule), subset=subset)
        names = names_of_runs([(run.manifest.model.name, run.folder) for run in (a, b)])
        if json:
            print_json(
                {
                    "first": {"run": str(a.folder), "model": names[0]},
                    "second": {"run": str(b.folder), "model": names[1]},
                    "comparisons": found,
                }
            )
            return
        _print(names, found)


def _print(names: Sequence[str], found: Sequence[Comparison]) -> None:
    if not found:
        out.print("The two runs have no pair in common that both answered.")
        return
    from rich.text import Text

    from falter.cli.tables import Column, print_columns
    from falter.measures import find_measure

    def title(name: str) -> str:
        measure = find_measure(name)
        return name if measure is None else measure.title

    def column(heading: str, tell: Callable[[Comparison], str], *, right: bool = True) -> Column:
        return Column(heading, [Text(tell(one)) for one in found], right=right)

    places = [_place(one) for one in found]
    begins = frozenset(number for number in range(1, len(found)) if places[number] != places[number - 1])
    print_columns(
        [
            Column("test", [Text(place if not n or n in begins else "") for n, place in enumerate(places)]),
            column("measure", lambda one: title(one.measure), right=False),
        ],
        [
            column(names[0], lambda one: _percent(one.first)),
            column(names[1], lambda one: _percent(one.second)),
            column("difference", _difference),
            column("n", lambda one: f"{one.n:,}"),
            column("only\nfirst", lambda one: _count(one.only_first)),
            column("only\nsecond", lambda one: _count(one.only_second)),
            column("p", lambda one: _p(one.p)),
            column("p\n(Holm)", lambda one: _p(one.p_holm)),
            Column("better", [Text(_winner(names, one), style=_style(one)) for one in found]),
        ],
        sections=begins,
    )
    for number, name in enumerate(names):
        won: dict[str, list[str]] = {}
        for one in found:
            if one.better == ("first", "second")[number]:
                won.setdefault(_place(one), []).append(title(one.measure))
        where = ", ".join(f"{place} ({', '.join(measures)})" for place, measures in won.items())
        out.print(f"{name} is better on {where}." if won else f"{name} is nowhere clearly better.")
    out.print(
        "Difference: second less first, with its 95 % interval (paired bootstrap over images). p: McNemar's exact\n"
        "test; Holm's correction is over the whole table. Better: the interval excludes 0 and p (Holm) is below 0.05."
    )


def _place(one: Comparison) -> str:
    group = one.group
    return f"{group.suite}:{group.test}" + (f" [{group.facet}={group.value}]" if group.facet is not None else "")


def _winner(names: Sequence[str], one: Comparison) -> str:
    return {"first": names[0], "second": names[1], None: "no clear difference"}[one.better]


def _style(one: Comparison) -> str:
    return "dim" if one.better is None else "bold"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _difference(one: Comparison) -> str:
    if one.difference is None:
        return "–"
    text = f"{100 * one.difference:+.1f}"
    return text if one.low is None or one.high is None else f"{text} [{100 * one.low:+.1f}, {100 * one.high:+.1f}]"


def _count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
