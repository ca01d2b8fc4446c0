"""Compiles the ``meaning`` of a template: an expression of queries over slots, such as ``Not(Exists(x))``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from falter.scene import Choose, HasAttribute, IsKind, ObjectDescription, Option, Query
from falter.scene import query as query_module

__all__ = ["Meaning", "MeaningError", "compile_meaning", "parse_meaning"]


class MeaningError(ValueError):
    """An expression that is not a query."""


def _choose_kind(of: ObjectDescription, choices: tuple[str, ...]) -> Query:
    return Choose(tuple(Option(kind, IsKind(of, kind)) for kind in choices))


def _choose_attribute(of: ObjectDescription, choices: tuple[str, ...]) -> Query:
    return Choose(tuple(Option(value, HasAttribute(of, value)) for value in choices))


FORMS: dict[str, Callable[..., Query]] = {
    **{
        name: form
        for name in query_module.__all__
        if isinstance(form := getattr(query_module, name), type) and issubclass(form, Query)
    },
    "And": lambda *parts: query_module.And(parts),
    "Or": lambda *parts: query_module.Or(parts),
    "ChooseKind": _choose_kind,
    "ChooseAttribute": _choose_attribute,
}
"""The functions that a meaning may call."""


@lru_cache(maxsize=1024)
def parse_meaning(text: str) -> ast.expr:
    """The expression in a meaning."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise MeaningError(f"{text!r} is not a meaning: {error.msg}") from error


Meaning = Callable[[Mapping[str, Any]], Query]
"""Returns the query for given slots."""


@lru_cache(maxsize=1024)
def compile_meaning(text: str) -> Meaning:
    """What a meaning says of any slots; raises :class:`MeaningError` for an expression that no slots make a query."""
    return _reader(parse_meaning(text))


def _reader(node: ast.expr) -> Callable[[Mapping[str, Any]], Any]:
    match node:
        case ast.Name(id=name):

            def slot(slots: Mapping[str, Any]) -> Any:
                try:
                    return slots[name]
                except KeyError:
                    raise MeaningError(f"cannot understand {name!r} in a meaning") from None

            return slot
        case ast.Constant(value=value) if isinstance(value, str | int):
            return lambda slots: value  # noqa: ARG005
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FORMS:
            form = FORMS[name]
            readers = [_reader(argument) for argument in arguments]
            return lambda slots: form(*[reader(slots) for reader in readers])
    raise MeaningError(f"cannot understand {ast.unparse(node)!r} in a meaning")
