"""``falter generate``: make a suite from a source."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from falter.cli.output import note, out, print_json, progress

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("generate")
    def generate_command(
        suite: Annotated[str, typer.Argument(help="The suite to make; falter suites lists them.")],
        source: Annotated[str, typer.Option("--from", help="The data to make it from, e.g. gqa:DIR.")],
        target: Annotated[Path, typer.Option("--out", help="The folder to write.")],
        test: Annotated[list[str] | None, typer.Option("--test", help="A test to make; all when left out.")] = None,
        size: Annotated[int | None, typer.Option("--size", min=1, help="Pairs a test; all when left out.")] = None,
        seed: Annotated[int, typer.Option("--seed", help="Another seed, another draw.")] = 0,
        workers: Annotated[int, typer.Option("--workers", min=1, help="Processes; the bytes are the same.")] = 1,
        images: Annotated[
            Literal["copy", "link", "none"],
            typer.Option("--images", help="Copy the pictures, link them, or leave them."),
        ] = "copy",
        extend: Annotated[
            list[Path] | None, typer.Option("--extend", help="A folder with YAML or Python of your own.")
        ] = None,
        overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
    ) -> None:
        """Make a suite of probes whose right answers are known.

        Example: falter generate carets --from gqa:data/gqa --test negation --size 1000 --out suites/negation
        """
        from falter.extensions import load_extensions
        from falter.sources import open_source
        from falter.suites.generate import generate
        from falter.suites.protocol import SUITES, Order

        folders = load_extensions(extend or [])
        order = Order(tests=tuple(test or ()), size=size, seed=seed, workers=workers, images=images, extend=folders)
        maker = SUITES.get(suite)
        with progress() as bar:
            task = bar.add_task("probes", total=size and size * len(order.tests or maker.tests()))
            manifest = generate(
                maker, open_source(source), target, order, overwrite=overwrite, tick=lambda: bar.advance(task)
            )
        if as_json:
            print_json(manifest)
            return
        for name, counts in manifest.counts["tests"].items():
            out.print(f"{name}: {counts['probes']} pairs")
        for reason, count in {**manifest.counts["refused"], **manifest.counts.get("problems", {})}.items():
            note(f"left out {count} x: {reason}")
        out.print(f"{target}")
