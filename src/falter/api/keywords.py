"""Options that a struct declares as keywords of a function: its signature and its reference show them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

F = TypeVar("F", bound=Callable[..., Any])


def takes_options(struct: type[msgspec.Struct], without: Collection[str] = ()) -> Callable[[F], F]:
    """Show the fields of a struct in the signature of a function that takes them by ``**options``.

    Fields named in ``without`` are no keywords. ``function.options_struct`` is the struct.
    """

    def declare(function: F) -> F:
        signature = inspect.signature(function)
        hints = get_type_hints(struct, include_extras=True)
        own = list(signature.parameters.values())
        others = [one for one in own if one.kind is inspect.Parameter.VAR_KEYWORD]
        added = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=_name_type(hints[field.name]),
            )
            for field in msgspec.structs.fields(struct)
            if field.name not in without and field.name not in signature.parameters
        ]
        rest = [one for one in own if one not in others]
        # The function itself is called as before: only what is shown changes.
        function.__signature__ = signature.replace(parameters=[*rest, *added, *others])  # type: ignore[attr-defined]
        function.options_struct = struct  # type: ignore[attr-defined]
        return function

    return declare


def split_options(struct: type[msgspec.Struct], given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is given for the fields of a struct, and the rest."""
    fields = {field.name for field in msgspec.structs.fields(struct)}
    own = {name: value for name, value in given.items() if name in fields}
    return own, {name: value for name, value in given.items() if name not in fields}


def _name_type(kind: Any) -> str:
    """A type as it is written in code, without its description.

    >>> _name_type(Annotated[int | None, "a number"]), _name_type(tuple[str, ...])
    ('int | None', 'tuple[str, ...]')
    """
    if get_origin(kind) is Annotated:
        return _name_type(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return " | ".join(map(_name_type, get_args(kind)))
    return "None" if kind is NoneType else re.sub(r"\b(typing|pathlib)\.", "", inspect.formatannotation(kind))
