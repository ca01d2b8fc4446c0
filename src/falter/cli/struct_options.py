"""Options of the command line from a struct that declares them.

A field becomes one option: its type and default are the struct's, its help the description of its ``Meta``. See
:mod:`falter.authoring.options` for what ``Meta.extra`` may hold.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Collection
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import typer

__all__ = ["with_struct_options"]


def with_struct_options(
    command: Callable[..., None],
    struct: type[msgspec.Struct] | None,
    into: str = "given",
    left_out: Collection[str] = (),
) -> Callable[..., None]:
    """The command with one option more for each field of the struct; it gets those that were given as a dictionary.

    The parameter named by ``into`` takes them and is no option itself. Parameters named in ``left_out`` are
    no options and keep their defaults.
    """
    hints = get_type_hints(command, include_extras=True)
    named = inspect.signature(command).parameters
    own = [one for one in named.values() if one.name != into and one.name not in left_out]
    takes = into in named
    added = [] if struct is None else _parameters(struct)

    @functools.wraps(command)
    def run(**values: Any) -> None:
        given = {}
        for one in added:
            value = values.pop(one.name)
            if value != one.default and value is not None:
                given[one.name] = tuple(value) if isinstance(value, list) else value
        command(**values, **({into: given} if takes else {}))

    parameters = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints.get(one.name, one.annotation)) for one in own
    ]
    run.__signature__ = inspect.Signature([*parameters, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in (*parameters, *added)} | {"return": None}
    return run


def _parameters(struct: type[msgspec.Struct]) -> list[inspect.Parameter]:
    defaults = {field.name: field.default for field in msgspec.structs.fields(struct)}
    found = []
    for name, (kind, description, extra) in _declared(struct).items():
        default, typed = defaults[name], kind
        if get_origin(kind) is tuple:
            default, typed = None, list[get_args(kind)[0]] | None  # type: ignore[misc]
        written = typer.Option(
            str(extra.get("flag") or _option(name, extra)),
            metavar=extra.get("metavar") or _choices(kind),
            help=description,
            show_default="Default:" not in description,
        )
        found.append(
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[typed, written]
            )
        )
    return found


def _declared(struct: type[msgspec.Struct]) -> dict[str, tuple[Any, str, dict[str, Any]]]:
    """By field its type, its description and its extra, in the order of declaration."""
    hints = get_type_hints(struct, include_extras=True)
    found: dict[str, tuple[Any, str, dict[str, Any]]] = {}
    for field in msgspec.structs.fields(struct):
        kind = hints[field.name]
        description = ""
        extra: dict[str, Any] = {}
        if get_origin(kind) is Annotated:
            kind, *marks = get_args(kind)
            for meta in marks:
                if isinstance(meta, msgspec.Meta):
                    description, extra = meta.description or description, meta.extra or extra
        found[field.name] = _plain(kind), description, dict(extra)
    return found


def _plain(kind: Any) -> Any:
    """A type without the constraints of its parts, which are checked when the struct is built."""
    if get_origin(kind) is Annotated:
        return _plain(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return functools.reduce(operator.or_, (_plain(one) for one in get_args(kind)))
    return kind


def _option(name: str, extra: dict[str, Any]) -> str:
    return str(extra.get("option") or f"--{name.replace('_', '-')}")


def _choices(kind: Any) -> str | None:
    """The values of a Literal, as the help shows them."""
    if get_origin(kind) in (Union, UnionType):
        kinds = [one for one in get_args(kind) if one is not NoneType]
        kind = kinds[0] if len(kinds) == 1 else kind
    return "|".join(map(str, get_args(kind))) if get_origin(kind) is Literal else None
