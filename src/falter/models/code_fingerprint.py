"""A fingerprint of a function's code, equal in every process of one Python version."""

from __future__ import annotations

import hashlib
from types import CodeType, FunctionType
from typing import Any

__all__ = ["fingerprint_code"]

_PLAIN = (str, bytes, int, float, complex, bool, type(None), type(Ellipsis))


def fingerprint_code(function: FunctionType) -> str:
    """Hash what a function does: its code, and plain values and functions in its defaults and its closure.

    File names and line numbers do not count, nor do the objects that global names stand for.
    """
    return hashlib.sha256(repr(_function(function, set())).encode("utf-8", "surrogatepass")).hexdigest()


def _function(function: FunctionType, seen: set[int]) -> tuple[object, ...]:
    if id(function) in seen:
        return ("recursion", function.__qualname__)
    seen.add(id(function))
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append(_value(cell.cell_contents, seen))
        except ValueError:
            cells.append("empty")
    defaults = (function.__defaults__ or (), sorted((function.__kwdefaults__ or {}).items()))
    return ("function", _code(function.__code__), _value(defaults, seen), cells)


def _code(code: CodeType) -> tuple[object, ...]:
    constants = [_value(constant, set()) for constant in code.co_consts]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return ("code", code.co_code.hex(), constants, names, code.co_flags)


def _value(value: Any, seen: set[int]) -> object:
    if isinstance(value, CodeType):
        return _code(value)
    if isinstance(value, FunctionType):
        return _function(value, seen)
    if type(value) in _PLAIN:
        return (type(value).__name__, repr(value))
    if type(value) is tuple:
        return ("tuple", [_value(part, seen) for part in value])
    if type(value) is frozenset:
        return ("frozenset", sorted(repr(_value(part, seen)) for part in value))
    # What can change while the function runs is no part of its identity.
    return ("object", type(value).__module__, type(value).__qualname__)
