"""The help of every command, walked in process: one style of placeholders, whole sentences, nothing stiff."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import pytest
import typer

from falter.cli.help_layout import OFFERED
from falter.cli.main import SECTIONS, build_app
from falter.core.bundle import BUNDLES
from falter.data.model_options import ModelOptions
from falter.evaluation.models.prompts import prompt_names

PLACEHOLDER = re.compile(r"[A-Z][A-Z0-9]*([-/|,:=.][A-Z0-9a-z.]+)*(\.\.\.)?|\.\.\.|[a-z0-9-]+(\|[A-Za-z0-9-]+)+")
"""A word in capitals (DIR, FILE.html, A,B,...), or the values there are (none|blank|shuffle)."""


def walk(command: Any, context: Any) -> Iterator[tuple[Any, Any]]:
    yield command, context
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        found = command.get_command(context, name)
        if not found.hidden:
            yield from walk(found, found.context_class(found, info_name=name, parent=context))


@pytest.fixture(scope="module")
def commands() -> list[tuple[Any, Any]]:
    root = typer.main.get_command(build_app())
    return list(walk(root, root.context_class(root, info_name="falter")))


@pytest.mark.bundle("basic-questions", "carets")
def test_all_commands_are_walked(commands: list[tuple[Any, Any]]) -> None:
    paths = {context.command_path for _, context in commands}
    assert {"falter run", "falter generate carets", "falter people plan", "falter basic-questions rank"} <= paths


def test_placeholders_have_one_style(commands: list[tuple[Any, Any]]) -> None:
    odd = []
    for command, context in commands:
        text = command.get_help(context)
        usage = " ".join(text.split("\n\n")[0].split())
        words = usage.removeprefix(f"Usage: {context.command_path}").split()
        odd += [f"{usage}: {word}" for word in words if not re.fullmatch(r"\[?[A-Z]+\]?(\.\.\.)?", word)]
        for parameter in command.get_params(context):
            if parameter.param_type_name == "option" and not parameter.is_flag and not parameter.count:
                shown = re.sub(r"^(-[^ ]+ ?)+", "", parameter.get_help_record(context)[0]).strip()
                odd += [] if PLACEHOLDER.fullmatch(shown) else [f"{context.command_path} {parameter.opts}: {shown!r}"]
        odd += [f"{context.command_path}: {found}" for found in re.findall(r"<[a-z]+(?: range|\[.*\])?>", text)]
    assert odd == []


def test_texts_are_whole_sentences(commands: list[tuple[Any, Any]]) -> None:
    odd = []
    for command, context in commands:
        first = " ".join((command.help or "").split("\n\n")[0].split())
        texts = {"": first}
        for parameter in command.get_params(context):
            if not getattr(parameter, "hidden", False) and parameter.opts[0] != "--help":
                texts[parameter.opts[0]] = " ".join((parameter.help or "").split())
        for name, text in texts.items():
            good = text[:1].isupper() and text.endswith(".") and not re.search(r"[?!:;,]\.|[^.]\.\.$|  ", text)
            odd += [] if good else [f"{context.command_path} {name}: {text!r}"]
    assert odd == []


def test_a_shell_completes_the_values_that_a_placeholder_lists() -> None:
    from typer.main import get_command

    command = get_command(build_app()).get_command(None, "plot")  # type: ignore[attr-defined]
    context = command.make_context("plot", [], resilient_parsing=True)
    (kind,) = [one for one in command.params if "--kind" in one.opts]
    assert [one.value for one in kind.shell_complete(context, "")] == [
        "drop",
        "breakdown",
        "noise",
        "foils",
        "coverage",
    ]
    assert [one.value for one in kind.shell_complete(context, "dr")] == ["drop"]


@pytest.mark.parametrize(
    ("name", "option", "begun", "offered"),
    [
        ("run", "-M", "d", ["device=", "dtype="]),
        ("run", "--prompt", "", ["plain", "standard", "tagged"]),
        ("export", "--to", "v", ["valse", "vlmevalkit", "vqa"]),
    ],
)
def test_a_shell_completes_values_that_help_tells_in_words(
    name: str, option: str, begun: str, offered: list[str]
) -> None:
    from typer.main import get_command

    command = get_command(build_app()).get_command(None, name)  # type: ignore[attr-defined]
    context = command.make_context(name, [], resilient_parsing=True)
    (found,) = [one for one in command.params if option in one.opts]
    assert sorted(one.value for one in found.shell_complete(context, begun)) == offered


def test_a_shell_completes_the_tests_of_a_suite() -> None:
    from typer.main import get_command

    generate = get_command(build_app()).get_command(None, "generate")  # type: ignore[attr-defined]
    for name, begun, expected in (
        ("carets", "o", ["ontology", "order"]),
        ("rad", "how", ["how-many", "how-many-choice"]),
    ):
        command = generate.get_command(None, name)
        test = next(one for one in command.params if one.name == "tests")
        context = command.make_context(name, [], resilient_parsing=True)
        assert sorted(one.value for one in test.shell_complete(context, begun)) == expected


def test_help_is_80_columns_wide_and_breaks_no_option(commands: list[tuple[Any, Any]]) -> None:
    odd = []
    for command, context in commands:
        context.terminal_width = 80
        text = command.get_help(context)
        odd += [f"{context.command_path}: {line}" for line in text.split("\n") if len(line) > 80]
        odd += [f"{context.command_path}: {line}" for line in text.split("\n") if re.search(r"\w-$", line)]
    assert odd == []


def test_every_command_has_an_example_that_a_shell_takes_for_one_line(commands: list[tuple[Any, Any]]) -> None:
    odd = []
    for command, context in commands:
        if hasattr(command, "list_commands"):
            continue
        context.terminal_width = 80
        text = command.get_help(context)
        example = re.search(r"^  Example: ((?:.*\\\n)*.*)$", text, re.MULTILINE)
        words = shlex.split(example[1]) if example else []
        odd += [] if words[: len(context.command_path.split())] == context.command_path.split() else [text]
        assert text.count("  Example: ") == 1
    assert odd == []


def test_limits_are_words_and_a_default_is_told_once(commands: list[tuple[Any, Any]]) -> None:
    texts = {context.command_path: command.get_help(context) for command, context in commands}
    assert "at least 50]" in texts["falter demo"]
    assert [path for path, text in texts.items() if re.search(r"\bx[<>]=|<=x", text)] == []
    for path, text in texts.items():
        for option in re.split(r"\n  (?=-)", text)[1:]:
            assert " ".join(option.split()).lower().count("default: ") <= 1, f"{path}: {option}"


MOST_OPTIONS = {"falter run": 20}
"""Options that the help of a command shows at most; the others are a step further."""


def test_help_shows_few_options_and_help_all_every_one(commands: list[tuple[Any, Any]]) -> None:
    helps = {context.command_path: command.get_help(context) for command, context in commands}
    for path, most in MOST_OPTIONS.items():
        assert len(re.findall(r"^  -", helps[path], re.MULTILINE)) <= most
    (found,) = [pair for pair in commands if pair[1].command_path == "falter run"]
    command, context = found
    assert "--look-every" not in helps["falter run"]
    with pytest.raises(typer.Exit), redirect_stdout(StringIO()) as shown:
        command.parse_args(context, ["--help-all"])
    context.meta.clear()
    listed = set(re.findall(r"^  (?:-h, )?(-[-\w]+)", shown.getvalue(), re.MULTILINE))
    assert listed == {one.opts[-1] for one in command.get_params(context) if one.param_type_name == "option"}
    keys = set(re.findall(r"^  (\w+)=", shown.getvalue().partition("Keys of -M:")[2], re.MULTILINE))
    assert keys == set(ModelOptions.__struct_fields__)


def test_what_a_shell_offers_is_known() -> None:
    assert sorted(OFFERED["--prompt"]) == sorted(prompt_names())


MOST_COMMANDS = 20
"""What a newcomer reads before the first command: more go one level down."""


@pytest.mark.bundle("basic-questions", "gqa", "rad")
def test_the_program_lists_at_most_20_commands_and_each_once() -> None:
    root = typer.main.get_command(build_app())
    listed = [name for names in SECTIONS.values() for name in names]
    assert len(listed) == len(set(listed)) <= MOST_COMMANDS
    context = root.context_class(root, info_name="falter", terminal_width=80)
    shown = root.get_help(context)
    assert re.findall(r"^  ([a-z-]+)  ", shown.partition("\nStart:\n")[2], re.MULTILINE) == listed
    suites = {bundle.name for bundle in BUNDLES.available() if bundle.commands}
    assert set(root.commands) == {*listed, *suites}, "a command is in a section, or of a suite"  # type: ignore[attr-defined]
    assert shown.endswith("Commands of one suite: falter basic-questions, falter gqa, falter rad.")
