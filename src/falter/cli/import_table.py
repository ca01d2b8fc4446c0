"""``falter import table``: make a suite of one's own data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from falter.cli.lazy_group import LazyCommand
from falter.cli.option_rules import option_rules
from falter.cli.output import note, out, print_json, progress
from falter.cli.struct_options import with_struct_options
from falter.errors import FalterError
from falter.tables import format_count

__all__ = ["build_table_command", "print_tests"]

_HELP = """Make a suite of your own table: JSONL, JSON, CSV, TSV, Parquet or a Hugging Face dataset on disk.

A row is a question with its answer; with a variant, a pair; a caption with a foil; a member of a set; or two images by
two texts. falter init writes an example to start from.

Example: falter import table questions.csv --column question=q --out suites/mine
"""


def build_table_command() -> LazyCommand:
    """The command, with the options that the table's struct declares."""
    from falter.api.own_tables import table_options

    @option_rules(idle_with={"--image-dir": "--images none"})
    def command(
        file: Annotated[Path, typer.Argument(metavar="FILE", help="The table, or the folder of a dataset.")],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        given: dict[str, Any],
        image_dir: Annotated[
            Path | None,
            typer.Option("--image-dir", metavar="DIR", help="Folder with the images. Default: that of the table."),
        ] = None,
        images: Annotated[
            Literal["copy", "link", "none"],
            typer.Option("--images", help="Copy the images into the suite, link them, or do not open them."),
        ] = "copy",
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
    ) -> None:
        from falter.api.own_tables import RowsError, import_table_with

        with progress() as bar:
            task = bar.add_task("probes", total=None)
            try:
                suite = import_table_with(
                    file,
                    table_options()(**given),
                    out=target,
                    image_dir=image_dir,
                    images=images,
                    overwrite=overwrite,
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

    return LazyCommand(with_struct_options(command, table_options()), _HELP)


def print_tests(tests: Mapping[str, Mapping[str, Any]]) -> None:
    """How many pairs, questions or probes each test has."""
    for test, counts in tests.items():
        size = counts["items"] / max(counts["probes"], 1)
        unit = "pairs" if size == 2 else "questions" if size == 1 else "probes"
        out.print(f"{test}: {format_count(counts['probes'], unit)}")
