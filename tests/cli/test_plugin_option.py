"""``--plugin-dir`` is an option of every command, and what it names is known wherever a name is looked up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup
from typer.testing import CliRunner

from falter.cli.main import build_app
from falter.core.plugins import forget_plugins
from falter.data.sources import SOURCES
from falter.evaluation.models.backends import BUILTINS

PLUGIN = '''
from falter.core.bundle import Command, SuiteBundle
from falter.evaluation.models.backends import BUILTINS, Builtin
from falter.evaluation.models.python import CallableModel
from falter.core.plugins import register
from falter.generation.sources import SOURCES


@register(SOURCES, "shop")
class Shop:
    """Photographs of a shop."""


BUILTINS.add(
    "silent",
    Builtin(lambda *_: CallableModel(lambda rs: ["" for _ in rs], name="silent"), "says nothing", ("answer",)),
)


def count(price: int = 3) -> None:
    print("counted", price)


BUNDLE = SuiteBundle(
    name="shopping",
    title="Shopping",
    package=__name__,
    commands={"count": Command("Count.", f"{__name__}:count")},
)
'''


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Path]:
    """A folder with a plugin; what it adds is gone afterwards."""
    (tmp_path / "shop.py").write_text(PLUGIN)
    with forget_plugins(), BUILTINS.restored(), SOURCES.restored():
        yield tmp_path


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("list sources", "shop: Photographs of a shop."),
        ("list suites", "shopping: Shopping"),
        ("list models", "builtin:silent"),
        ("list model builtin:silent", "name            silent"),
        ("shopping count --price 5", "counted 5"),
    ],
)
def test_what_a_plugin_adds_is_found(command: str, shown: str, plugin: Path) -> None:
    assert shown in CliRunner().invoke(build_app(), [*command.split(), "--plugin-dir", str(plugin)]).stdout
    assert shown in CliRunner().invoke(build_app(), [*command.split(), f"--plugin-dir={plugin}"]).stdout


def leaves(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from leaves(command, f"{before}{name} ")
        elif not command.hidden:
            yield f"{before}{name}", command


@pytest.mark.bundle("basic-questions", "carets")
def test_every_command_has_the_option_once() -> None:
    found = {
        name: sum("--plugin-dir" in parameter.opts for parameter in command.params)
        for name, command in leaves(typer.main.get_command(build_app()))
    }
    assert {"world", "merge", "list model", "generate carets", "basic-questions rank"} <= set(found)
    assert {name: number for name, number in found.items() if number != 1} == {}
