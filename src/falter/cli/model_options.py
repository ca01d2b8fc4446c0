"""Model options on the command line: the few that have an option of their own, and the others by ``-M KEY=VALUE``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
import typer

from falter.api.options import ModelOptions
from falter.cli.help_layout import MODEL_KEYS
from falter.cli.options import declared_fields, with_struct_options
from falter.core.errors import UsageError


def _complete_key(incomplete: str) -> list[str]:
    return [f"{name}=" for name in ModelOptions.__struct_fields__ if name.startswith(incomplete)]


ModelKeys = Annotated[
    list[str] | None,
    typer.Option(
        MODEL_KEYS,
        metavar="KEY=VALUE",
        autocompletion=_complete_key,
        help="A model option of --help-all, e.g. dtype=float16; may be repeated.",
    ),
]


def with_model_options(
    command: Callable[..., None], fields: Collection[str], into: str = "model_options"
) -> Callable[..., None]:
    """The command with an option for each of these model options; ``into`` gets those that were given."""
    return with_struct_options(command, ModelOptions, into=into, left_out={*ModelOptions.__struct_fields__} - {*fields})


def collect_model_options(keys: Sequence[str] | None, given: dict[str, Any]) -> dict[str, Any]:
    """The model options of a command: those of ``-M`` besides those that were ``given`` as options of their own."""
    options = dict(given)
    for text in keys or ():
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"{MODEL_KEYS} takes KEY=VALUE, not {text!r}; {_available()}")
        declared = declared_fields(ModelOptions)
        if key not in declared:
            raise UsageError(f"there is no model option {key!r}; {_available()}")
        if key in options:
            raise UsageError(f"the model option {key} is given twice; leave one of them out")
        options[key] = _parse_value(key, value, declared[key][0])
    return options


def _parse_value(key: str, value: str, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind, strict=False, dec_hook=lambda wanted, text: wanted(text))
    except msgspec.ValidationError:
        raise UsageError(f"{MODEL_KEYS} {key}={value}: {key} is {_describe_kind(kind)}") from None


_KINDS = {bool: "true or false", int: "a whole number", float: "a number", Path: "a path", str: "a text"}


def _describe_kind(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " or ".join(map(str, get_args(kind)))
    return next(words for one, words in _KINDS.items() if one is kind or one in get_args(kind))


def _available() -> str:
    return f"available: {', '.join(ModelOptions.__struct_fields__)}"


def model_key_rows() -> Iterator[tuple[str, str]]:
    """Every key with what stands for its value, and what it means."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(ModelOptions)}
    for name, (kind, description, extra) in declared_fields(ModelOptions).items():
        values = "|".join(map(str, get_args(kind))) if get_origin(kind) is Literal else "true|false"
        default = defaults[name]
        shown = str(default).lower() if isinstance(default, bool) else default
        more = "" if default is None or "efault: " in description else f"  [default: {shown}]"
        yield f"{name}={extra.get('metavar') or values}", f"{description}{more}"
