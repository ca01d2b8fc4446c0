"""The figures that a paper published, for models and humans, from the YAML file in a bundle's folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import msgspec

from falter.core.bundle import bundle_of
from falter.core.errors import InputError
from falter.core.files import read_yaml
from falter.evaluation.reporting.published_settings import Setting, SuiteFacts, UnshownFigures

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
    belongs_to: tuple[str, ...]
    """The settings of the file that the figures belong to."""
    rows: dict[str, dict[str, float]]
    aliases: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


class Breakdown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures by the values of a facet: by value, system and measure."""

    facet: str
    tests: tuple[str, ...]
    label: str
    source: str
    belongs_to: tuple[str, ...]
    values: dict[str, dict[str, dict[str, float]]]
    notes: tuple[Note, ...] = ()

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
    belongs_to: tuple[str, ...]
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


class ExtraTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures in a form of their own, which only the bundle reads; ``tests`` are those that they are about."""

    source: str
    belongs_to: tuple[str, ...]
    figures: dict[str, Any]
    tests: tuple[str, ...] = ()


class PublishedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file: all stored figures of one paper, in per cent as printed."""

    suite: str
    """The value of the column ``suite`` that they are about."""
    source: Paper
    systems: tuple[System, ...]
    settings: dict[str, Setting]
    """By name what figures belong to; every table names those that its figures need."""
    tables: tuple[PublishedTable, ...] = ()
    breakdowns: tuple[Breakdown, ...] = ()
    overlap: tuple[PublishedOverlapTable, ...] = ()
    extra: dict[str, tuple[ExtraTable, ...]] = {}
    """By name what only this bundle reads."""

    def settings_by_source(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Where figures are from, and the settings that they belong to."""
        extra = (one for tables in self.extra.values() for one in tables)
        tables: list[_Figures] = [*self.tables, *self.breakdowns, *self.overlap, *extra]
        yield from ((table.source, table.belongs_to) for table in tables)

    def systems_by_source(self) -> Iterator[tuple[str, str]]:
        """Every system that a table names, with the table."""
        for table in self.tables:
            yield from ((table.source, system) for system in table.rows)
        for breakdown in self.breakdowns:
            yield from ((breakdown.source, system) for by in breakdown.values.values() for system in by)
        for shared in self.overlap:
            yield from ((shared.source, system) for system in (*shared.columns, *shared.rows))


class PublishedRow(msgspec.Struct, frozen=True):
    """What a paper says of one system on one test; values are per cent, as printed."""

    system: str
    kind: Literal["model", "human", "chance"]
    test: str
    label: str
    source: str
    values: dict[str, float]
    notes: tuple[Note, ...] = ()
    belongs_to: tuple[str, ...] = ()

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
    extra: dict[str, tuple[ExtraTable, ...]] = {}
    settings: dict[str, Setting] = {}

    def row(self, test: str, system: str) -> PublishedRow | None:
        """The figures of a system on a test, by the test's name or an alias of it; those of several tables together."""
        wanted = self.aliases.get(test, test)
        found = [row for row in self.rows if row.test == wanted and row.system == system]
        return _merge(found) if found else None

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
        return next((row for name in self.systems if name in self.human and (row := self.row(test, name))), None)

    def describing(self, facts: SuiteFacts, tests: Collection[str]) -> tuple[Published, list[UnshownFigures]]:
        """The figures that describe the tests of a suite, and what those belong to that do not.

        Figures of other tests stay. Where others are shown in their place, nothing is said of those that are not.
        """
        chooser = _Chooser(self, facts, tests)
        rows = chooser.choose(
            self.rows, lambda row: [row.test], lambda row: [(row.system, measure) for measure in row.values]
        )
        breakdowns = chooser.choose(self.breakdowns, lambda one: one.tests, lambda one: [one.facet])
        overlaps = chooser.choose(self.overlaps, lambda one: [one.test], lambda _: ["overlap"])
        extra = {
            name: chooser.choose(tables, lambda one: one.tests, lambda _, name=name: [name])  # type: ignore[misc]
            for name, tables in self.extra.items()
        }
        chosen = msgspec.structs.replace(self, rows=rows, breakdowns=breakdowns, overlaps=overlaps, extra=extra)
        return chosen, chooser.unshown


class _Figures(Protocol):
    """A table, or a row of one."""

    @property
    def source(self) -> str: ...

    @property
    def belongs_to(self) -> tuple[str, ...]: ...


_Table = TypeVar("_Table", bound=_Figures)


class _Chooser:
    """Chooses the figures that describe a suite, and collects what those belong to that do not."""

    def __init__(self, published: Published, facts: SuiteFacts, tests: Collection[str]) -> None:
        self.unshown: list[UnshownFigures] = []
        self._settings, self._facts = published.settings, facts
        self._tests: dict[str, list[str]] = {}
        for test in tests:
            self._tests.setdefault(published.aliases.get(test, test), []).append(test)

    def choose(
        self,
        tables: Sequence[_Table],
        tests_of: Callable[[_Table], Sequence[str]],
        cells_of: Callable[[_Table], Sequence[Any]],
    ) -> tuple[_Table, ...]:
        """The tables that describe the suite; ``cells_of`` says what of a test they fill."""
        lacking = [self._unmet(one, tests_of(one)) for one in tables]
        cells = [{(test, cell) for test in tests_of(one) for cell in cells_of(one)} for one in tables]
        # Of figures that could stand in the same place, those are named that lack least.
        least: dict[Any, int] = {}
        for own, unmet in zip(cells, lacking, strict=True):
            for cell in own:
                least[cell] = min(least.get(cell, len(unmet)), len(unmet))
        shown = {
            one.source
            for one, unmet in zip(tables, lacking, strict=True)
            if not unmet and any(test in self._tests for test in tests_of(one))
        }
        for one, own, unmet in zip(tables, cells, lacking, strict=True):
            if any(len(unmet) == least[cell] for cell in own):
                texts = [self._settings[name].text for name in unmet]
                self.unshown += [UnshownFigures(one.source, text, one.source in shown) for text in texts]
        return tuple(one for one, unmet in zip(tables, lacking, strict=True) if not unmet)

    def _unmet(self, one: _Figures, tests: Sequence[str]) -> list[str]:
        own = [actual for test in tests for actual in self._tests.get(test, ())]
        return [
            name for name in one.belongs_to if not all(self._facts.meets(self._settings[name], test) for test in own)
        ]


def _merge(rows: Sequence[PublishedRow]) -> PublishedRow:
    if len(rows) == 1:
        return rows[0]
    return msgspec.structs.replace(
        rows[0],
        source=" and ".join(dict.fromkeys(row.source for row in rows)),
        values={name: value for row in rows for name, value in row.values.items()},
        notes=tuple(dict.fromkeys(note for row in rows for note in row.notes)),
    )


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
    named = set()
    for source, belongs_to in parsed.settings_by_source():
        named |= {*belongs_to}
        if not belongs_to:
            raise InputError(path, "names no setting that the figures belong to", record=source)
        if unknown := [name for name in belongs_to if name not in parsed.settings]:
            raise InputError(path, f"names the setting {unknown[0]!r}, which is not listed", record=source)
    if unused := sorted(parsed.settings.keys() - named):
        raise InputError(path, "is a setting that no figures belong to", record=unused[0])
    rows = []
    for table in parsed.tables:
        for system, values in table.rows.items():
            notes = tuple(note for note in table.notes if note.system in (None, system))
            full = _with_means(values, system, table.test, parsed.breakdowns)
            rows.append(
                PublishedRow(
                    system, kinds[system], table.test, table.label, table.source, full, notes, table.belongs_to
                )
            )
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
        extra=parsed.extra,
        settings=parsed.settings,
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
