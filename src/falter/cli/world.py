"""``falter world``: write the world in native formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from falter.cli.output import note, out, print_json, progress
from falter.tables import format_count

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""

    @app.command()
    def world(
        out_folder: Annotated[Path, typer.Option("--out", help="Folder to write; it gets train/ and val/.")],
        scenes: Annotated[
            int, typer.Option("--num-scenes", metavar="N", min=1, help="Number of scenes, both splits together.")
        ] = 1000,
        seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 0,
        workers: Annotated[
            int, typer.Option("--workers", min=1, help="Number of worker processes; does not change the output.")
        ] = 1,
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
        ] = False,
        no_images: Annotated[bool, typer.Option("--no-images", help="Write graphs and questions only.")] = False,
        mix: Annotated[
            Literal["default", "contrastive"],
            typer.Option(
                "--mix",
                help=(
                    "Mix of scenes. "
                    "contrastive: more actions and positions that other scenes have the other way round, and larger "
                    "groups, for foils from scene graphs."
                ),
            ),
        ] = "default",
        as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
    ) -> None:
        """Write the world: drawn scenes with exact scene graphs, in the formats of GQA, VQA, VisDial and others.

        Example: falter world --out world --num-scenes 1000 --seed 0 --workers 2
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
                mix=mix,
            )
        if as_json:
            print_json(counts._asdict() | {"out": str(out_folder)})
            return
        for split, number in counts.scenes.items():
            out.print(
                f"{split}: {format_count(number, 'scenes')}, "
                f"{format_count(counts.gqa_questions[split], 'GQA questions')}, "
                f"{format_count(counts.vqa_questions[split], 'VQA questions')}"
            )
        note(f"Written to {out_folder}")
