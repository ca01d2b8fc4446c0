"""The figures that a paper published, for models and humans, from the YAML file in a bundle's folder."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from falter.bundle import bundle_of
from falter.errors import InputError
from falter.files import read_yaml

__all__ = [
    "Breakdown",
    "Note",
    "Published",
    "PublishedOverlapTable",
    "PublishedRow",
    "PublishedTable",
    "Repeat",
    "load_published",
    "published_for",
]

_PERTURBED = "acc_perturbed"


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
    """What was measured: a model, humans, or chance."""

    name: str
    kind: Literal["model", "human", "chance"]


class PublishedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of a whole test: by system and measure."""

    test: str
    label: str
    source: str
    rows: dict[str, dict[str, float]]
    aliases: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


class Breakdown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures by the values of a facet: by value, system and measure.

    ``parameters`` are those that a suite must have been generated with for its breakdown to be what the figures are of.
    """

    facet: str
    tests: tuple[str, ...]
    label: str
    source: str
    values: dict[str, dict[str, dict[str, float]]]
    notes: tuple[Note, ...] = ()
    parameters: dict[str, str] = {}

    @property
    def measures(self) -> list[str]:
        """The measures, in the order in which the fullest row has them."""
        rows = [row for by in self.values.values() for row in by.values()]
        return list(dict.fromkeys(name for row in sorted(rows, key=len, reverse=True) for name in row))

    @property
    def digits(self) -> int:
        """How many digits after the point the table prints."""
        figures = [figure for by in self.values.values() for row in by.values() for figure in row.values()]
        return max(len(f"{figure:g}".partition(".")[2]) for figure in figures)


class PublishedOverlapTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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

    def value(self, system: str, given: str) -> float | None:
        """How much of what ``given`` gets right ``system`` gets right, in per cent."""
        return self.rows[system][self.columns.index(given)]


class Repeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures that a table prints again, rounded to some digits: by test and system."""

    source: str
    measure: str
    digits: int
    values: dict[str, dict[str, float]]
    notes: tuple[Note, ...] = ()


class PublishedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file: all stored figures of one paper, in per cent as printed."""

    suite: str
    """The value of the column ``suite`` that they are about."""
    source: Paper
    systems: tuple[System, ...]
    tables: tuple[PublishedTable, ...] = ()
    breakdowns: tuple[Breakdown, ...] = ()
    overlap: tuple[PublishedOverlapTable, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    extra: dict[str, Any] = {}
    """What only this bundle's panels read."""

    def systems_by_source(self) -> Iterator[tuple[str, str]]:
        """Every system that a table names, with the table."""
        for table in self.tables:
            yield from ((table.source, system) for system in table.rows)
        for breakdown in self.breakdowns:
            yield from ((breakdown.source, system) for by in breakdown.values.values() for system in by)
        for shared in self.overlap:
            yield from ((shared.source, system) for system in (*shared.columns, *shared.rows))
        for repeat in self.repeats:
            yield from ((repeat.source, system) for by in repeat.values.values() for system in by)


class PublishedRow(msgspec.Struct, frozen=True):
    """What a paper says of one system on one test; values are per cent, as printed."""

    system: str
    kind: Literal["model", "human", "chance"]
    test: str
    label: str
    source: str
    values: dict[str, float]
    notes: tuple[Note, ...] = ()

    @property
    def human(self) -> bool:
        """Whether the figures are of humans."""
        return self.kind == "human"


class Published(msgspec.Struct, frozen=True):
    """All stored figures of one paper, about one suite."""

    suite: str
    reference: str
    systems: tuple[str, ...]
    rows: tuple[PublishedRow, ...]
    aliases: dict[str, str]
    human: frozenset[str] = frozenset()
    """The systems that are humans."""
    breakdowns: tuple[Breakdown, ...] = ()
    overlaps: tuple[PublishedOverlapTable, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    extra: dict[str, Any] = {}

    def row(self, test: str, system: str) -> PublishedRow | None:
        """The figures of a system on a test, by the test's name or an alias of it."""
        wanted = self.aliases.get(test, test)
        return next((row for row in self.rows if row.test == wanted and row.system == system), None)

    def breakdown(self, test: str, facet: str) -> Breakdown | None:
        """The figures of a test by the values of a facet."""
        wanted = self.aliases.get(test, test)
        return next((each for each in self.breakdowns if each.facet == facet and wanted in each.tests), None)

    def overlap(self, test: str) -> PublishedOverlapTable | None:
        """How much of one another's correct answers the systems share on a test."""
        wanted = self.aliases.get(test, test)
        return next((each for each in self.overlaps if each.test == wanted), None)

    def human_row(self, test: str) -> PublishedRow | None:
        """The figures of humans on a test."""
        wanted = self.aliases.get(test, test)
        return next((row for row in self.rows if row.test == wanted and row.human), None)


def published_for(suite: str) -> Published | None:
    """The published figures for a value of the column ``suite``, or None where there are none."""
    bundle = bundle_of(suite)
    if bundle is None or not bundle.published:
        return None
    found = load_published(bundle.path(bundle.published))
    return found if found.suite == suite else None


@cache
def load_published(path: Path) -> Published:
    """The figures in a file."""
    parsed = read_yaml(path, PublishedFile, what="a file of published figures")
    kinds = {system.name: system.kind for system in parsed.systems}
    for source, system in parsed.systems_by_source():
        if system not in kinds:
            raise InputError(path, f"names the system {system!r}, which is not listed", record=source)
    rows = []
    for table in parsed.tables:
        for system, values in table.rows.items():
            notes = tuple(note for note in table.notes if note.system in (None, system))
            full = _with_means(values, system, table.test, parsed.breakdowns)
            rows.append(PublishedRow(system, kinds[system], table.test, table.label, table.source, full, notes))
    paper = parsed.source
    return Published(
        suite=parsed.suite,
        reference=f"{paper.authors} ({paper.year}). {paper.title}.",
        systems=tuple(kinds),
        rows=tuple(rows),
        aliases={alias: table.test for table in parsed.tables for alias in table.aliases},
        human=frozenset(name for name, kind in kinds.items() if kind == "human"),
        breakdowns=parsed.breakdowns,
        overlaps=parsed.overlap,
        repeats=parsed.repeats,
        extra=parsed.extra,
    )


def _with_means(
    values: dict[str, float], system: str, test: str, breakdowns: tuple[Breakdown, ...]
) -> dict[str, float]:
    """Where a paper prints the variants' accuracy by a facet only, add the means that the other tests have."""
    if _PERTURBED in values or "acc_original" not in values:
        return dict(values)
    for breakdown in breakdowns:
        found = [by.get(system, {}).get(_PERTURBED) for by in breakdown.values.values()]
        known = [value for value in found if value is not None]
        if test in breakdown.tests and known and len(known) == len(found):
            perturbed = sum(known) / len(known)
            means = {_PERTURBED: round(perturbed, 2), "acc": round((values["acc_original"] + perturbed) / 2, 2)}
            return {**values, **means}
    return dict(values)
