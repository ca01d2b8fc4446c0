"""The records of the ontology's YAML files, and how several files become one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import yaml

from falter.errors import InputError

__all__ = ["AttributeFamily", "Attributes", "Kind", "Records", "RelationType", "read_records"]

T = TypeVar("T")

_REMEDY = "see the ontology page of the docs"


class Kind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"parents": "is"}):
    """A kind of things; see ``data/kinds.yaml`` for the meaning of the keys."""

    parents: str | list[str] = msgspec.field(default_factory=list)
    plural: str | None = None
    also: list[str] = msgspec.field(default_factory=list)
    number: Literal["count", "mass", "plural"] = "count"
    parts: list[str] = msgspec.field(default_factory=list)
    role: bool = False
    overlaps: list[str] = msgspec.field(default_factory=list)
    sole: bool = False
    unremarked: bool = False
    suggests: list[str] = msgspec.field(default_factory=list)
    asked: bool = True

    @property
    def parent_names(self) -> list[str]:
        return [self.parents] if isinstance(self.parents, str) else self.parents


class AttributeFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A family of attributes; see ``data/attributes.yaml``."""

    values: list[str]
    exclusive: bool = True
    suits: list[str] = msgspec.field(default_factory=lambda: ["thing"])
    unsuited: list[str] = msgspec.field(default_factory=list)
    overlaps: list[list[str]] = msgspec.field(default_factory=list)
    antonyms: list[tuple[str, str]] = msgspec.field(default_factory=list)
    label: str | None = None
    asked: bool = True


class Attributes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All families, antonyms and implications of one file."""

    families: dict[str, AttributeFamily] = msgspec.field(default_factory=dict)
    antonyms: list[tuple[str, str]] = msgspec.field(default_factory=list)
    implies: dict[str, list[str]] = msgspec.field(default_factory=dict)
    before: list[str] = msgspec.field(default_factory=list)
    after: list[str] = msgspec.field(default_factory=list)


class RelationType(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"sort": "class"}):
    """A relation; see ``data/relations.yaml``."""

    sort: Literal["spatial", "contact", "possession", "wearing", "holding", "action", "comparison"]
    inverse: str | None = None
    symmetric: bool = False
    implies: list[str] = msgspec.field(default_factory=list)
    excludes: list[str] = msgspec.field(default_factory=list)
    definite: bool = True
    singly: list[str] = msgspec.field(default_factory=list)
    subjects: list[str] = msgspec.field(default_factory=lambda: ["thing"])
    objects: list[str] = msgspec.field(default_factory=lambda: ["thing"])
    asked: bool = True


class Records(msgspec.Struct, kw_only=True):
    """Everything that the files say, not yet checked against each other."""

    kinds: dict[str, Kind] = msgspec.field(default_factory=dict)
    attributes: Attributes = msgspec.field(default_factory=Attributes)
    relations: dict[str, RelationType] = msgspec.field(default_factory=dict)
    files: dict[str, Path] = msgspec.field(default_factory=dict)
    """Where each kind, relation and family was read, to name the file when something is wrong with it."""


def read_records(folders: Iterable[Path]) -> Records:
    """Read ``kinds*.yaml``, ``attributes*.yaml`` and ``relations*.yaml`` of several folders, later ones adding."""
    records = Records()
    for folder in folders:
        for path in sorted(folder.glob("kinds*.yaml")):
            _add(records, records.kinds, _read_each(path, Kind), path)
        for path in sorted(folder.glob("relations*.yaml")):
            _add(records, records.relations, _read_each(path, RelationType), path)
        for path in sorted(folder.glob("attributes*.yaml")):
            more = _convert(_mapping(path), Attributes, path)
            records.files.update((f"family {name}", path) for name in more.families)
            families = dict(records.attributes.families)
            for name, family in more.families.items():
                known = families.get(name)
                families[name] = family if known is None else _widened(known, family)
            records.attributes = Attributes(
                families=families,
                antonyms=[*records.attributes.antonyms, *more.antonyms],
                implies={**records.attributes.implies, **more.implies},
                before=[*records.attributes.before, *more.before],
                after=[*records.attributes.after, *more.after],
            )
    return records


def _widened(known: AttributeFamily, more: AttributeFamily) -> AttributeFamily:
    return AttributeFamily(
        values=[*known.values, *(value for value in more.values if value not in known.values)],
        exclusive=known.exclusive,
        suits=[*known.suits, *(kind for kind in more.suits if kind not in known.suits)],
        unsuited=[*known.unsuited, *more.unsuited],
        overlaps=[*known.overlaps, *more.overlaps],
        antonyms=[*known.antonyms, *more.antonyms],
        label=known.label,
        asked=known.asked,
    )


def _add(records: Records, known: dict[str, T], more: dict[str, T], path: Path) -> None:
    for name, record in more.items():
        if name in known and known[name] != record:
            raise InputError(path, "is defined differently elsewhere already", record=repr(name), hint="rename it")
        known[name] = record
        records.files.setdefault(f"{type(record).__name__} {name}", path)


def _read_each(path: Path, form: type[T]) -> dict[str, T]:
    found: dict[str, T] = {}
    for name, record in _mapping(path).items():
        if not isinstance(name, str):
            raise InputError(
                path, "is not a name", record=repr(name), hint='YAML reads it so: write it in quotes, "on"'
            )
        found[name] = _convert(record, form, path, record=repr(name))
    return found


def _mapping(path: Path) -> dict[Any, Any]:
    try:
        data: Any = yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(path, f"is not YAML: {' '.join(str(error).split())}", hint=_REMEDY) from error
    if not isinstance(data, dict):
        raise InputError(path, f"must hold named records, not a {type(data).__name__}", hint=_REMEDY)
    return {key: {} if value is None else value for key, value in data.items()}


def _convert(data: Any, form: type[T], path: Path, record: str | None = None) -> T:
    try:
        return msgspec.convert(data, form)
    except msgspec.ValidationError as error:
        raise InputError(path, f"has a wrong record: {error}", record=record, hint=_REMEDY) from error
