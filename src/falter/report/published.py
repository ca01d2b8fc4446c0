"""The figures that papers published, for models and people, to stand beside a user's own."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec
import yaml

from falter.errors import BadInput

__all__ = ["Note", "Published", "PublishedRow", "load_published", "published_suites"]

_OBFUSCATED = ("acc_masked", "acc_cropped", "acc_blurred_3", "acc_blurred_6", "acc_blurred_9")


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is odd about a table, or about one cell of it."""

    text: str
    system: str | None = None
    measure: str | None = None


class _Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    authors: str
    year: int


class _System(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    kind: Literal["model", "people"]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    test: str
    label: str
    source: str
    rows: dict[str, dict[str, float]]
    aliases: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    suite: str
    source: _Source
    systems: tuple[_System, ...]
    tables: tuple[_Table, ...]


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

    def row(self, test: str, system: str) -> PublishedRow | None:
        """The figures of a system on a test, by the test's name or an alias of it."""
        wanted = self.aliases.get(test, test)
        return next((row for row in self.rows if row.test == wanted and row.system == system), None)

    def people(self, test: str) -> PublishedRow | None:
        """The figures of people on a test."""
        wanted = self.aliases.get(test, test)
        return next((row for row in self.rows if row.test == wanted and row.people), None)


def published_suites() -> list[str]:
    """The suites that have published figures."""
    return sorted(
        entry.name.removesuffix(".yaml")
        for entry in files("falter.report").joinpath("published").iterdir()
        if entry.name.endswith(".yaml")
    )


@cache
def load_published(suite: str) -> Published | None:
    """The published figures for a suite, or None where no paper is stored."""
    if suite not in published_suites():
        return None
    path = files("falter.report").joinpath("published", f"{suite}.yaml")
    try:
        parsed = msgspec.convert(yaml.safe_load(path.read_text("utf-8")), _File)
    except (msgspec.ValidationError, yaml.YAMLError) as error:
        raise BadInput(str(path), f"is not a file of published figures: {error}") from error
    people = {system.name for system in parsed.systems if system.kind == "people"}
    known = {system.name for system in parsed.systems}
    rows = []
    for table in parsed.tables:
        for system, values in table.rows.items():
            if system not in known:
                raise BadInput(str(path), f"names the system {system!r}, which is not listed", record=table.source)
            notes = tuple(note for note in table.notes if note.system in (None, system))
            rows.append(
                PublishedRow(
                    system, system in people, table.test, table.label, table.source, _with_means(values), notes
                )
            )
    source = parsed.source
    return Published(
        suite=parsed.suite,
        reference=f"{source.authors} ({source.year}). {source.title}.",
        systems=tuple(system.name for system in parsed.systems),
        rows=tuple(rows),
        aliases={alias: table.test for table in parsed.tables for alias in table.aliases},
    )


def _with_means(values: dict[str, float]) -> dict[str, float]:
    """Where a paper prints one accuracy for each way of obfuscating, add the means that the other tests have."""
    if not all(name in values for name in _OBFUSCATED):
        return dict(values)
    perturbed = sum(values[name] for name in _OBFUSCATED) / len(_OBFUSCATED)
    means = {"acc_perturbed": round(perturbed, 2), "acc": round((values["acc_original"] + perturbed) / 2, 2)}
    return {**values, **means}
