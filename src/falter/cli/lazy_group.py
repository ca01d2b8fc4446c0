"""Groups of commands whose subcommands are built when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import Any

import typer
from typer.core import TyperGroup

from falter.cli.option_groups import WholeSentences
from falter.cli.plugin_option import add_plugin_option

__all__ = ["LazyCommand", "lazy_group"]


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
