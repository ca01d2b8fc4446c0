"""``falter inspect``: what is in a suite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from falter.cli.foil_table import print_foils
from falter.cli.output import out, print_json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("inspect")
    def inspect_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder.")],
        sample: Annotated[int, typer.Option("--sample", min=0, help="Print so many probes.")] = 3,
        seed: Annotated[int, typer.Option("--seed", help="Which probes to draw.")] = 0,
        blind: Annotated[bool, typer.Option("--blind", help="See how far a text-only reader gets.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    ) -> None:
        """Show what a suite holds: counts, balance, facets, samples, and how far a blind reader gets.

        Example: falter inspect suites/negation --sample 20 --seed 7 --blind
        """
        from falter.inspection.contents import inspect_suite, sample_probes
        from falter.probes import open_suite

        opened = open_suite(suite)
        contents = inspect_suite(opened)
        drawn = sample_probes(opened, sample, seed)
        checks = []
        if blind:
            from falter.measures.bias import blind_check

            checks = blind_check(opened)
        if as_json:
            result: dict[str, Any] = msgspec.to_builtins(contents)
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
        print_foils({name: test.foils for name, test in contents.tests.items() if test.foils is not None})
        for check in checks:
            units = "pairs" if check.over_pairs else "originals"
            out.print(
                f"\nblind reader ({check.reader}) on {check.test}, {check.questions}: {check.accuracy:.1%} right "
                f"({check.low:.1%} to {check.high:.1%}; majority {check.majority:.1%}; {check.items} {units})"
            )
        for probe in drawn:
            out.print(f"\n{probe.probe_id}  {probe.original.image or probe.original.image_id or ''}")
            for item in probe.items:
                earlier = "".join(f"{turn.speaker}: {turn.text} / " for turn in item.context or ())
                out.print(f"  {item.variant}  {earlier}{item.text}  -> {item.gold}")


def _counts(values: dict[str, int], most: int = 6) -> str:
    shown = ", ".join(f"{value} {count}" for value, count in list(values.items())[:most])
    return shown if len(values) <= most else f"{shown}, and {len(values) - most} more"
