"""``falter sources`` and ``falter suites``: what there is, and what each needs."""

from __future__ import annotations

from textwrap import fill
from typing import Annotated, Any

import typer

from falter.cli.option_rules import option_rules
from falter.cli.output import note, out, print_json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @app.command("sources")
    def sources_command(
        as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    ) -> None:
        """List the data sets that Falter reads, and what each has.

        Example: falter sources
        """
        from falter.api.listing import available

        _show([{"name": one.name, "about": one.about, **one.details} for one in available("sources")], as_json)

    @app.command("suites")
    @option_rules(idle_with={"--verbose": "--json"})
    def suites_command(
        verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also list the options of each suite.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    ) -> None:
        """List the suites that Falter generates or imports, with their tests.

        Your own data become a suite with falter import table FILE.

        Example: falter suites
        """
        from falter.api.listing import available
        from falter.bundle import BUNDLES

        rows = [{"name": one.name, "about": one.about, **one.details} for one in available("suites")]
        for name, problem in BUNDLES.problems.items():
            note(f"left out {name}: {problem}")
        _show(rows, as_json, verbose=verbose)
        if not as_json:
            out.print("your own data: JSONL, CSV, TSV, Parquet or a Hugging Face dataset on disk")
            out.print("  falter import table FILE --out DIR; falter init DIR writes an example")


def _show(rows: list[dict[str, Any]], as_json: bool, *, verbose: bool = False) -> None:
    if as_json:
        print_json(rows)
        return
    for row in rows:
        out.print(fill(f"{row['name']}: {row['about']}", 80, subsequent_indent="    ", break_on_hyphens=False))
        if "has" in row:
            _print_list("has", row["has"])
        if "tests" in row:
            out.print(f"  falter generate {row['name']} --from SOURCE --out DIR")
            _print_list("tests", row["tests"])
        if "imports" in row:
            _print_list("falter import", row["imports"])
        if "options" in row and verbose:
            _print_list("options of its own", row["options"])


def _print_list(heading: str, names: list[str]) -> None:
    """Names in lines of 80 columns."""
    out.print(
        fill(
            f"{heading}: {', '.join(names)}", 80, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    )
