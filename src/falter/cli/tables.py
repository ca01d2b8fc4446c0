"""Tables for people: whole where they go to a file, in as many pieces as a terminal's width asks for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = ["Column", "print_columns"]

_GAP = 3
"""Blanks between columns, as the table is drawn below."""


@dataclass(frozen=True)
class Column:
    """A column: its heading and one cell a row; ``right`` is for numbers."""

    heading: str
    cells: Sequence[Text]
    right: bool = False

    @property
    def width(self) -> int:
        """What the widest line of the column needs."""
        lines = [line for cell in self.cells for line in cell.plain.splitlines()]
        return max(Text(line).cell_len for line in (*lines, *self.heading.splitlines(), ""))


def print_columns(keys: Sequence[Column], values: Sequence[Column], *, sections: frozenset[int] = frozenset()) -> None:
    """Print a table on standard output; the ``keys`` begin every piece of it, a line stands before every section."""
    terminal = Console(highlight=False, markup=False)
    fixed = sum(column.width + _GAP for column in keys)
    most = terminal.width if sys.stdout.isatty() else sys.maxsize
    piece: list[Column] = []
    for column in values:
        taken = fixed + sum(other.width + _GAP for other in (*piece, column))
        if piece and taken > most:
            _print_piece([*keys, *piece], sections)
            piece = []
        piece.append(column)
    _print_piece([*keys, *piece], sections)


def _print_piece(columns: Sequence[Column], sections: frozenset[int]) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style="bold")
    for column in columns:
        table.add_column(
            Text(column.heading), justify="right" if column.right else "left", no_wrap=True, vertical="top"
        )
    for row in range(len(columns[0].cells)):
        if row and row in sections:
            table.add_section()
        table.add_row(*(column.cells[row] for column in columns))
    width = sum(column.width + _GAP for column in columns)
    console = Console(highlight=False, markup=False, width=width, soft_wrap=False)
    console.print(table)
    console.print()
