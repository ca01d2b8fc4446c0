"""``falter sources`` and ``falter suites``: what there is, and what each needs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

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
    def suites_command(
        as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    ) -> None:
        """List the suites that Falter generates or imports, with their tests.

        Example: falter suites
        """
        from falter.api.listing import available
        from falter.bundle import BUNDLES

        rows = [{"name": one.name, "about": one.about, **one.details} for one in available("suites")]
        for name, problem in BUNDLES.problems.items():
            note(f"left out {name}: {problem}")
        _show(rows, as_json)


def _show(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    for row in rows:
        out.print(f"{row['name']}: {row['about']}")
        if "has" in row:
            out.print(f"  has: {', '.join(row['has'])}")
        if "tests" in row:
            out.print(f"  tests: {', '.join(row['tests'])}")
        if "options" in row:
            out.print(f"  options of its own: {', '.join(row['options'])}")
        if "imports" in row:
            out.print(f"  falter import: {', '.join(row['imports'])}")
