"""``falter import``: read a published suite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from falter.cli.output import note, out, print_json, progress
from falter.errors import UsageError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("import")
    def import_command(
        published: Annotated[str, typer.Argument(metavar="FORMAT", help="The published suite: carets, valse.")],
        folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that holds its files.")],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write.")],
        images: Annotated[
            Path | None, typer.Option("--images", metavar="DIR", help="Where the pictures lie, named by their ids.")
        ] = None,
        scenes: Annotated[
            str | None,
            typer.Option("--scenes", metavar="SOURCE", help="Scene graphs: adds the visual test, made from --images."),
        ] = None,
        visual: Annotated[
            int | None,
            typer.Option("--visual", metavar="N", min=1, help="Questions for the visual test; else all that can be."),
        ] = None,
        workers: Annotated[int, typer.Option("--workers", min=1, help="Processes; the bytes are the same.")] = 1,
        pose: Annotated[
            str | None,
            typer.Option("--pose", metavar="WAY", help="How to put VALSE's pairs: match (the default) or choice."),
        ] = None,
        bring: Annotated[
            Literal["copy", "link"], typer.Option("--bring", help="Copy the pictures into the suite, or link them.")
        ] = "copy",
        overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
    ) -> None:
        """Read a published suite in the form in which it was released; texts, ids and pairs stay as they are.

        With the scene graphs, the questions are asked again over pictures with all but what they ask about blurred,
        masked or cut off: the test that was not released.

        VALSE's captions and foils are matched by default; with --pose choice a model is asked which of the two it is,
        in both orders.

        Example: falter import valse data/valse --images data/pictures --out suites/valse

        Example: falter import carets data/CARETS --images data/gqa/images --scenes gqa:data/gqa --out suites/carets
        """
        from falter.authoring.import_suite import bring_in
        from falter.authoring.importer import IMPORTS, Posable
        from falter.sources import open_source
        from falter.suites.carets.visual_test import ViewOrder

        if scenes is None and visual is not None:
            raise UsageError("--visual needs the boxes of the scene graphs: give --scenes SOURCE, e.g. gqa:FOLDER")
        importer = IMPORTS.get(published)
        if pose is not None:
            if not isinstance(importer, Posable):
                raise UsageError(f"{published} is put in one way only: leave --pose out")
            importer = importer.posed(pose)
        with progress() as bar:
            task = bar.add_task("probes", total=None)
            manifest = bring_in(
                importer,
                folder,
                target,
                images=images,
                how=bring,
                views=None if scenes is None else ViewOrder(open_source(scenes), visual, workers),
                overwrite=overwrite,
                tick=lambda: bar.advance(task),
            )
        if as_json:
            print_json(manifest)
            return
        for name, counts in manifest.counts["tests"].items():
            out.print(f"{name}: {counts['probes']} pairs")
        _tell(manifest.counts, manifest.notes)
        out.print(f"{target}")


def _tell(counts: dict[str, object], notes: list[str]) -> None:
    skipped = counts.get("skipped_files")
    if isinstance(skipped, list) and skipped:
        shown = ", ".join(skipped[:5]) + (f" and {len(skipped) - 5} more" if len(skipped) > 5 else "")
        note(f"left aside, for they are no files of this suite: {shown}")
    missing = counts.get("pictures_not_found")
    if missing:
        note(f"{missing} pictures are not in the folder of pictures: their questions go without")
    refused = counts.get("refused")
    for reason, count in refused.items() if isinstance(refused, dict) else ():
        note(f"left out {count} x: {reason}")
    for line in notes:
        note(line)
