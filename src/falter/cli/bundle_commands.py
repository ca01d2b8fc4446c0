"""The commands of bundles: ``falter BUNDLE COMMAND``, loaded when they are called."""

from __future__ import annotations

from functools import partial
from typing import Any

import typer

from falter.bundle import BUNDLES, SuiteBundle
from falter.cli.lazy_group import LazyCommand, lazy_group

__all__ = ["plugin_commands", "register"]


def register(app: typer.Typer) -> None:
    """Add a group for each bundle that has commands."""
    for bundle in BUNDLES.available():
        if bundle.commands:
            app.add_typer(_group(bundle), name=bundle.name)


def plugin_commands(name: str) -> Any:
    """The commands of a bundle that a plugin has added since the program was built; None if it has none."""
    for bundle in BUNDLES.available():
        if bundle.name == name and bundle.commands:
            return typer.main.get_command(_group(bundle))
    return None


def _group(bundle: SuiteBundle) -> typer.Typer:
    group = typer.Typer(
        name=bundle.name,
        cls=lazy_group(partial(sorted, bundle.commands), partial(_build, bundle)),
        help=_say_what_it_does(bundle),
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    group.callback()(_no_options)
    return group


def _say_what_it_does(bundle: SuiteBundle) -> str:
    """What the commands of a group do, in one sentence."""
    first, *others = [
        command.help.partition("\n")[0].removesuffix(".") for _, command in sorted(bundle.commands.items())
    ]
    return "; ".join([first, *(one[:1].lower() + one[1:] for one in others)]) + "."


def _no_options() -> None:
    pass


def _build(bundle: SuiteBundle, name: str) -> LazyCommand:
    return LazyCommand(bundle.load_command(name), bundle.commands[name].help if name in bundle.commands else "")
