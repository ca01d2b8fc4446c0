"""The records of the ontology's YAML files, and how several files become one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from falter.core.errors import InputError
from falter.core.files import read_yaml

T = TypeVar("T", bound=msgspec.Struct)

_HINT = "see the ontology page of the docs"


class Kind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"parents": "is"}):
    """A kind of things; see ``data/kinds.yaml`` for the meaning of the keys."""

    parents: str | list[str] = msgspec.field(default_factory=list)
    plural: str | None = None
    synonyms: list[str] = msgspec.field(default_factory=list)
    number: Literal["count", "mass", "plural"] = "count"
    parts: list[str] = msgspec.field(default_factory=list)
    role: bool = False
    overlaps: list[str] = msgspec.field(default_factory=list)
    unique: bool = False
    often_unannotated: bool | None = None
    """None: as the kinds it belongs to."""
    vague: bool = False
    unspecific: bool = False
    disputed: list[str] = msgspec.field(default_factory=list)
    implies_nearby: list[str] = msgspec.field(default_factory=list)
    occupants: list[str] = msgspec.field(default_factory=list)
    stands_on: list[str] = msgspec.field(default_factory=list)
    fixtures: list[str] = msgspec.field(default_factory=list)
    backdrop: bool = False
    imitates: list[str] = msgspec.field(default_factory=list)
    imitated_by: list[str] = msgspec.field(default_factory=list)
    shows_images: bool = False
    askable: bool = True

    @property
    def parent_names(self) -> list[str]:
        return [self.parents] if isinstance(self.parents, str) else self.parents


class AttributeFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A family of attributes; see ``data/attributes.yaml``."""

    values: list[str]
    exclusive: bool = True
    applies_to: list[str] = msgspec.field(default_factory=lambda: ["thing"])
    not_applicable_to: list[str] = msgspec.field(default_factory=list)
    overlaps: list[list[str]] = msgspec.field(default_factory=list)
    antonyms: list[tuple[str, str]] = msgspec.field(default_factory=list)
    label: str | None = None
    label_of: bool = True
    """Whether its values are said of the label: the color of a cup is red, but the length of a curtain is not short."""
    label_what: bool = True
    """Whether the label asks for a value: "what color is it" is said, "what length is it, long or short" is not."""
    doing: bool = False
    """Whether its values are what somebody does or how somebody holds the body."""
    askable: bool = True
    told_by: list[str] = msgspec.field(default_factory=list)
    """Other families that give a value of this one away."""
    told_by_relations: list[str] = msgspec.field(default_factory=list)
    """Values that a relation which begins with the word tells of: "sitting on" tells of sitting."""
    leaves_open: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Other families of which a thing with one of these values may have several: what is striped has two colors."""


class Attributes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All families, antonyms and implications of one file."""

    families: dict[str, AttributeFamily] = msgspec.field(default_factory=dict)
    antonyms: list[tuple[str, str]] = msgspec.field(default_factory=list)
    implies: dict[str, list[str]] = msgspec.field(default_factory=dict)
    attributive_only: list[str] = msgspec.field(default_factory=list)
    predicative_only: list[str] = msgspec.field(default_factory=list)


class RelationType(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"relation_class": "class"}
):
    """A relation; see ``data/relations.yaml``."""

    relation_class: Literal["spatial", "contact", "possession", "wearing", "holding", "action", "comparison"]
    inverse: str | None = None
    symmetric: bool = False
    implies: list[str] = msgspec.field(default_factory=list)
    excludes: list[str] = msgspec.field(default_factory=list)
    definite: bool = True
    one_at_a_time: list[str] = msgspec.field(default_factory=list)
    subjects: list[str] = msgspec.field(default_factory=lambda: ["thing"])
    objects: list[str] = msgspec.field(default_factory=lambda: ["thing"])
    image: Literal["first", "second", "always"] | None = None
    askable: bool = True


class Records(msgspec.Struct, kw_only=True):
    """The content of all files, before it is checked for consistency."""

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
            more = _read_attributes(path)
            records.files.update((f"family {name}", path) for name in more.families)
            families = dict(records.attributes.families)
            for name, family in more.families.items():
                known = families.get(name)
                families[name] = family if known is None else _merge_families(known, family)
            records.attributes = Attributes(
                families=families,
                antonyms=[*records.attributes.antonyms, *more.antonyms],
                implies={**records.attributes.implies, **more.implies},
                attributive_only=[*records.attributes.attributive_only, *more.attributive_only],
                predicative_only=[*records.attributes.predicative_only, *more.predicative_only],
            )
    return records


def _merge_families(known: AttributeFamily, more: AttributeFamily) -> AttributeFamily:
    return AttributeFamily(
        values=[*known.values, *(value for value in more.values if value not in known.values)],
        exclusive=known.exclusive,
        applies_to=[*known.applies_to, *(kind for kind in more.applies_to if kind not in known.applies_to)],
        not_applicable_to=[*known.not_applicable_to, *more.not_applicable_to],
        overlaps=[*known.overlaps, *more.overlaps],
        antonyms=[*known.antonyms, *more.antonyms],
        label=known.label,
        label_of=known.label_of,
        label_what=known.label_what,
        doing=known.doing,
        askable=known.askable,
        told_by=[*known.told_by, *more.told_by],
        told_by_relations=[*known.told_by_relations, *more.told_by_relations],
        leaves_open={
            name: [*known.leaves_open.get(name, ()), *more.leaves_open.get(name, ())]
            for name in (*known.leaves_open, *more.leaves_open)
        },
    )


def _add(records: Records, known: dict[str, T], more: dict[str, T], path: Path) -> None:
    for name, record in more.items():
        if name in known and known[name] != record:
            raise InputError(path, "is already defined differently elsewhere", record=repr(name), hint="rename it")
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


def _read_attributes(path: Path) -> Attributes:
    return _convert(_mapping(path), Attributes, path)


def _mapping(path: Path) -> dict[Any, Any]:
    data: Any = read_yaml(path, what="YAML", hint=_HINT) or {}
    if not isinstance(data, dict):
        raise InputError(path, f"must hold named records, not a {type(data).__name__}", hint=_HINT)
    return {key: {} if value is None else value for key, value in data.items()}


def _convert(data: Any, form: type[T], path: Path, record: str | None = None) -> T:
    try:
        return msgspec.convert(data, form)
    except msgspec.ValidationError as error:
        raise InputError(path, f"has a wrong record: {error}", record=record, hint=_HINT) from error
