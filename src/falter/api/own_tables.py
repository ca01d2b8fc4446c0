"""Suites from one's own tables: a file, or a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from falter.api.paths import PathOrStr, as_image_dir, open_imported
from falter.core.errors import InputError, RowsError, UsageError

if TYPE_CHECKING:
    from falter.core.files import TableRow
    from falter.data.suite import Suite
    from falter.data.suite_writing import ImageMode
    from falter.generation.authoring.table_columns import TableOptions

__all__ = ["RowsError", "from_frame", "import_table", "import_table_with", "table_options", "write_example"]

_ROWS_AT_ONCE = 4096


def table_options() -> type[TableOptions]:
    """The options of ``falter import table``, declared once."""
    from falter.generation.authoring.table_columns import TableOptions

    return TableOptions


def import_table(
    path: PathOrStr,
    *,
    out: PathOrStr,
    columns: Mapping[str, str] | PathOrStr | None = None,
    facets: Sequence[str] = (),
    name: str = "",
    test: str = "",
    expects: Literal["same", "different", "each"] | None = None,
    licence: str = "not stated",
    image_dir: PathOrStr | None = None,
    images: ImageMode = "copy",
    overwrite: bool = False,
    progress: Callable[[], None] | None = None,
) -> Suite:
    """Make a suite of your own table (JSONL, JSON, CSV, TSV, Parquet, a Hugging Face dataset on disk).

    ``columns`` has by role the name of a column, e.g. ``{"question": "q"}``, or is a YAML file. Images are found in
    ``image_dir``, by default the table's folder. See the page "Bring your data" for roles and forms.
    """
    options = _options(columns, facets, name=name, test=test, expects=expects, licence=licence)
    return import_table_with(
        path, options, out=out, image_dir=image_dir, images=images, overwrite=overwrite, progress=progress
    )


def import_table_with(
    path: PathOrStr,
    options: TableOptions,
    *,
    out: PathOrStr,
    image_dir: PathOrStr | None = None,
    images: ImageMode = "copy",
    overwrite: bool = False,
    progress: Callable[[], None] | None = None,
) -> Suite:
    """The same with the options of the command line."""
    from falter.core.files import read_rows
    from falter.generation.authoring.table_import import import_rows

    file = Path(path)
    if not file.exists():
        raise InputError(file, "does not exist", hint=_HINT)
    import_rows(
        lambda: read_rows(file, _HINT),
        Path(out),
        options,
        where=str(file),
        name=file.stem,
        image_dir=file.parent if image_dir is None else as_image_dir(image_dir),
        images=images,
        file=file,
        overwrite=overwrite,
        progress=progress or (lambda: None),
    )
    return open_imported(out)


_HINT = "a table is JSONL, JSON, CSV, TSV, Parquet or Excel, in UTF-8, or a Hugging Face dataset on disk"


def from_frame(
    frame: Any,
    *,
    out: PathOrStr,
    columns: Mapping[str, str] | PathOrStr | None = None,
    facets: Sequence[str] = (),
    name: str = "table",
    test: str = "",
    expects: Literal["same", "different", "each"] | None = None,
    licence: str = "not stated",
    image_dir: PathOrStr = ".",
    images: ImageMode = "copy",
    overwrite: bool = False,
) -> Suite:
    """Make a suite of a data frame of polars or pandas, as :func:`import_table` does of a file.

    ``falter.from_frame(df, out="mine", columns={"question": "q"}, image_dir="photos")``
    """
    from falter.generation.authoring.table_import import import_rows

    options = _options(columns, facets, name=name, test=test, expects=expects, licence=licence)
    _check_frame(frame)
    import_rows(
        lambda: _frame_rows(frame),
        Path(out),
        options,
        where="data frame",
        name=name,
        image_dir=as_image_dir(image_dir),
        images=images,
        made_by="falter.from_frame",
        overwrite=overwrite,
    )
    return open_imported(out)


def write_example(out: PathOrStr, *, overwrite: bool = False) -> None:
    """Write an example of a table of one's own: twenty questions with images, columns explained, predictions."""
    from falter.generation.authoring.example_table import write_example_table

    write_example_table(Path(out), overwrite=overwrite)


def _options(columns: Mapping[str, str] | PathOrStr | None, facets: Sequence[str], **given: Any) -> TableOptions:
    options = table_options()
    if columns is None or isinstance(columns, Mapping):
        named = tuple(f"{role}={name}" for role, name in (columns or {}).items())
        return options(column=named, facet=tuple(facets), **given)
    return options(columns=Path(columns), facet=tuple(facets), **given)


def _check_frame(frame: Any) -> None:
    kind = type(frame).__module__.partition(".")[0]
    if kind not in ("polars", "pandas") or not hasattr(frame, "columns"):
        raise UsageError(
            f"a data frame is of polars or pandas, not a {type(frame).__name__}; falter.import_table takes files"
        )
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
