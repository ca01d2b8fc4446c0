"""``falter inspect``: what is in a suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from falter.cli.output import out, print_json

if TYPE_CHECKING:
    from falter.inspection.contents import ContentsTable

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("inspect")
    def inspect_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder.")],
        sample: Annotated[int, typer.Option("--sample", min=0, help="Print so many probes.")] = 3,
        seed: Annotated[int, typer.Option("--seed", help="Which probes to draw.")] = 0,
        blind: Annotated[bool, typer.Option("--blind", help="Score text-only baselines on the suite.")] = False,
        plugin_dir: Annotated[
            list[Path] | None,
            typer.Option("--plugin-dir", metavar="DIR", help="Folder with your own YAML or Python; may be repeated."),
        ] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    ) -> None:
        """Show what a suite holds: counts, balance, facets, samples, and how far text-only baselines get.

        Example: falter inspect suites/negation --sample 20 --seed 7 --blind
        """
        from falter.inspection.contents import inspect_suite, sample_probes
        from falter.plugins import load_plugins
        from falter.probes import open_suite

        load_plugins(plugin_dir or [])
        opened = open_suite(suite)
        contents = inspect_suite(opened)
        drawn = sample_probes(opened, sample, seed)
        checks = []
        if blind:
            from falter.inspection.blind import blind_check

            checks = blind_check(opened)
        if as_json:
            result = contents.to_dict()
            result["sample"] = msgspec.to_builtins(drawn)
            result["blind"] = msgspec.to_builtins(checks)
            print_json(result)
            return
        out.print(f"{contents.name}: {contents.title}")
        out.print(
            f"{contents.probes} probes, {contents.items} items ({contents.distinct_items} distinct), "
            f"{contents.images} pictures, {contents.mean_words:.1f} words a text; licence {contents.licence}; "
            f"seed {contents.seed}"
        )
        for name, test in contents.tests.items():
            out.print(f"\n{name}: {test.probes} probes, expects {', '.join(test.expects)}; golds {_counts(test.golds)}")
            for facet, values in test.facets.items():
                out.print(f"  {facet}: {_counts(values)}")
        for table in contents.tables:
            _print_table(table)
        for check in checks:
            units = "pairs" if check.over_pairs else "originals"
            out.print(
                f"\ntext-only baseline ({check.baseline}) on {check.test}, {check.questions}: "
                f"{check.accuracy:.1%} correct ({check.low:.1%} to {check.high:.1%}; "
                f"majority {check.majority:.1%}; {check.items} {units})"
            )
        for probe in drawn:
            out.print(f"\n{probe.probe_id}  {probe.original.image or probe.original.image_id or ''}")
            for item in probe.items:
                earlier = "".join(f"{turn.speaker}: {turn.text} / " for turn in item.context or ())
                out.print(f"  {item.variant}  {earlier}{item.text}  -> {item.gold}")


def _print_table(table: ContentsTable) -> None:
    from rich.text import Text

    from falter.cli.tables import Column, print_columns

    out.print("")
    print_columns(
        [Column(table.title, [Text(name) for name in table.rows])],
        [Column(name, [Text(cell) for cell in cells], right=True) for name, cells in table.columns.items()],
    )
    if table.note:
        out.print(table.note)


def _counts(values: dict[str, int], most: int = 6) -> str:
    shown = ", ".join(f"{value} {count}" for value, count in list(values.items())[:most])
    return shown if len(values) <= most else f"{shown}, and {len(values) - most} more"
