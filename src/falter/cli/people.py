"""``falter people``: tasks for people, pages to answer them on, and what the answers say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from falter.cli.help_layout import WholeSentences
from falter.cli.options import ImageDir, option_rules
from falter.cli.output import note, out, print_json, print_result, print_table, progress
from falter.core.tables import format_count

StudyFolder = Annotated[Path, typer.Argument(metavar="DIR", help="A study, made by falter people plan.")]

OwnSuite = Annotated[
    Path | None, typer.Option("--suite", metavar="DIR", help="The suite's folder, if it has moved since the plan.")
]
MethodName = Annotated[
    Literal["majority", "dawid-skene"],
    typer.Option("--method", help="How several answers become one; dawid-skene weighs people by their errors."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def add_people(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=WholeSentences,
        help="Judgements of people: plan tasks, serve a page, collect votes, make a human baseline.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    _add_plan(group)
    _add_serve(group)
    _add_export(group)
    _add_collect(group)
    _add_agreement(group)
    _add_as_run(group)
    _add_error_rate(group)
    _add_votes(group)
    app.add_typer(group, name="people")


def _add_plan(group: typer.Typer) -> None:
    @group.command("plan")
    @option_rules(needs={"--control-suite": "--controls"}, idle_with={"--sample": "--probes"})
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
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
        ] = False,
    ) -> None:
        """Make tasks for people from a suite: a sample of whole probes, blind to gold answers and origin.

        Original and variant are never in one task, and no image follows itself.

        Example: falter people plan suites/mine --task validate --sample 100 --per-item 3 --out study
        """
        from falter.api.paths import as_suite
        from falter.api.people import plan
        from falter.core.files import read_lines

        opened = as_suite(suite)
        if image_dir is not None:
            opened.allow_images(image_dir)
        ids = None if probes is None else [line.decode().strip() for line in read_lines(probes) if line.strip()]
        with progress() as display:
            study = plan(
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
            f"{target}: {format_count(len(study.judged), 'questions')} in {format_count(len(study.tasks), 'tasks')}, "
            f"each for {people} {'person' if people == 1 else 'people'}"
        )
        for test, (drawn, size) in study.manifest.strata.items():
            out.print(f"{test}: {drawn:,} of {format_count(size, 'probes')}")


def _add_serve(group: typer.Typer) -> None:
    @group.command("serve")
    @option_rules(idle_with={"--annotators": "--name"})
    def serve_command(
        folder: StudyFolder,
        annotators: Annotated[
            int,
            typer.Option("--annotators", metavar="N", help="Make links until there are so many annotators.", min=0),
        ] = 0,
        names: Annotated[
            list[str] | None,
            typer.Option("--name", metavar="NAME", help="Add an annotator by a pseudonym; may be repeated."),
        ] = None,
        host: Annotated[
            str,
            typer.Option(
                "--host", metavar="ADDRESS", help="Address to listen on; 0.0.0.0 can be reached from other machines."
            ),
        ] = "127.0.0.1",
        port: Annotated[
            int | None,
            typer.Option("--port", help="Port to listen on. Default: that of last time, else a free one.", min=0),
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

        Every answer is on disk before the page moves on. Ctrl-C stops the server; the links stay good.

        Example: falter people serve study --annotators 5
        """
        from falter.api.people import serve

        wanted = names or annotators
        with serve(
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
            note("falter: serving; Ctrl-C stops")
            served.server.run()
        note("falter: stopped; all answers are saved, and the links stay good")


def _add_export(group: typer.Typer) -> None:
    @group.command("export")
    def export_command(
        folder: StudyFolder,
        to: Annotated[str, typer.Option("--to", metavar="label-studio|mturk|prolific", help="For which service.")],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        image_url: Annotated[
            str | None,
            typer.Option(
                "--image-url",
                metavar="URL",
                help="Where the study's folder images is put. Default: images are in the files themselves.",
            ),
        ] = None,
        overwrite: Overwrite = False,
    ) -> None:
        """Write the tasks of a study for Label Studio, Mechanical Turk or Prolific.

        Example: falter people export study --to label-studio --out label-studio
        """
        from falter.api.people import export

        for name, number in export(folder, to, out=target, image_url=image_url, overwrite=overwrite).items():
            out.print(f"{target / name}: {format_count(number, 'entries')}")


def _add_collect(group: typer.Typer) -> None:
    @group.command("collect")
    @option_rules(needs=dict.fromkeys(("--suite", "--screen", "--subset", "--overwrite"), "--out"))
    def collect_command(
        folder: StudyFolder,
        files: Annotated[
            list[Path] | None,
            typer.Option(
                "--from",
                metavar="FILE",
                help="Answers from Label Studio, Mechanical Turk or the saved page, or a table; may be repeated.",
            ),
        ] = None,
        target: Annotated[
            Path | None, typer.Option("--out", metavar="DIR", help="Write the suite here, with the votes.")
        ] = None,
        suite: OwnSuite = None,
        screen: Annotated[
            float,
            typer.Option("--screen", metavar="SHARE", help="Leave out who confirms less of ten or more questions."),
        ] = 0.0,
        subset: Annotated[
            Literal["all", "valid", "unanimous"],
            typer.Option("--subset", help="Probes to write. all: every probe, marked as valid and unanimous or not."),
        ] = "all",
        overwrite: Overwrite = False,
        as_json: AsJson = False,
    ) -> None:
        """Collect the answers of a study: read files of other services, and write the suite with its votes.

        Columns of a table: question_id (or probe_id), annotator, answer, and if known seconds and task_id.

        Example: falter people collect study --out suites/mine-voted
        """
        from falter.api.people import collect_votes

        found = collect_votes(
            folder, files=files or (), out=target, suite=suite, screen=screen, subset=subset, overwrite=overwrite
        )
        if as_json:
            tests = None if found.validation is None else found.validation.json_value()
            print_json({"added": found.added, "answers": found.answers, "tests": tests})
            return
        if files:
            out.print(f"{found.added:,} new answers")
        out.print(f"{format_count(found.answers, 'answers')} about the suite")
        if found.validation is not None:
            print_table(found.validation.blocks())


def _add_agreement(group: typer.Typer) -> None:
    @group.command("agreement")
    def agreement_command(folder: StudyFolder, method: MethodName = "majority", as_json: AsJson = False) -> None:
        """Show how far people agree and how often they are right, by test and by person, with 95 % intervals.

        Example: falter people agreement study
        """
        from falter.api.people import agreement

        print_result(agreement(folder, method=method), as_json)


def _add_as_run(group: typer.Typer) -> None:
    @group.command("as-run")
    @option_rules(idle_with={"--method": "--annotator"})
    def as_run_command(
        folder: StudyFolder,
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="The run's folder.")],
        annotator: Annotated[
            str | None, typer.Option("--annotator", metavar="NAME", help="A run of this person alone.")
        ] = None,
        method: MethodName = "majority",
        suite: OwnSuite = None,
        overwrite: Overwrite = False,
    ) -> None:
        """Make a run of people's answers: the model human, scored, compared and reported like any other.

        Example: falter people as-run study --out runs/people
        """
        from falter.api.people import as_run

        made = as_run(folder, out=target, suite=suite, annotator=annotator, method=method, overwrite=overwrite)
        out.print(
            f"{target}: {made.answered:,} of {format_count(made.manifest.asked, 'items')} answered by "
            f"{made.manifest.model.name}"
        )


def _add_error_rate(group: typer.Typer) -> None:
    @group.command("error-rate")
    @option_rules(needs={"--next-out": "--next"})
    def error_rate_command(
        folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Studies of one suite.")],
        suite: OwnSuite = None,
        scenes: Annotated[
            str | None,
            typer.Option("--scenes", metavar="SOURCE", help="Audit with this source, e.g. gqa:DIR, as a prediction."),
        ] = None,
        next_number: Annotated[
            int, typer.Option("--next", metavar="N", help="Choose so many probes to ask about next.", min=0)
        ] = 0,
        next_file: Annotated[
            Path | None, typer.Option("--next-out", metavar="FILE", help="Write their ids here, for plan --probes.")
        ] = None,
        as_json: AsJson = False,
    ) -> None:
        """Estimate the error rate of a whole suite from few votes, sharpened by the audit and blind baselines.

        Example: falter people error-rate study --scenes gqa:data/gqa --next 50 --next-out next.txt
        """
        from falter.api.people import error_rate, refuse_study_file
        from falter.core.files import write_atomically

        if next_file is not None:
            refuse_study_file(next_file, folders)
        found = error_rate(folders, suite=suite, scenes=scenes, next_number=next_number)
        print_result(found, as_json)
        if next_file is not None:
            write_atomically(next_file, "".join(f"{one}\n" for one in found.next_probes))
            note(f"{next_file}: {format_count(len(found.next_probes), 'probes')} to ask about next")
        elif next_number and not as_json:
            for one in found.next_probes:
                out.print(one)


def _add_votes(group: typer.Typer) -> None:
    @group.command("votes")
    def votes_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder with captions and foils.")],
        file: Annotated[
            Path, typer.Option("--from", metavar="FILE", help="Votes as CSV, JSONL, JSON or Parquet, a row each.")
        ],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        screen: Annotated[
            float,
            typer.Option(
                "--screen",
                metavar="SHARE",
                help="Leave out annotators who choose the caption in less than this share of ten or more votes.",
            ),
        ] = 0.7,
        subset: Annotated[
            Literal["all", "valid", "unanimous"],
            typer.Option("--subset", help="Pairs to write. all: every pair, marked as valid and unanimous or not."),
        ] = "all",
        overwrite: Overwrite = False,
        as_json: AsJson = False,
    ) -> None:
        """Add the votes of annotators to a suite of captions and foils: valid and unanimous pairs, and agreement.

        Columns: probe_id, annotator, answer (caption, foil, both, neither, cannot tell; or first, second with
        caption_first), and if known seconds.

        Example: falter people votes suites/mine --from votes.csv --out suites/mine-voted
        """
        from falter.api.people import add_votes

        found = add_votes(suite, file, out=target, screen=screen, subset=subset, overwrite=overwrite)
        if as_json:
            print_json({"tests": found.json_value(), "screened": found.screened})
        else:
            print_table(found.blocks())
