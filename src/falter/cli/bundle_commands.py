"""The commands of bundles: ``falter BUNDLE COMMAND``, loaded when they are called."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import typer

from falter.bundle import BUNDLES, SuiteBundle
from falter.cli.lazy_group import LazyCommand, lazy_group
from falter.cli.output import note

__all__ = ["plugin_commands", "register"]


def register(app: typer.Typer) -> None:
    """Add a group for each bundle that has commands, and the names that its commands had before."""
    for bundle in BUNDLES.available():
        if not bundle.commands:
            continue
        app.add_typer(_group(bundle), name=bundle.name)
        for name, command in bundle.commands.items():
            if command.old_name:
                _add_old_name(app, bundle, name, command.old_name)


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


def _add_old_name(app: typer.Typer, bundle: SuiteBundle, name: str, old_name: str) -> None:
    """The command under its old name, with a warning, for one version."""
    context = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}

    @app.command(old_name, hidden=True, context_settings=context)
    def old_command(context: typer.Context) -> None:
        note(f"falter {old_name} is now falter {bundle.name} {name}; the old name will go with the next version")
        _run(bundle, name, context.args)


def _run(bundle: SuiteBundle, name: str, arguments: list[str]) -> None:
    run: Callable[..., object] = typer.Typer(
        cls=lazy_group(partial(sorted, bundle.commands), partial(_build, bundle)),
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        callback=_no_options,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    run([name, *arguments], standalone_mode=False, prog_name=f"falter {bundle.name}")
