"""``falter demo`` and ``world``: everything in one go, and the world that it uses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from falter.cli.output import note, out, print_json, print_result, progress
from falter.core.tables import format_count

if TYPE_CHECKING:
    from falter.evaluation.runs.score_tables import Scores


def add_demo(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("demo")
    def demo_command(
        target: Annotated[Path, typer.Option("--out", help="The folder to write.")] = Path("demo"),
        scenes: Annotated[
            int, typer.Option("--num-scenes", metavar="N", min=50, help="Number of scenes to draw.")
        ] = 400,
        pairs: Annotated[int, typer.Option("--pairs", min=1, help="Pairs per test.")] = 300,
        seed: Annotated[int, typer.Option("--seed", help="Random seed of the world and the suite.")] = 0,
        workers: Annotated[
            int | None, typer.Option("--workers", min=1, help="Number of worker processes. Default: one per core.")
        ] = None,
    ) -> None:
        """Draw a world, generate tests from it, run six small models, and write a report.

        Example: falter demo --out demo
        """
        from falter.api.demo import run_demo
        from falter.core.files import refuse_full_folder

        refuse_full_folder(target)
        if not run_demo(
            target,
            scenes=scenes,
            pairs=pairs,
            seed=seed,
            workers=workers or os.cpu_count() or 1,
            announce=note,
            show=_show,
        ):
            raise typer.Exit(1)


def _show(result: str | Scores) -> None:
    if isinstance(result, str):
        out.print(result)
    else:
        print_result(result)


def add_world(app: typer.Typer) -> None:
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
