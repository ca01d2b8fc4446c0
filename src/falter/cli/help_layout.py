"""How ``--help`` is laid out: options that belong together under a heading, placeholders for values, lines that fit.

What stands for a value is one word in capitals, or the values there are. Lines are broken at blanks alone, and an
example stays a command that can be copied.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperGroup

from falter.cli.output import out

_EXAMPLE = "Example: "
_WIDEST_NAME = 30
"""Columns of the names of options; a wider one has a line of its own."""

_GAP = 2
_LEAST = 10
_WHOLE: Any = {"break_long_words": False, "break_on_hyphens": False}
"""Options and paths stay whole."""

_NO_BREAK = "\u00a0"

_LIMITS = (
    (r"\s*\[x>=0\]$", ""),
    (r"; x>=0\]$", "]"),
    (r"(?<=[\[ ])(-?[\d.]+)<=x<=(-?[\d.]+)(?=\]$)", r"\1 to \2"),
    (r"(?<=[\[ ])x>=(-?[\d.]+)(?=\]$)", r"at least \1"),
    (r"(?<=[\[ ])x<=(-?[\d.]+)(?=\]$)", r"at most \1"),
)
"""How limits are written by the library of the command line, and by us."""


def say_limits(text: str) -> str:
    """The limits of a number in words; that it is not below 0 goes without saying, and a default is told once.

    >>> say_limits("Pairs per test.  [default: 300; x>=1]")
    'Pairs per test.  [default: 300; at least 1]'
    >>> say_limits("Failed pairs.  [default: 200; x>=0]"), say_limits("A port.  [x>=0]")
    ('Failed pairs.  [default: 200]', 'A port.')
    >>> say_limits("Port to listen on. Default: a free one.  [default: 0; 0<=x<=65535]")
    'Port to listen on. Default: a free one.  [0 to 65535]'
    """
    if "Default: " in text:
        text = re.sub(r"  \[default: [^;\]]*(?:; |\]$)", lambda found: "  [" if found[0].endswith("; ") else "", text)
    for pattern, words in _LIMITS:
        text = re.sub(pattern, words, text)
    return text


def write_text(formatter: Any, text: str) -> None:
    """Write the paragraphs of what a command does."""
    indent = " " * formatter.current_indent
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", inspect.cleandoc(text))]
    written = []
    for paragraph in filter(None, paragraphs):
        if paragraph.startswith(_EXAMPLE):
            written.append("\n".join(indent + line for line in _example(paragraph, formatter.width - len(indent))))
        else:
            written.append(
                textwrap.fill(paragraph, formatter.width, initial_indent=indent, subsequent_indent=indent, **_WHOLE)
            )
    formatter.write("\n\n".join(written) + "\n")


def write_list(formatter: Any, rows: Iterable[tuple[str, str]]) -> None:
    """Write names with what they mean beside them, or below where a name is wide."""
    rows = list(rows)
    indent = " " * formatter.current_indent
    first = min(max(len(name) for name, _ in rows), _WIDEST_NAME) + _GAP
    width = max(formatter.width - len(indent) - first, _LEAST)
    for name, meaning in rows:
        whole = re.sub(r"(?<=  \[)[^\[\]]*\]$", lambda found: found[0].replace(" ", _NO_BREAK), meaning)
        lines = [line.replace(_NO_BREAK, " ") for line in textwrap.wrap(whole, width, **_WHOLE)] or [""]
        beside = len(name) <= first - _GAP
        start = f"{name:<{first}}{lines[0]}" if beside else name
        further = lines[1:] if beside else lines
        for line in (start, *(" " * first + one for one in further)):
            formatter.write(f"{indent}{line.rstrip()}\n")


def _example(paragraph: str, width: int) -> list[str]:
    """An example on one line, or on several that a shell takes for one: an option stays with its value."""
    if len(paragraph) <= width:
        return [paragraph]
    first, *options = re.split(r" (?=--)", paragraph)
    lines = [first]
    for option in options:
        if len(lines[-1]) + len(option) + len("  \\") <= width:
            lines[-1] += f" {option}"
        else:
            lines.append(" " * (len(_EXAMPLE) + 2) + option)
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


_BY_OPTION = {"--seed": "S", "--test": "NAME", "--split": "NAME", "--out": "DIR", "--port": "PORT"}
OFFERED = {
    "--device": ("auto", "cpu", "cuda"),
    "--prompt": ("standard", "plain", "tagged"),
}
"""What a shell offers where a placeholder lists no values."""
_BY_TYPE = {int: "N", float: "X", Path: "PATH", str: "TEXT"}


def name_values(parameters: Iterable[Any], function: Any) -> None:
    """Give a placeholder to each argument and option of a command that has none of its own."""
    hints: dict[str, Any] | None = None
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            # Dots say that there may be several.
            several = "S" if parameter.metavar is None and parameter.nargs != 1 else ""
            named = (parameter.metavar or parameter.name or "").upper().replace("[", "").replace("]", "")
            parameter.metavar = named.removesuffix("...").removesuffix(several)
            continue
        if getattr(parameter, "is_flag", False) or getattr(parameter, "count", False):
            continue
        if parameter.metavar is not None:
            _complete_values(parameter)
            continue
        if hints is None:
            hints = get_type_hints(function, include_extras=False) if function is not None else {}
        named = next((_BY_OPTION[option] for option in parameter.opts if option in _BY_OPTION), None)
        parameter.metavar = named or _word(hints.get(parameter.name))


def _complete_values(parameter: Any) -> None:
    """Let a shell complete the values that a placeholder lists, such as svg|pdf|png, or that are known otherwise."""
    known = next((OFFERED[option] for option in parameter.opts if option in OFFERED), ())
    listed = parameter.metavar.split("|") if "|" in parameter.metavar else []
    values = [*known] or [value for value in listed if value != value.upper()]
    if values and parameter._custom_shell_complete is None:
        parameter._custom_shell_complete = lambda _context, _parameter, begun: [
            value for value in values if value.startswith(begun)
        ]


def argument_name(parameter: Any) -> str:
    """An argument in the usage line: in brackets where it may be left out, with dots where there may be several.

    >>> from types import SimpleNamespace
    >>> argument_name(SimpleNamespace(metavar="RUN", required=False, nargs=-1))
    '[RUN]...'
    """
    word = parameter.metavar if parameter.required else f"[{parameter.metavar}]"
    return f"{word}..." if parameter.nargs != 1 else word


def _word(hint: Any) -> str:
    """The placeholder of a type; the first of several, apart from None.

    >>> _word(int | None), _word(list[Path]), _word(Literal["a", "b"])
    ('N', 'PATH', 'a|b')
    """
    if get_origin(hint) is Annotated or get_origin(hint) in (list, tuple):
        return _word(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return _word(next(one for one in get_args(hint) if one is not NoneType))
    if get_origin(hint) is Literal:
        return "|".join(map(str, get_args(hint)))
    return _BY_TYPE.get(hint, "TEXT")


HELP_ALL = "--help-all"
_GENERAL = "General"
_RUN = "What is run"
_SCORING = "Scoring"
_GROUPS: dict[str, tuple[str, ...]] = {
    _RUN: (
        *("--model", "--limit", "--repeat", "--image-input", "--shard", "--seed", "--scenes", "--train"),
        *("--random-order", "--until", "--baseline", "--alpha", "--look-every", "--allow-missing", "--image-dir"),
        *("--helpers", "--cache", "--dry-run"),
    ),
    "How the model is asked": ("--prompt", "--max-new-tokens", "--device", "--batch-size", "-M"),
    _SCORING: ("--by", "--measure", "--subset", "--vqa-rule", "--suite"),
    "Output": ("--out", "--json", "--csv", "--markdown", "--junit", "--format", "--overwrite", "--verbose", "--all"),
    _GENERAL: ("--plugin-dir", "--help", HELP_ALL, "--version", "--debug", "--install-completion", "--show-completion"),
}
HEADINGS = tuple(_GROUPS)
_GROUP_OF = {option: heading for heading, options in _GROUPS.items() for option in options}
RARE = "rare"
"""The panel of options that ``--help`` leaves to ``--help-all``."""

_SHOWS_ALL = "falter.help_all"
_FEWEST = 9
"""With fewer options than this, one list is easier to read than several."""

_LONGEST = 1000
"""Of a first sentence: no limit but in name."""


def group_options(command: Any, context: Any, formatter: Any) -> None:
    """Write the arguments and options of a command, in groups where there are many; its own options come first."""
    arguments, groups = [], {heading: [] for heading in ("Options", *HEADINGS)}  # type: ignore[var-annotated]
    parameters = command.get_params(context)
    known = {name for parameter in parameters for name in parameter.opts}
    # A seed or a baseline is of the run only where something is run.
    moved = {} if "--model" in known else {_RUN: _SCORING if "--vqa-rule" in known else "Options"}
    for parameter in parameters:
        record = parameter.get_help_record(context)
        if record is None or (is_rare(parameter) and not shows_all(context)):
            continue
        if parameter.param_type_name == "argument":
            arguments.append((argument_name(parameter), record[1]))
            continue
        named = [_GROUP_OF[name] for name in parameter.opts if name in _GROUP_OF]
        heading = named[0] if named else "Options"
        groups[moved.get(heading, heading)].append((record[0], say_limits(record[1])))
    if arguments:
        with formatter.section("Arguments"):
            write_list(formatter, arguments)
    if sum(map(len, groups.values())) < _FEWEST:
        groups = {"Options": [one for own in groups.values() for one in own]}
    for heading, own in groups.items():
        if own:
            with formatter.section(heading):
                write_list(formatter, own)


MODEL_KEYS = "-M"
"""The option that takes options of models, by key."""


def is_rare(parameter: Any) -> bool:
    """Whether ``--help`` leaves an option out."""
    return getattr(parameter, "rich_help_panel", None) == RARE


def shows_all(context: Any) -> bool:
    """Whether the help is that of ``--help-all``."""
    return bool(context.meta.get(_SHOWS_ALL))


def _show_all(context: typer.Context, value: bool) -> None:
    if value:
        context.meta[_SHOWS_ALL] = True
        out.print(context.get_help())
        raise typer.Exit


def help_all_option() -> Any:
    """The option ``--help-all`` of a command that has rare ones."""

    def declare(
        help_all: Annotated[
            bool, typer.Option(HELP_ALL, is_eager=True, callback=_show_all, help="Show every option and exit.")
        ] = False,
    ) -> None: ...

    app = typer.Typer(add_completion=False)
    app.command()(declare)
    (option,) = typer.main.get_command(app).params
    option.expose_value = False
    return option


def write_section(formatter: Any, heading: str, rows: Iterable[tuple[str, str]]) -> None:
    """Write a list under a heading."""
    with formatter.section(heading):
        write_list(formatter, rows)


def write_help(command: Any, formatter: Any) -> None:
    """Write what a command does, below its line of usage."""
    if command.help:
        formatter.write("\n")
        with formatter.indentation():
            write_text(formatter, command.help)


class WholeSentences(TyperGroup):
    """A group whose list of commands has the whole first sentence of each, on several lines where it is long."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as click calls it
        write_help(self, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, one.get_short_help_str(_LONGEST)) for name, one in found if one is not None and not one.hidden]
        if rows:
            with formatter.section("Commands"):
                write_list(formatter, rows)
