"""Tables of results and lines of prose: what a notebook shows, a terminal prints and a data frame takes."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

import msgspec

from falter.core.errors import UsageError
from falter.core.untrusted_text import escape_cell, escape_invisible, escape_markdown

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from rich.console import Console
    from rich.text import Text

PIPE_WIDTH = 80
"""How wide lines and tables are in a file or a pipe, in columns."""

_NARROWEST = 20
"""A terminal that is narrower breaks lines by itself."""

_COLUMN = re.compile(r"^\s*\S+(?: \S+)* {2,}(?=\S)")
"""What stands before the second column of a list."""

_COMMAND = "Next: "
"""How a line begins that holds a command to copy: it stays whole."""


def wrap_lines(text: str, width: int) -> str:
    """Break lines that are wider at words; what goes on is indented, below the second column where there is one.

    Words that are wider, such as paths, stay whole.

    >>> print(wrap_lines("a short line\\n  colors: red 3, green 2, blue 1", 24))
    a short line
      colors: red 3, green
        2, blue 1
    >>> print(wrap_lines("lm:ID   causal language models", 24))
    lm:ID   causal language
            models
    """
    if width < _NARROWEST:
        return text
    return "\n".join(_break_line(line, width) for line in text.split("\n"))


def _break_line(line: str, width: int) -> str:
    if len(line) <= width or line.startswith(_COMMAND):
        return line
    column = _COLUMN.match(line)
    indent = len(line) - len(line.lstrip())
    hanging = len(column[0]) if column and len(column[0]) <= width // 2 else indent + 2 if indent else 0
    wrapped = textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        expand_tabs=False,
    )
    return "\n".join(wrapped)


Row = TypeVar("Row", bound=msgspec.Struct)

_ALIGN_RIGHT = ' style="text-align: right"'

_PIECES = re.compile(r"[^\s_/:@,=-]*[\s_/:@,=-]*")
"""Parts of a text that stay together in a line."""

GAP = 3
"""Blanks between the columns of a printed table."""


@dataclass(frozen=True)
class Column:
    """A column of a printed table: its heading and one cell per row.

    ``right`` aligns numbers. With ``wrap``, a terminal gets lines of at most so many columns, broken after blanks and
    the separators of names; Markdown, HTML and data have the whole text.
    """

    heading: str
    cells: Sequence[Text]
    right: bool = False
    wrap: int = 0

    def __post_init__(self) -> None:
        # Names and texts come from data: what could steer a terminal is named instead.
        object.__setattr__(self, "heading", escape_invisible(self.heading))
        object.__setattr__(self, "cells", [_escape_cell(cell) for cell in self.cells])

    @property
    def width(self) -> int:
        """What the widest line of the column needs."""
        from rich.text import Text

        texts = (self.heading, *(cell.plain for cell in self.cells))
        return max(Text(line).cell_len for text in (*texts, "") for line in (*_wrap(text, self.wrap), ""))


def _wrap(text: str, width: int) -> list[str]:
    """The lines of a text, those that are too long in pieces.

    >>> _wrap("carets:\\nllava_onevision-7b_checkpoint", 16)
    ['carets:', 'llava_onevision-', '7b_checkpoint']
    """
    lines: list[str] = []
    for line in text.splitlines():
        if not width or len(line) <= width:
            lines.append(line)
            continue
        pieces = [
            piece[start : start + width] for piece in _PIECES.findall(line) for start in range(0, len(piece), width)
        ]
        lines.append("")
        for piece in pieces:
            if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
                lines[-1] = lines[-1].rstrip()
                lines.append("")
            lines[-1] += piece
    return lines


def _escape_cell(cell: Text) -> Text:
    from rich.text import Text

    plain = escape_invisible(cell.plain)
    return cell if plain == cell.plain else Text(plain, style=cell.style, justify=cell.justify)


@dataclass(frozen=True)
class Grid:
    """A printed table: key columns, repeated in every piece of a split one, value columns, rows that open a section."""

    keys: Sequence[Column]
    values: Sequence[Column]
    sections: frozenset[int] = frozenset()
    most: int = sys.maxsize
    """How wide it may be in a file or a pipe."""

    def fit(self, width: int) -> Iterator[list[Column]]:
        """The table in pieces that are at most so wide, as far as the key columns leave room for one value."""
        fixed = sum(column.width + GAP for column in self.keys)
        piece: list[Column] = []
        for column in self.values:
            taken = fixed + sum(other.width + GAP for other in (*piece, column))
            if piece and taken > width:
                yield [*self.keys, *piece]
                piece = []
            piece.append(column)
        yield [*self.keys, *piece]


Block = Grid | str
"""A part of what a result prints: a table, or lines of text."""


class ResultTable(Sequence[Row], Generic[Row]):
    """A result: rows of one kind, with the text that the command line prints of them.

    A subclass says in :meth:`blocks` how it is printed.
    """

    noun = "rows"

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows: tuple[Row, ...] = tuple(rows)

    def blocks(self) -> Iterable[Block]:
        """What is printed: by default every column of :meth:`to_records`."""
        if not self.rows:
            yield f"no {self.noun}"
            return
        records = self.to_records()
        yield Grid((), [_plain_column(name, [record.get(name) for record in records]) for name in self.columns()])

    def filter(self, **wanted: Any) -> Self:
        """The rows whose columns have these values, e.g. ``scores.filter(test="negation", measure="c_acc")``."""
        columns = self.columns()
        for name in wanted:
            if self.rows and name not in columns:
                raise UsageError(f"there is no column {name!r}; the columns are {', '.join(columns)}")
        kept = [
            row
            for row, record in zip(self.rows, self.to_records(), strict=True)
            if all(record.get(name) == value for name, value in wanted.items())
        ]
        return self.replace_rows(kept)

    def replace_rows(self, rows: Sequence[Row]) -> Self:
        """The same table with other rows."""
        return type(self)(rows)

    def columns(self) -> list[str]:
        """The names of the flat columns."""
        return list(dict.fromkeys(name for record in self.to_records() for name in record))

    def to_records(self) -> list[dict[str, Any]]:
        """One flat dictionary per row: a group becomes suite, test, facet and facet_value."""
        return [_flatten(row) for row in self.rows]

    def to_polars(self) -> pl.DataFrame:
        """The rows as a polars data frame."""
        import polars as pl

        return pl.DataFrame(self.to_records(), infer_schema_length=None)

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame, where pandas is installed."""
        from falter.core.optional_packages import import_package

        pandas = import_package("pandas", "to_pandas() (to_polars() does not)")
        frame: pd.DataFrame = pandas.DataFrame.from_records(self.to_records(), columns=self.columns())
        return frame

    def to_csv(self, path: str | Path) -> None:
        """Write the rows as CSV, with a line of headings; an existing file is replaced.

        Texts that a spreadsheet would run as formulas get an apostrophe before them.
        """
        import csv

        from falter.core.files import atomic_file

        buffer = StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        names = self.columns()
        writer.writerow(map(escape_cell, names))
        writer.writerows([escape_cell(row.get(name)) for name in names] for row in self.to_records())
        with atomic_file(Path(path)) as file:
            file.write(buffer.getvalue().encode("utf-8", "replace"))

    def to_markdown(self) -> str:
        """What is printed, as Markdown: tables and paragraphs."""
        return "\n\n".join(_markdown(block) for block in self.blocks()) + "\n"

    def to_json(self) -> str:
        """The result as the command prints it with --json."""
        return msgspec.json.format(msgspec.json.encode(self.json_value()), indent=2).decode()

    def json_value(self) -> Any:
        """What :meth:`to_json` writes."""
        return self.rows

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> Row | Self:
        return self.rows[index] if isinstance(index, int) else self.replace_rows(self.rows[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResultTable) and type(other) is type(self) and other.rows == self.rows

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.rows):,} {self.noun}>"

    def __str__(self) -> str:
        buffer = StringIO()
        print_blocks(self.blocks(), file=buffer)
        return buffer.getvalue().rstrip("\n")

    def _repr_html_(self) -> str:
        return "\n".join(_html(block) for block in self.blocks())


def print_blocks(blocks: Iterable[Block], file: Any = None) -> None:
    """Print blocks: tables as wide as they are, or in pieces that fit a terminal, as lines of text are broken to fit.

    In a notebook as well, the text goes to ``file``: rich would otherwise display it itself.
    """
    from rich.console import Console

    target = sys.stdout if file is None else file
    terminal = Console(highlight=False, markup=False, soft_wrap=True, file=target, force_jupyter=False)
    most = terminal.width if target.isatty() else None
    for block in blocks:
        if isinstance(block, str):
            text = escape_invisible(block)
            terminal.print(text if most is None else wrap_lines(text, most))
            continue
        for piece in block.fit(block.most if most is None else most):
            width = sum(column.width + GAP for column in piece)
            console = Console(
                highlight=False, markup=False, width=width, soft_wrap=False, file=target, force_jupyter=False
            )
            _print_piece(piece, block.sections, console)


def _print_piece(columns: Sequence[Column], sections: frozenset[int], console: Console) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style="bold")
    for column in columns:
        table.add_column(
            Text("\n".join(_wrap(column.heading, column.wrap))),
            justify="right" if column.right else "left",
            no_wrap=True,
            vertical="top",
        )
    for row in range(len(columns[0].cells)):
        if row and row in sections:
            table.add_section()
        table.add_row(*(_wrap_cell(column.cells[row], column.wrap) for column in columns))
    console.print(table)
    console.print()


def _wrap_cell(cell: Text, width: int) -> Text:
    from rich.text import Text

    return Text("\n".join(_wrap(cell.plain, width)), style=cell.style, justify=cell.justify) if width else cell


def _markdown(block: Block) -> str:
    if isinstance(block, str):
        return escape_markdown(block)
    columns = [*block.keys, *block.values]

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(map(escape_markdown, cells)) + " |"

    rule = "|" + "|".join("--:" if one.right else "---" for one in columns) + "|"
    rows = (line(column.cells[row].plain for column in columns) for row in range(len(columns[0].cells)))
    return "\n".join([line(column.heading for column in columns), rule, *rows])


def _html(block: Block) -> str:
    """A block as HTML; every text is escaped."""
    from html import escape

    if isinstance(block, str):
        return f"<p>{_lines(escape(escape_invisible(block)))}</p>"
    columns = [*block.keys, *block.values]
    head = "".join(f"<th>{_lines(escape(column.heading))}</th>" for column in columns)
    rows = [
        "".join(
            f"<td{_ALIGN_RIGHT if column.right else ''}>{_lines(escape(column.cells[row].plain))}</td>"
            for column in columns
        )
        for row in range(len(columns[0].cells))
    ]
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _lines(text: str) -> str:
    return text.replace("\n", "<br>")


def _flatten(row: msgspec.Struct) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in msgspec.structs.asdict(row).items():
        if name == "group" and isinstance(value, msgspec.Struct):
            inner = msgspec.structs.asdict(value)
            flat |= {("facet_value" if key == "value" else key): one for key, one in inner.items()}
        elif isinstance(value, msgspec.Struct):
            flat |= {(name if key == "value" else f"{name}_{key}"): one for key, one in _flatten(value).items()}
        elif isinstance(value, Mapping):
            flat |= {f"{name}:{key}": one for key, one in value.items()}
        else:
            flat[name] = value
    return flat


def _plain_column(name: str, values: Sequence[Any]) -> Column:
    from rich.text import Text

    right = all(value is None or isinstance(value, int | float) for value in values)
    return Column(name, [Text(_format_value(value)) for value in values], right=right)


def _format_value(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def format_count(count: int, plural: str) -> str:
    """A number of things.

    >>> format_count(1, "pairs"), format_count(1200, "pairs"), format_count(1, "replies")
    ('1 pair', '1,200 pairs', '1 reply')
    """
    if count != 1:
        return f"{count:,} {plural}"
    return f"1 {plural.removesuffix('ies')}y" if plural.endswith("ies") else f"1 {plural.removesuffix('s')}"
