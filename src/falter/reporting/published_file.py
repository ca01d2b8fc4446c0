"""The form of a file of published figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from falter.reporting.published_noise import NoiseTable, PublishedVqabq

__all__ = ["Breakdown", "CoverageTable", "Note", "PublishedFile", "Repeat", "Table"]


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is odd about a table, or about one cell of it."""

    text: str
    system: str | None = None
    measure: str | None = None


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the figures were published."""

    title: str
    authors: str
    year: int


class System(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model that was measured, or people."""

    name: str
    kind: Literal["model", "people"]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of a whole test: by system and measure."""

    test: str
    label: str
    source: str
    rows: dict[str, dict[str, float]]
    aliases: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


class Breakdown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures by the values of a facet: by value, system and measure. With several tests they are means over these."""

    facet: str
    tests: tuple[str, ...]
    label: str
    source: str
    values: dict[str, dict[str, dict[str, float]]]
    notes: tuple[Note, ...] = ()

    @property
    def measures(self) -> list[str]:
        """The measures there are, in the order in which the fullest row has them."""
        rows = [row for by in self.values.values() for row in by.values()]
        return list(dict.fromkeys(name for row in sorted(rows, key=len, reverse=True) for name in row))

    @property
    def digits(self) -> int:
        """How many digits after the point the table prints."""
        figures = [figure for by in self.values.values() for row in by.values() for figure in row.values()]
        return max(len(f"{figure:g}".partition(".")[2]) for figure in figures)


class CoverageTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By row the share of what the column's system gets right that the row's system gets right as well."""

    test: str
    label: str
    source: str
    over: Literal["instances", "pairs"]
    columns: tuple[str, ...]
    rows: dict[str, tuple[float | None, ...]]
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        for system, row in self.rows.items():
            if len(row) != len(self.columns):
                raise ValueError(f"{self.source}: {system} has {len(row)} figures for {len(self.columns)} columns")

    def value(self, covering: str, covered: str) -> float | None:
        """C(i, j) in per cent."""
        return self.rows[covering][self.columns.index(covered)]


class Repeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures that a table prints again, rounded to some digits: by test and system."""

    source: str
    measure: str
    digits: int
    values: dict[str, dict[str, float]]
    notes: tuple[Note, ...] = ()


class PublishedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All stored figures of one paper, in per cent as printed."""

    suite: str
    source: Paper
    systems: tuple[System, ...]
    tables: tuple[Table, ...]
    breakdowns: tuple[Breakdown, ...] = ()
    coverage: tuple[CoverageTable, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    noise: tuple[NoiseTable, ...] = ()
    vqabq: PublishedVqabq | None = None

    def named(self) -> Iterator[tuple[str, str]]:
        """Every system that a table names, with the table."""
        for table in self.tables:
            yield from ((table.source, system) for system in table.rows)
        for breakdown in self.breakdowns:
            yield from ((breakdown.source, system) for by in breakdown.values.values() for system in by)
        for covered in self.coverage:
            yield from ((covered.source, system) for system in (*covered.columns, *covered.rows))
        for repeat in self.repeats:
            yield from ((repeat.source, system) for by in repeat.values.values() for system in by)
        for noisy in self.noise:
            yield from ((noisy.source, system) for system in (*noisy.rows, *noisy.standard, *noisy.r_scores))
