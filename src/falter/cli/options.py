"""Options of commands: those that several share, those that a struct declares, and which need or exclude others.

A field of a struct becomes one option: its type and default are the struct's, its help the description of its
``Meta``; see :mod:`falter.generation.authoring.options` for what ``Meta.extra`` may hold. An option that has no effect
without another is declared at the command and refused by its parser.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
import typer

from falter.cli.help_layout import RARE
from falter.core.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])
Conditions = str | tuple[str, ...]
"""``--blind``: the option is given, or on; ``--as training``: it has this value, or one of this pattern."""


class OptionRule(NamedTuple):
    """When an option has an effect: with one of some others, or with none of them."""

    option: str
    needs: bool
    conditions: tuple[str, ...]


def option_rules(
    *, needs: Mapping[str, Conditions] | None = None, idle_with: Mapping[str, Conditions] | None = None
) -> Callable[[F], F]:
    """Declare of options of a command with which others alone they have an effect, or with which they have none."""
    rules = tuple(
        OptionRule(option, is_need, (given,) if isinstance(given, str) else given)
        for is_need, declared in ((True, needs), (False, idle_with))
        for option, given in (declared or {}).items()
    )

    def declare(command: F) -> F:
        command.option_rules = (*rules_of(command), *rules)  # type: ignore[attr-defined]
        return command

    return declare


def declared_needs(struct: type[msgspec.Struct]) -> dict[str, Conditions]:
    """By option the others without which it has no effect, as the fields of a struct declare them."""
    return {
        _option(name, extra): tuple(extra["needs"])
        for name, (_, _, extra) in declared_fields(struct).items()
        if "needs" in extra
    }


def rules_of(command: Any) -> tuple[OptionRule, ...]:
    """The rules that were declared for the function of a command."""
    found: tuple[OptionRule, ...] = getattr(command, "option_rules", ())
    return found


def refuse_idle_options(context: Any) -> None:
    """Stop where the words of a command have an option that would be ignored."""
    parameters = {name: one for one in context.command.params for name in (*one.opts, *one.secondary_opts)}
    for option, needs, conditions in rules_of(context.command.callback):
        parameter = parameters.get(option)
        if parameter is None or context.get_parameter_source(parameter.name).name.startswith("DEFAULT"):
            continue
        met = next(_met(conditions, parameters, context.params), None)
        if needs and met is None:
            raise UsageError(f"{option} has no effect without {' or '.join(conditions)}; add it, or leave {option} out")
        if not needs and met is not None:
            raise UsageError(f"{option} has no effect with {met}; leave one of them out")


def _met(conditions: tuple[str, ...], parameters: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[str]:
    for condition in conditions:
        option, _, pattern = condition.partition(" ")
        if option not in parameters:
            continue
        value = values.get(parameters[option].name)
        several = value if isinstance(value, list | tuple) else [value]
        if any(fnmatchcase(str(one), pattern) for one in several) if pattern else bool(value):
            yield condition


def with_struct_options(
    command: Callable[..., None],
    struct: type[msgspec.Struct] | None,
    into: str = "given",
    left_out: Collection[str] = (),
    only: Collection[str] | None = None,
) -> Callable[..., None]:
    """The command with one option more for each field of the struct; it gets those that were given as a dictionary.

    The parameter named by ``into`` takes them and is no option itself. Parameters and fields named in ``left_out`` are
    no options and keep their defaults; ``only`` names the fields that are options, where not all are.
    """
    hints = get_type_hints(command, include_extras=True)
    named = inspect.signature(command).parameters
    own = [one for one in named.values() if one.name != into and one.name not in left_out]
    takes = into in named
    fields = [] if struct is None else _parameters(struct, left_out)
    added = [one for one in fields if only is None or one.name in only]

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


def _parameters(struct: type[msgspec.Struct], left_out: Collection[str]) -> list[inspect.Parameter]:
    defaults = {field.name: field.default for field in msgspec.structs.fields(struct)}
    found = []
    for name, (declared, description, extra) in declared_fields(struct).items():
        if name in left_out or extra.get("python"):
            continue
        kind = extra.get("type", declared)
        default, typed = defaults[name], kind
        if get_origin(kind) in (Union, UnionType) and any(get_origin(one) is Literal for one in get_args(kind)):
            # A number or a word: whoever builds the struct says what is wrong with it.
            typed = kind if len(get_args(kind)) == 2 else str | None
        if get_origin(kind) is tuple:
            default, typed = None, list[get_args(kind)[0]] | None  # type: ignore[misc]
        written = typer.Option(
            str(extra.get("flag") or _option(name, extra)),
            metavar=extra.get("metavar") or _choices(kind),
            help=description,
            min=extra.get("min"),
            show_default="Default:" not in description,
            rich_help_panel=RARE if extra.get("rare") else None,
        )
        found.append(
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[typed, written]
            )
        )
    return found


def declared_fields(struct: type[msgspec.Struct]) -> dict[str, tuple[Any, str, dict[str, Any]]]:
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


SuiteFolder = Annotated[
    Path | None, typer.Option("--suite", metavar="DIR", help="The suite's folder, if it has moved since the run.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


ImageDir = Annotated[
    Path | None,
    typer.Option(
        "--image-dir", metavar="DIR", help="Read images from here too. Default: from the suite's own folder alone."
    ),
]
