"""What stands for a value in ``--help`` and in the usage line: one word in capitals, or the values there are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

__all__ = ["OFFERED", "argument_name", "name_values"]

_BY_OPTION = {"--seed": "S", "--test": "NAME", "--split": "NAME", "--out": "DIR", "--port": "PORT"}
OFFERED = {
    "--device": ("auto", "cpu", "cuda"),
    "--dtype": ("auto", "float32", "float16", "bfloat16", "mixed"),
    "--prompt": ("standard", "plain", "tagged"),
}
"""What a shell offers where a placeholder lists no values."""
_BY_TYPE = {int: "N", float: "X", Path: "PATH", str: "TEXT"}


def name_values(parameters: Iterable[Any], function: Any) -> None:
    """Give a placeholder to each argument and option of a command that has none of its own."""
    hints: dict[str, Any] | None = None
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            # Dots say that there may be several.
            several = "S" if parameter.metavar is None and parameter.nargs != 1 else ""
            named = (parameter.metavar or parameter.name or "").upper().replace("[", "").replace("]", "")
            parameter.metavar = named.removesuffix("...").removesuffix(several)
            continue
        if getattr(parameter, "is_flag", False) or getattr(parameter, "count", False):
            continue
        if parameter.metavar is not None:
            _complete_values(parameter)
            continue
        if hints is None:
            hints = get_type_hints(function, include_extras=False) if function is not None else {}
        named = next((_BY_OPTION[option] for option in parameter.opts if option in _BY_OPTION), None)
        parameter.metavar = named or _word(hints.get(parameter.name))


def _complete_values(parameter: Any) -> None:
    """Let a shell complete the values that a placeholder lists, such as svg|pdf|png, or that are known otherwise."""
    known = next((OFFERED[option] for option in parameter.opts if option in OFFERED), ())
    listed = parameter.metavar.split("|") if "|" in parameter.metavar else []
    values = [*known] or [value for value in listed if value != value.upper()]
    if values and parameter._custom_shell_complete is None:
        parameter._custom_shell_complete = lambda _context, _parameter, begun: [
            value for value in values if value.startswith(begun)
        ]


def argument_name(parameter: Any) -> str:
    """An argument in the usage line: in brackets where it may be left out, with dots where there may be several.

    >>> from types import SimpleNamespace
    >>> argument_name(SimpleNamespace(metavar="RUN", required=False, nargs=-1))
    '[RUN]...'
    """
    word = parameter.metavar if parameter.required else f"[{parameter.metavar}]"
    return f"{word}..." if parameter.nargs != 1 else word


def _word(hint: Any) -> str:
    """The placeholder of a type; the first of several, apart from None.

    >>> _word(int | None), _word(list[Path]), _word(Literal["a", "b"])
    ('N', 'PATH', 'a|b')
    """
    if get_origin(hint) is Annotated or get_origin(hint) in (list, tuple):
        return _word(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return _word(next(one for one in get_args(hint) if one is not NoneType))
    if get_origin(hint) is Literal:
        return "|".join(map(str, get_args(hint)))
    return _BY_TYPE.get(hint, "TEXT")
