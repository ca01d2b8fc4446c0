"""Putting the options of every suite into the signature of a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_type_hints

import typer

from falter.authoring.options import SUITE_OPTIONS, SuiteOption
from falter.errors import UsageError

__all__ = ["given_settings", "with_suite_options"]

_BEFORE = "suite_"


def with_suite_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with one option more for each that a suite declares; it gets them as keywords.

    An option that two suites declare is offered once.
    """
    signature = inspect.signature(command)
    own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    hints = get_type_hints(command, include_extras=True)
    annotations = {one.name: hints[one.name] for one in own}
    added = []
    for option, suites in _declared().values():
        name = _BEFORE + option.name.replace("-", "_")
        annotations[name] = _annotation(option, suites)
        default: Any = False if option.flag else None
        added.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
    keywords = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotations[one.name]) for one in (*own, *added)
    ]
    command.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    command.__annotations__ = {**annotations, "return": None}
    return command


def given_settings(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The options of suites that the user gave, by name."""
    given: dict[str, Any] = {}
    for option, _ in _declared().values():
        value = keywords.get(_BEFORE + option.name.replace("-", "_"))
        if value not in (None, False, [], ()):
            given[option.name] = tuple(value) if option.repeated else value
    return given


def _declared() -> dict[str, tuple[SuiteOption, list[str]]]:
    declared: dict[str, tuple[SuiteOption, list[str]]] = {}
    for suite in SUITE_OPTIONS.names():
        try:
            options = SUITE_OPTIONS.get(suite)
        except UsageError:
            # Every command comes through here: a package that cannot be loaded may not take them all with it.
            continue
        for option in options:
            declared.setdefault(option.name, (option, []))[1].append(suite)
    return declared


def _annotation(option: SuiteOption, suites: list[str]) -> Any:
    told = f"{option.help} ({', '.join(suites)})"
    if option.flag:
        return Annotated[bool, typer.Option(f"--{option.name}", help=told)]
    written = typer.Option(f"--{option.name}", metavar=option.metavar, help=told)
    return Annotated[list[str] | None if option.repeated else str | None, written]
