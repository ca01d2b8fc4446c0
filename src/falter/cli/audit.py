"""``falter audit``: re-derive every label of a suite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.option_rules import option_rules
from falter.cli.output import note, out, print_json, progress
from falter.cli.plugin_option import PluginDirs
from falter.tables import format_count

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("audit")
    @option_rules(idle_with={"--show": "--json"})
    def audit_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder.")],
        scenes: Annotated[
            str | None,
            typer.Option("--scenes", metavar="SOURCE", help="Source the suite was generated from, e.g. gqa:DIR."),
        ] = None,
        plugin_dir: PluginDirs = None,
        show: Annotated[int, typer.Option("--show", min=0, help="How many disagreements to print.")] = 10,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Derive every label again: parse the text to a query and answer it from the scene.

        Exit 1: a label disagrees, or none could be audited.

        Example: falter audit suites/negation --scenes gqa:data/gqa
        """
        from falter.api.suites import audit

        with progress() as display:
            advance = display.start_stage("probes")
            result = audit(suite, scenes, plugins=plugin_dir or [], progress=lambda: advance(1))
        if as_json:
            print_json(result)
        else:
            out.print(
                f"{format_count(result.items, 'items')}: {result.agree:,} agree, {result.disagree:,} disagree", end=""
            )
            out.print(f", {sum(result.not_audited.values()):,} not audited")
            for reason, count in {**result.reasons, **result.not_audited}.items():
                out.print(f"  {count:,} x {reason}")
            for finding in result.disagreements[:show]:
                out.print(f"  {finding.probe_id} variant {finding.variant}: {finding.reason}: {finding.text}")
        if not result.agree + result.disagree:
            hint = "; pass --scenes with the source that the suite was generated from"
            note(f"nothing was audited{'' if result.is_all_by_people else hint}")
        if result.disagree or not result.agree:
            raise typer.Exit(1)
