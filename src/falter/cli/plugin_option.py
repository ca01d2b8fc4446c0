"""``--plugin-dir``: every command has it, and what it names is loaded before a command is looked up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from falter.cli.option_groups import WholeSentences, group_options, write_help
from falter.cli.option_rules import refuse_idle_options
from falter.cli.placeholders import argument_name, name_values
from falter.errors import UsageError

__all__ = ["PLUGIN_DIR", "PluginDirs", "PluginGroup", "add_plugin_option"]

PLUGIN_DIR = "--plugin-dir"

PluginDirs = Annotated[
    list[Path] | None,
    typer.Option(PLUGIN_DIR, metavar="DIR", help="A folder with your own Python or YAML; may be repeated."),
]
"""For a command that needs the folders themselves; to the others the option is added."""


def add_plugin_option(app: typer.Typer) -> None:
    """Give ``--plugin-dir`` to every command of a program that does not declare it."""
    for command in app.registered_commands:
        command.cls = _PluginCommand
    for group in app.registered_groups:
        if group.typer_instance is not None:
            add_plugin_option(group.typer_instance)


class PluginGroup(WholeSentences):
    """A program that loads the plugins which its arguments name before it looks up a command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _load_named_plugins(args)
        return super().parse_args(ctx, args)


class _PluginCommand(TyperCommand):
    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        if all(PLUGIN_DIR not in parameter.opts for parameter in self.params):
            self.params.append(_option())
        name_values(self.params, self.callback)

    def invoke(self, ctx: Any) -> Any:
        refuse_idle_options(ctx)
        return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        own = [argument_name(one) for one in self.get_params(ctx) if one.param_type_name == "argument"]
        return [self.options_metavar or "", *own]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as click calls it
        write_help(self, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        group_options(self, ctx, formatter)


def _option() -> Any:
    """The option by itself; its value goes to no command."""

    def declare(plugin_dir: PluginDirs = None) -> None: ...

    app = typer.Typer(add_completion=False)
    app.command()(declare)
    (option,) = typer.main.get_command(app).params
    option.expose_value = False
    return option


def _load_named_plugins(arguments: Sequence[str]) -> None:
    from falter.plugins import load_plugins

    folders = []
    waiting = False
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if waiting:
            folders.append(Path(argument))
            waiting = False
        elif argument == "--":
            break
        elif name == PLUGIN_DIR:
            if equals:
                folders.append(Path(value))
            else:
                waiting = True
    if waiting:
        raise UsageError(f"{PLUGIN_DIR} needs a folder")
    load_plugins(folders)
