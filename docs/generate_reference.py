"""Write the reference of the command line from the program itself: ``python docs/generate_reference.py``.

The page is kept in the repository, and a test checks that it is up to date.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from falter.cli.help_layout import argument_name, is_rare
from falter.cli.main import build_app
from falter.cli.model_options import MODEL_KEYS, model_key_rows

Command = TyperCommand | TyperGroup

PAGE = Path(__file__).parent / "reference" / "command-line.md"

HEAD = """\
# The command line

This page is generated from the program by `docs/generate_reference.py`. `falter COMMAND --help` prints the same text.

Results go to standard output; progress and notes go to standard error. Progress bars are shown only in a terminal.

| Exit code | Meaning |
|---|---|
| 0 | done; `check`: all requirements are met |
| 1 | `run`, `merge`: the run is incomplete, or more than 1 % of its items failed, or the model supports none |
| 1 | `check`: a requirement is not met, is undecided or has too few answers |
| 1 | `audit`: a label disagrees, or none could be audited |
| 2 | bad use or bad input, with one line on standard error that names the file, the record and what to do |
| 2 | an error in Falter itself: the line begins with "internal error"; `--debug` anywhere in a command shows more |
| 130 | interrupted |
"""


def page() -> str:
    """The whole page."""
    root = typer.main.get_command(build_app())
    assert isinstance(root, TyperGroup)
    sections = [section for name, command in _commands(root) for section in _section(name, command)]
    return "\n".join([HEAD, *sections]).rstrip() + "\n"


def _commands(group: TyperGroup, before: str = "falter") -> Iterator[tuple[str, Command]]:
    for name, command in group.commands.items():
        assert isinstance(command, Command)
        if command.hidden:
            continue
        yield f"{before} {name}", command
        if isinstance(command, TyperGroup):
            yield from _commands(command, f"{before} {name}")


def _section(name: str, command: Command) -> Iterator[str]:
    yield f"## {name}\n"
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        said, example, line = paragraph.partition("Example: ")
        if said:
            yield f"{' '.join(said.split())}\n"
        if example:
            yield f"```console\n$ {' '.join(line.split())}\n```\n"
    known = [one for one in command.params if isinstance(one, TyperArgument | TyperOption)]
    parameters = [one for one in known if not one.hidden]
    arguments = [_argument(one) for one in parameters if isinstance(one, TyperArgument)]
    yield f"Usage: `{' '.join([name, *arguments, *(['[OPTIONS]'] if len(parameters) > len(arguments) else [])])}`\n"
    if parameters:
        hints = get_type_hints(command.callback)
        rows = [_row(one, hints.get(one.name or "")) for one in parameters]
        yield "\n".join(["| Argument or option | Meaning |", "|---|---|", *rows]) + "\n"
    if any(is_rare(one) for one in parameters):
        rare = [one.opts[0] for one in parameters if is_rare(one)]
        yield f"`--help` leaves {', '.join(f'`{one}`' for one in rare)} to `--help-all`.\n"
    if name != "falter run" and any(MODEL_KEYS in one.opts for one in parameters):
        yield f"The keys of `{MODEL_KEYS}` are those of [`falter run`](#falter-run).\n"
    elif any(MODEL_KEYS in one.opts for one in parameters):
        keys = [_key_row(key, meaning) for key, meaning in model_key_rows()]
        yield "\n".join([f"| Key of `{MODEL_KEYS}` | Meaning |", "|---|---|", *keys]) + "\n"


def _row(parameter: TyperArgument | TyperOption, hint: Any) -> str:
    written = _argument(parameter) if isinstance(parameter, TyperArgument) else _option(parameter, hint)
    return f"| `{_cell(written)}` | {_cell(' '.join([parameter.help or '', *_conditions(parameter)]))} |"


def _key_row(key: str, meaning: str) -> str:
    return "| `{}` | {} |".format(_cell(key).replace("|", "\\|"), _cell(meaning))


def _argument(argument: TyperArgument) -> str:
    return argument_name(argument)


def _option(option: TyperOption, hint: Any) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    word = (option.metavar or "").replace("|", "\\|") or _word(hint)
    return names if option.is_flag else f"{names} {word}"


def _word(hint: Any) -> str:
    """What stands for a value where the program names nothing better."""
    kinds = {hint, *get_args(hint), *(inner for outer in get_args(hint) for inner in get_args(outer))}
    if get_origin(hint) is Literal:
        return "\\|".join(get_args(hint))
    return "N" if int in kinds else "PATH" if Path in kinds else "TEXT"


def _conditions(parameter: TyperArgument | TyperOption) -> Iterator[str]:
    if not isinstance(parameter, TyperOption) or parameter.is_flag:
        return
    if parameter.required:
        yield "**Required.**"
    elif parameter.default not in (None, "", [], ()):
        yield f"Default: {parameter.default}."
    if parameter.multiple and "repeat" not in (parameter.help or ""):
        yield "May be repeated."


def _cell(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
