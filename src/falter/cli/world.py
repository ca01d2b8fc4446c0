"""``falter world``: write the world in native formats."""

from __future__ import annotations

from pathlib import Path

import typer

from falter.cli.output import note, out, print_json, progress

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""

    @app.command()
    def world(
        out_folder: Path = typer.Option(..., "--out", help="Folder to write; it gets train/ and val/."),
        scenes: int = typer.Option(1000, "--scenes", min=1, help="Number of scenes, both splits together."),
        seed: int = typer.Option(0, "--seed", help="Random seed."),
        workers: int = typer.Option(
            1, "--workers", min=1, help="Number of worker processes; does not change the output."
        ),
        overwrite: bool = typer.Option(False, "--overwrite", help="Replace the folder if it exists."),
        no_images: bool = typer.Option(False, "--no-images", help="Write graphs and questions only."),
        as_json: bool = typer.Option(False, "--json", help="Print what was written as JSON."),
    ) -> None:
        """Write the world: drawn scenes with exact scene graphs, in the formats of GQA and VQA.

        Example: falter world --out world --scenes 1000 --seed 0 --workers 2
        """
        from falter.api.suites import write_world

        with progress() as bar:
            task = bar.add_task("Drawing scenes", total=scenes)
            counts = write_world(
                out_folder,
                scenes=scenes,
                seed=seed,
                workers=workers,
                overwrite=overwrite,
                progress=lambda done: bar.advance(task, done),
                images=not no_images,
            )
        if as_json:
            print_json(counts._asdict() | {"out": str(out_folder)})
            return
        for split, number in counts.scenes.items():
            out.print(
                f"{split}: {number} scenes, {counts.gqa_questions[split]} GQA questions, "
                f"{counts.vqa_questions[split]} VQA questions"
            )
        note(f"Written to {out_folder}")
