"""What the columns of a table are called: ``ROLE=NAME`` on the command line, or a small YAML file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from falter.errors import InputError, UsageError
from falter.files.yaml_reading import read_yaml

__all__ = ["parse_columns", "read_columns_file"]

_REMEDY = "write columns: and below it lines such as question: NAME"


def parse_columns(given: Iterable[str], roles: Collection[str], what: str) -> dict[str, str]:
    """By role the name of its column, from texts such as ``question=q``; an empty name stands for no column.

    >>> parse_columns(["question=q"], ["question", "answer"], "a table")
    {'question': 'q'}
    """
    found: dict[str, str] = {}
    for one in given:
        role, equals, name = one.partition("=")
        if not equals:
            raise UsageError(f"--column {one!r:.60} is not ROLE=NAME, such as --column question=q")
        if role in found and found[role] != name:
            raise UsageError(f"--column names two columns for {role}: {found[role]!r:.60} and {name!r:.60}")
        found[_known(role, roles, what)] = name
    return found


def _known(role: str, roles: Collection[str], what: str) -> str:
    if role not in roles:
        raise UsageError(f"{what} has no column role {role!r:.60}: there are {', '.join(roles)}")
    return role


def read_columns_file(path: Path, roles: Collection[str], settings: Collection[str]) -> dict[str, Any]:
    """A YAML file with ``columns`` (by role the name of a column) and perhaps other settings.

    The result has ``columns``, and each of ``settings`` that the file has.
    """
    found: Any = read_yaml(path, what="a mapping of columns", hint=_REMEDY, plain_words=True)
    if not isinstance(found, Mapping) or not isinstance(found.get("columns", {}), Mapping):
        raise InputError(path, "is not a mapping of columns", hint=_REMEDY)
    for key in found:
        if key != "columns" and key not in settings:
            known = ", ".join(("columns", *settings))
            raise InputError(path, f"has the key {str(key)!r:.60}", hint=f"there are {known}")
    columns: dict[str, str] = {}
    for role, name in found.get("columns", {}).items():
        if role not in roles:
            raise InputError(path, f"has the column role {str(role)!r:.60}", hint=f"there are {', '.join(roles)}")
        if name is not None and not isinstance(name, str | int):
            raise InputError(path, f"names no column for {role}", hint=_REMEDY)
        columns[role] = "" if name is None else str(name)
    return {**found, "columns": columns}
