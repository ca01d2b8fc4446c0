"""Importing: a released suite, one's own table or data frame, and an example of such a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from math import isnan
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from falter.api.keywords import split_options, takes_options
from falter.api.paths import PathOrStr, as_image_dir, open_imported
from falter.core.errors import InputError, UsageError
from falter.core.progress import StepProgress, open_steps
from falter.generation.authoring.options import ImportOptions, build_options
from falter.generation.authoring.table_columns import TableOptions

if TYPE_CHECKING:
    from falter.core.files import TableRow
    from falter.data.suite import Suite
    from falter.generation.authoring.importer import Importer

__all__ = [
    "ImportOptions",
    "TableOptions",
    "find_importer",
    "import_suite",
    "import_table",
    "import_table_with",
    "uses_workers",
    "write_example",
]

_ROWS_AT_ONCE = 4096


@takes_options(ImportOptions, without=["release_options"])
def import_suite(
    format: str,  # noqa: A002  the word of the command line
    path: PathOrStr,
    *,
    out: PathOrStr,
    plugins: Sequence[PathOrStr] = (),
    progress: StepProgress = None,
    **options: Any,
) -> Suite:
    """Import a released suite, e.g. ``falter.import_suite("valse", "data/valse", out="suites/valse")``.

    Texts, ids and pairs stay as they were released. ``options`` are also those of the importer.
    """
    from falter.core.plugins import load_plugins
    from falter.generation.authoring.importer import import_suite as write

    load_plugins([Path(folder) for folder in plugins])
    importer = find_importer(format)
    own, of_release = split_options(ImportOptions, options)
    built = build_options(format, ImportOptions, own)
    assert built is not None
    if built.workers != 1 and not uses_workers(importer):
        raise UsageError(f"workers has no effect: importing {format} is not divided; leave it out")
    if built.image_dir is None and built.images == "link":
        raise UsageError("images=link has no effect without image_dir; name the folder that holds them")
    release_options = build_options(format, importer.options, of_release)
    with ExitStack() as stack:
        write(
            importer,
            Path(path),
            Path(out),
            msgspec.structs.replace(built, release_options=release_options),
            progress=open_steps(progress, stack),
        )
    return open_imported(out)


def find_importer(name: str) -> Importer:
    """The importer of a released suite, with its title, its licence and its own options."""
    from falter.generation.authoring.importer import load_importer

    return load_importer(name)


def uses_workers(importer: Importer) -> bool:
    """Whether importing a release is divided among workers."""
    from falter.generation.authoring.importer import UsesWorkers

    return isinstance(importer, UsesWorkers)


@takes_options(TableOptions, without=["column", "facet"])
def import_table(
    table: Any,
    *,
    out: PathOrStr,
    columns: Mapping[str, str] | PathOrStr | None = None,
    facets: Sequence[str] = (),
    progress: Callable[[], None] | None = None,
    **options: Any,
) -> Suite:
    """Make a suite of your own table: a data frame, or JSONL, JSON, CSV, TSV, Parquet, a Hugging Face dataset on disk.

    ``columns`` has by role the name of a column, e.g. ``{"question": "q"}``, or is a YAML file. Images are found in
    ``image_dir``, by default the table's folder. See the page "Bring your data" for roles and forms.
    """
    if columns is None or isinstance(columns, Mapping):
        named = [f"{role}={name}" for role, name in (columns or {}).items()]
        options |= {"column": named}
    else:
        options |= {"columns": Path(columns)}
    built = build_options("a table", TableOptions, {**options, "facet": list(facets)})
    assert built is not None
    return import_table_with(table, built, out=out, progress=progress)


def import_table_with(
    table: Any, options: TableOptions, *, out: PathOrStr, progress: Callable[[], None] | None = None
) -> Suite:
    """:func:`import_table` with the options of the command line."""
    from falter.core.files import read_rows
    from falter.generation.authoring.table_import import ImportedTable, import_rows

    if options.image_dir is not None:
        as_image_dir(options.image_dir)
    if isinstance(table, str | PathLike):
        file = Path(table)
        if not file.exists():
            raise InputError(file, "does not exist", hint=_HINT)
        read = ImportedTable(lambda: read_rows(file, _HINT), str(file), file.stem, file.parent, file)
    else:
        _check_frame(table)
        read = ImportedTable(lambda: _frame_rows(table), "data frame", "table", Path(), made_by="falter.import_table")
    import_rows(read, Path(out), options, progress=progress or (lambda: None))
    return open_imported(out)


_HINT = "a table is JSONL, JSON, CSV, TSV, Parquet or Excel, in UTF-8, or a Hugging Face dataset on disk"


def write_example(out: PathOrStr, *, overwrite: bool = False) -> None:
    """Write an example of a table of one's own: twenty questions with images, columns explained, predictions."""
    from falter.generation.authoring.example_table import write_example_table

    write_example_table(Path(out), overwrite=overwrite)


def _check_frame(frame: Any) -> None:
    kind = type(frame).__module__.partition(".")[0]
    if kind not in ("polars", "pandas") or not hasattr(frame, "columns"):
        raise UsageError(f"a table is a path or a data frame of polars or pandas, not a {type(frame).__name__}")
    twice = [name for number, name in enumerate(frame.columns) if name in list(frame.columns)[:number]]
    if twice:
        raise InputError("data frame", f"has the column {twice[0]!r:.60} more than once", hint="rename one of them")


def _frame_rows(frame: Any) -> Iterator[TableRow]:
    from falter.core.files import TableRow

    if hasattr(frame, "collect") and not hasattr(frame, "iter_rows"):
        frame = frame.collect()
    number = 0
    for start in range(0, len(frame), _ROWS_AT_ONCE):
        # A batch at a time: dictionaries take several times the memory of columns.
        if hasattr(frame, "iter_rows"):
            records = frame.slice(start, _ROWS_AT_ONCE).iter_rows(named=True)
        else:
            records = iter(frame.iloc[start : start + _ROWS_AT_ONCE].to_dict("records"))
        for values in records:
            number += 1
            yield TableRow(f"row {number}", {str(name): _value(value) for name, value in values.items()})


def _value(value: Any) -> Any:
    """A cell of a data frame; what pandas has for missing values is None."""
    if isinstance(value, float) and isnan(value):
        return None
    return None if type(value).__name__ in ("NAType", "NaTType") else value
