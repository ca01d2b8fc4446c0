"""Groups of commands whose subcommands are built when they are asked for, those of bundles among them.

Every command has ``--plugin-dir``, and what it names is loaded before a command is looked up: a plugin may add bundles,
whose commands are ``falter BUNDLE COMMAND``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from falter.cli.help_layout import (
    MODEL_KEYS,
    WholeSentences,
    argument_name,
    group_options,
    help_all_option,
    is_rare,
    name_values,
    shows_all,
    write_help,
    write_section,
)
from falter.cli.options import refuse_idle_options
from falter.core.bundle import BUNDLES, SuiteBundle
from falter.core.errors import UsageError

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
        if any(is_rare(parameter) for parameter in self.params) or any(MODEL_KEYS in one.opts for one in self.params):
            self.params.append(help_all_option())
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
        if shows_all(ctx) and any(MODEL_KEYS in one.opts for one in self.params):
            from falter.cli.model_options import model_key_rows

            write_section(formatter, f"Keys of {MODEL_KEYS}", model_key_rows())


def _option() -> Any:
    """The option by itself; its value goes to no command."""

    def declare(plugin_dir: PluginDirs = None) -> None: ...

    app = typer.Typer(add_completion=False)
    app.command()(declare)
    (option,) = typer.main.get_command(app).params
    option.expose_value = False
    return option


def _load_named_plugins(arguments: Sequence[str]) -> None:
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
    if folders:
        from falter.core.plugins import load_plugins

        load_plugins(folders)


class LazyCommand:
    """A subcommand: its function and its help."""

    def __init__(self, function: Callable[..., None], help_text: str) -> None:
        self.function = function
        self.help = help_text


class _Commands(MutableMapping[str, Any]):
    """The subcommands by name, each built when it is first asked for."""

    def __init__(self, names: Callable[[], Iterable[str]], build: Callable[[str], LazyCommand]) -> None:
        self._names = names
        self._build = build
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            found = self._build(name)
            app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
            app.command(name, help=found.help)(found.function)
            add_plugin_option(app)
            self._built[name] = typer.main.get_command(app)
        return self._built[name]

    def __contains__(self, name: object) -> bool:
        return name in set(self._names())

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._names()))

    def __len__(self) -> int:
        return len(set(self._names()))

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]


def lazy_group(names: Callable[[], Iterable[str]], build: Callable[[str], LazyCommand]) -> type[TyperGroup]:
    """A group class for ``typer.Typer(cls=...)``.

    An unknown name goes to ``build``, whose error says which there are.
    """

    class LazyGroup(WholeSentences):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            self.lazy = _Commands(names, build)
            self.commands = self.lazy

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ARG002 - as click calls it
            name, *rest = args
            return name, self.lazy[name], rest

    return LazyGroup


def add_bundles(app: typer.Typer) -> None:
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
        cls=lazy_group(partial(sorted, bundle.commands), partial(_build_bundle_command, bundle)),
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


def _build_bundle_command(bundle: SuiteBundle, name: str) -> LazyCommand:
    return LazyCommand(bundle.load_command(name), bundle.commands[name].help if name in bundle.commands else "")
