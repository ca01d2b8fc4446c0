"""``falter import NAME``: convert a released suite, or make a suite of one's own table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from falter.cli.command_groups import LazyCommand, lazy_group
from falter.cli.options import option_rules, with_struct_options
from falter.cli.output import note, out, print_json, progress
from falter.core.bundle import BUNDLES
from falter.core.errors import FalterError
from falter.core.tables import format_count

_HELP = """Make a suite of your own table: JSONL, JSON, CSV, TSV, Parquet or a Hugging Face dataset on disk.

A row is a question with its answer; with a variant, a pair; a caption with a foil; a member of a set; or two images by
two texts. falter import example writes one to start from.

Example: falter import table questions.csv --column question=q --out suites/mine
"""


def build_table_command() -> LazyCommand:
    """The command, with the options that the table's struct declares."""
    from falter.api.importing import TableOptions

    @option_rules(idle_with={"--image-dir": "--images none"})
    def command(
        file: Annotated[Path, typer.Argument(metavar="FILE", help="The table, or the folder of a dataset.")],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        given: dict[str, Any],
        as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
    ) -> None:
        from falter.api.importing import import_table_with
        from falter.core.errors import RowsError

        with progress() as bar:
            task = bar.add_task("probes", total=None)
            try:
                suite = import_table_with(
                    file,
                    TableOptions(**given),
                    out=target,
                    progress=lambda: bar.advance(task),
                )
            except RowsError as error:
                if error.number == 1:
                    raise
                for fault in error.faults:
                    note(f"falter: {fault}")
                raise FalterError(error.summary) from error
        manifest = suite.manifest
        if as_json:
            print_json(manifest)
            return
        print_tests(manifest.counts["tests"])
        for line in manifest.notes:
            note(line)
        out.print(f"{target}")

    return LazyCommand(with_struct_options(command, TableOptions), _HELP)


def print_tests(tests: Mapping[str, Mapping[str, Any]]) -> None:
    """How many pairs, questions or probes each test has."""
    for test, counts in tests.items():
        size = counts["items"] / max(counts["probes"], 1)
        unit = "pairs" if size == 2 else "questions" if size == 1 else "probes"
        out.print(f"{test}: {format_count(counts['probes'], unit)}")


_INSPECT_LOG = "inspect-log"
_TABLE = "table"
_EXAMPLE = "example"
"""Not released suites: the user's own data, and an example of such."""


def add_import(app: typer.Typer) -> None:
    """Add the group; its commands are the releases that can be imported."""
    group = typer.Typer(
        cls=lazy_group(_names, _build),
        help=(
            "Make a suite of your own table, or convert a released one, whose texts, ids and pairs stay as they were "
            "published. Each release has options of its own.\n\n"
            "Example: falter import valse data/valse --image-dir data/images --out suites/valse"
        ),
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    app.add_typer(group, name="import")

    @group.callback()
    def import_group() -> None:
        pass


def _names() -> Iterable[str]:
    found = [_INSPECT_LOG, *(name for bundle in BUNDLES.available() for name in bundle.importers)]
    for name, problem in BUNDLES.problems.items():
        note(f"left out {name}: {problem}")
    return [*found, _TABLE, _EXAMPLE]


def _build(name: str) -> LazyCommand:
    if name == _INSPECT_LOG:
        return LazyCommand(
            _import_inspect_log,
            "A log of Inspect, as a run to be scored with pairs and intervals.\n\n"
            "Example: falter import inspect-log logs/mine.eval --suite suites/mine --out runs/mine",
        )
    if name == _TABLE:
        return build_table_command()
    if name == _EXAMPLE:
        return LazyCommand(
            _write_example,
            "Write an example of your own data to start from: questions with images, columns explained, predictions."
            "\n\nExample: falter import example my-data",
        )
    from falter.api.importing import ImportOptions, find_importer, uses_workers

    importer = find_importer(name)

    @option_rules(needs={"--images": "--image-dir", "--workers": "--scenes"})
    def command(
        folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with the released files.")],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        options: dict[str, Any],
        of_release: dict[str, Any],
        as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
    ) -> None:
        from falter.api.importing import import_suite

        with progress() as bar:
            task = bar.add_task("probes", total=None)
            suite = import_suite(
                name,
                folder,
                out=target,
                progress=lambda: bar.advance(task),
                **options,
                **of_release,
            )
        manifest = suite.manifest
        if as_json:
            print_json(manifest)
            return
        print_tests(manifest.counts["tests"])
        _note_counts(manifest.counts, manifest.notes)
        out.print(f"{target}")

    told = f"{importer.title}.\n\nExample: falter import {name} data/{name} --image-dir data/images --out suites/{name}"
    left_out = ("release_options",) if uses_workers(importer) else ("release_options", "workers")
    made = with_struct_options(command, ImportOptions, into="options", left_out=left_out)
    return LazyCommand(with_struct_options(made, importer.options, into="of_release"), told)


def _write_example(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write.")],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
    ] = False,
) -> None:
    from falter.api.importing import write_example

    write_example(folder, overwrite=overwrite)
    out.print(f"{folder}: 20 questions, 5 images. Continue with:")
    out.print(f"  cd {folder}")
    out.print("  falter import table questions.csv --columns columns.yaml --out suite")
    out.print("  falter run suite --model file:predictions.csv --out runs")
    out.print("  falter report runs --out report.html")


def _import_inspect_log(
    log: Annotated[Path, typer.Argument(metavar="FILE", help="The log: .eval or .json.")],
    suite: Annotated[Path, typer.Option("--suite", metavar="DIR", help="The suite that was exported.")],
    target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Run folder to write.")],
) -> None:
    from falter.api.reporting import import_inspect_log
    from falter.api.running import shortfall

    run = import_inspect_log(log, suite, out=target)
    counts = ", ".join(f"{count:,} {status}" for status, count in run.manifest.counts.items())
    out.print(f"{run.manifest.model.name}: {counts}; {target}")
    problem = shortfall(run)
    if problem:
        note(problem)
        raise typer.Exit(1)


def _note_counts(counts: dict[str, object], notes: list[str]) -> None:
    skipped = counts.get("skipped_files")
    if isinstance(skipped, list) and skipped:
        shown = ", ".join(skipped[:5]) + (f" and {len(skipped) - 5} more" if len(skipped) > 5 else "")
        note(f"skipped files that do not belong to the release: {shown}")
    missing = counts.get("pictures_not_found")
    if isinstance(missing, int) and missing:
        note(f"not in the image folder, so that their items have no image: {format_count(missing, 'images')}")
    refused = counts.get("refused")
    for reason, count in refused.items() if isinstance(refused, dict) else ():
        note(f"rejected {count:,} x: {reason}")
    for line in notes:
        note(line)
