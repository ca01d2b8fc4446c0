"""Meanings as templates write them: an expression of queries over slots, such as ``Not(Exists(x))``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from falter.scene import Choose, HasAttribute, IsKind, Option, Query, Selection
from falter.scene import query as query_module

__all__ = ["MeaningError", "evaluate", "parse_meaning"]


class MeaningError(ValueError):
    """An expression that is no query."""


def _choose_kind(of: Selection, choices: tuple[str, ...]) -> Query:
    return Choose(tuple(Option(kind, IsKind(of, kind)) for kind in choices))


def _choose_attribute(of: Selection, choices: tuple[str, ...]) -> Query:
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
"""What may be called in a meaning."""


@lru_cache(maxsize=1024)
def parse_meaning(text: str) -> ast.expr:
    """The expression in a meaning."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise MeaningError(f"{text!r} is not a meaning: {error.msg}") from error


def evaluate(node: ast.expr, slots: Mapping[str, Any]) -> Any:
    """The query that an expression gives with these slots."""
    match node:
        case ast.Name(id=name) if name in slots:
            return slots[name]
        case ast.Constant(value=value) if isinstance(value, str | int):
            return value
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FORMS:
            return FORMS[name](*(evaluate(argument, slots) for argument in arguments))
    raise MeaningError(f"cannot understand {ast.unparse(node)!r} in a meaning")
