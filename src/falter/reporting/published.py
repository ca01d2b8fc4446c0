"""The figures that papers published, for models and people, to stand beside a user's own."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
import yaml

from falter.errors import InputError
from falter.reporting.published_file import Breakdown, CoverageTable, Note, PublishedFile, Repeat
from falter.reporting.published_noise import NoiseTable, PublishedVqabq

__all__ = ["Note", "Published", "PublishedRow", "load_published", "published_suites"]

_PERTURBED = "acc_perturbed"


class PublishedRow(msgspec.Struct, frozen=True):
    """What a paper says of one system on one test; values are per cent, as printed."""

    system: str
    people: bool
    test: str
    label: str
    source: str
    values: dict[str, float]
    notes: tuple[Note, ...] = ()


class Published(msgspec.Struct, frozen=True):
    """All stored figures of one paper."""

    suite: str
    reference: str
    systems: tuple[str, ...]
    rows: tuple[PublishedRow, ...]
    aliases: dict[str, str]
    humans: frozenset[str] = frozenset()
    breakdowns: tuple[Breakdown, ...] = ()
    coverages: tuple[CoverageTable, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    noise: tuple[NoiseTable, ...] = ()
    vqabq: PublishedVqabq | None = None

    def row(self, test: str, system: str) -> PublishedRow | None:
        """The figures of a system on a test, by the test's name or an alias of it."""
        wanted = self.aliases.get(test, test)
        return next((row for row in self.rows if row.test == wanted and row.system == system), None)

    def breakdown(self, test: str, facet: str) -> Breakdown | None:
        """The figures of a test by the values of a facet."""
        wanted = self.aliases.get(test, test)
        return next((each for each in self.breakdowns if each.facet == facet and wanted in each.tests), None)

    def coverage(self, test: str) -> CoverageTable | None:
        """How much of one another's right answers the systems cover on a test."""
        wanted = self.aliases.get(test, test)
        return next((each for each in self.coverages if each.test == wanted), None)

    def noise_table(self, pool: str, ranker: str, *, prepared: bool = True) -> NoiseTable | None:
        """The figures of a pool and ranker under noise."""
        wanted = (pool, ranker, prepared)
        return next((each for each in self.noise if (each.pool, each.ranker, each.prepared) == wanted), None)

    def people(self, test: str) -> PublishedRow | None:
        """The figures of people on a test."""
        wanted = self.aliases.get(test, test)
        return next((row for row in self.rows if row.test == wanted and row.people), None)


def published_suites() -> list[str]:
    """The suites that have published figures."""
    return sorted(
        entry.name.removesuffix(".yaml")
        for entry in files("falter.reporting").joinpath("published").iterdir()
        if entry.name.endswith(".yaml")
    )


@cache
def load_published(suite: str) -> Published | None:
    """The published figures for a suite, or None where no paper is stored."""
    if suite not in published_suites():
        return None
    path = files("falter.reporting").joinpath("published", f"{suite}.yaml")
    try:
        parsed = msgspec.convert(yaml.safe_load(path.read_text("utf-8")), PublishedFile)
    except (msgspec.ValidationError, yaml.YAMLError) as error:
        raise InputError(str(path), f"is not a file of published figures: {error}") from error
    known = {system.name for system in parsed.systems}
    for source, system in parsed.named():
        if system not in known:
            raise InputError(str(path), f"names the system {system!r}, which is not listed", record=source)
    people = frozenset(system.name for system in parsed.systems if system.kind == "people")
    rows = []
    for table in parsed.tables:
        for system, values in table.rows.items():
            notes = tuple(note for note in table.notes if note.system in (None, system))
            told = _with_means(values, system, table.test, parsed.breakdowns)
            rows.append(PublishedRow(system, system in people, table.test, table.label, table.source, told, notes))
    paper = parsed.source
    return Published(
        suite=parsed.suite,
        reference=f"{paper.authors} ({paper.year}). {paper.title}.",
        systems=tuple(system.name for system in parsed.systems),
        rows=tuple(rows),
        aliases={alias: table.test for table in parsed.tables for alias in table.aliases},
        humans=people,
        breakdowns=parsed.breakdowns,
        coverages=parsed.coverage,
        repeats=parsed.repeats,
        noise=parsed.noise,
        vqabq=parsed.vqabq,
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
