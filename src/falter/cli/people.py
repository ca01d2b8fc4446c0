"""``falter people``: tasks for people, pages to answer them on, and what the answers say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.image_option import ImageDir
from falter.cli.output import note, out, progress

__all__ = ["register"]

StudyFolder = Annotated[Path, typer.Argument(metavar="DIR", help="A study, made by falter people plan.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Judgements of people: plan tasks, serve a page, collect votes, make a human baseline.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    _add_plan(group)
    _add_serve(group)
    app.add_typer(group, name="people")


def _add_plan(group: typer.Typer) -> None:
    @group.command("plan")
    def plan_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder.")],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        task: Annotated[
            str,
            typer.Option(
                "--task",
                metavar="answer|validate|caption-or-foil|pairs|FILE",
                help="What people are asked, or a YAML file that says it.",
            ),
        ] = "answer",
        sample: Annotated[
            int,
            typer.Option("--sample", metavar="N", help="Number of probes, in turn from each test; 0: all.", min=0),
        ] = 100,
        per_item: Annotated[
            int, typer.Option("--per-item", metavar="K", help="How many people answer each question.", min=1)
        ] = 3,
        task_length: Annotated[
            int, typer.Option("--task-length", metavar="N", help="Questions of a task, with its controls.", min=1)
        ] = 24,
        controls: Annotated[
            int, typer.Option("--controls", metavar="N", help="Questions of a task with known answers.", min=0)
        ] = 4,
        control_suite: Annotated[
            Path | None,
            typer.Option(
                "--control-suite",
                metavar="DIR",
                help="Take controls from this suite. Default: the surest probes of the suite beside the sample.",
            ),
        ] = None,
        probes: Annotated[
            Path | None,
            typer.Option("--probes", metavar="FILE", help="Ask about these probes, an id a line, not about a sample."),
        ] = None,
        seed: Annotated[int, typer.Option("--seed", help="Random seed of the sample, the order and the sides.")] = 0,
        image_dir: ImageDir = None,
        overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder if it exists.")] = False,
    ) -> None:
        """Make tasks for people from a suite: a sample of whole probes, blind to gold answers and origin.

        Original and variant are never in one task, and no image follows itself.

        Example: falter people plan suites/mine --task validate --sample 100 --per-item 3 --out study
        """
        from falter.api.paths import as_suite
        from falter.api.people import plan_study
        from falter.files import read_lines

        opened = as_suite(suite)
        if image_dir is not None:
            opened.allow_images(image_dir)
        ids = None if probes is None else [line.decode().strip() for line in read_lines(probes) if line.strip()]
        with progress() as display:
            study = plan_study(
                opened,
                out=target,
                task=task,
                sample=sample or None,
                per_item=per_item,
                seed=seed,
                task_length=task_length,
                controls=controls,
                control_suite=control_suite,
                probe_ids=ids,
                overwrite=overwrite,
                progress=display.start_stage("images"),
            )
        people = study.manifest.per_item
        out.print(
            f"{target}: {len(study.judged):,} questions in {len(study.tasks):,} tasks, each for {people} "
            f"{'person' if people == 1 else 'people'}"
        )
        for test, (drawn, size) in study.manifest.strata.items():
            out.print(f"{test}: {drawn:,} of {size:,} probes")


def _add_serve(group: typer.Typer) -> None:
    @group.command("serve")
    def serve_command(
        folder: StudyFolder,
        annotators: Annotated[
            int,
            typer.Option("--annotators", metavar="N", help="See that there are so many, each with a link.", min=0),
        ] = 0,
        names: Annotated[
            list[str] | None,
            typer.Option("--name", metavar="NAME", help="Add an annotator by a pseudonym; may be repeated."),
        ] = None,
        host: Annotated[
            str, typer.Option("--host", metavar="ADDRESS", help="Listen here; 0.0.0.0: reachable from elsewhere.")
        ] = "127.0.0.1",
        port: Annotated[
            int | None, typer.Option("--port", help="Default: the port of last time, else a free one.", min=0)
        ] = None,
        public_url: Annotated[
            str | None,
            typer.Option("--public-url", metavar="URL", help="How others reach the server, for the links."),
        ] = None,
        return_after: Annotated[
            float,
            typer.Option("--return-after", metavar="MINUTES", help="A task idle for so long goes to someone else."),
        ] = 60.0,
    ) -> None:
        """Serve the page of a study: a personal link for each annotator, and one for the person in charge.

        Every answer is on disk before the page moves on. Control-C stops the server; the links stay good.

        Example: falter people serve study --annotators 5
        """
        from falter.api.people import serve_study

        wanted = names or annotators
        with serve_study(
            folder,
            annotators=wanted,
            host=host,
            port=port,
            public_url=public_url,
            return_after=60 * return_after,
        ) as served:
            for name, link in served.new_links.items():
                out.print(f"{name}: {link}")
            if served.new_links:
                out.print(f"The links of annotators are also in {folder / 'links.txt'}.")
            out.print(f"for you: {served.manage_link}")
            note("falter: serving; Control-C stops")
            served.server.run()
        note("falter: stopped; all answers are saved, and the links stay good")
