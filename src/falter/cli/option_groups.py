"""Options in groups: ``--help`` shows what belongs together under a heading of its own."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from falter.cli.help_layout import say_limits, write_list, write_text
from falter.cli.placeholders import argument_name

__all__ = ["HEADINGS", "WholeSentences", "group_options", "write_help"]

_GENERAL = "General"
_RUN = "What is run"
_SCORING = "Scoring"
_GROUPS: dict[str, tuple[str, ...]] = {
    _RUN: (
        *("--model", "--limit", "--repeat", "--image-input", "--prompts", "--shard", "--seed", "--scenes", "--train"),
        *("--random-order", "--until", "--baseline", "--alpha", "--look-every", "--allow-missing", "--image-dir"),
        "--helpers",
    ),
    "How the model is asked": (
        *("--answer-by", "--match-by", "--prompt", "--system", "--few-shot", "--max-new-tokens", "--lm-score", "--bos"),
    ),
    "Weights": (*("--device", "--dtype", "--revision", "--trust-remote-code", "--region-features", "--batch-size"),),
    "Servers and cost": (
        *("--concurrency", "--timeout", "--model-name", "--max-requests", "--max-cost", "--prices", "--cache"),
        *("--image-tokens", "--dry-run"),
    ),
    _SCORING: ("--by", "--measure", "--subset", "--vqa-rule", "--suite"),
    "Output": ("--out", "--json", "--csv", "--markdown", "--junit", "--format", "--overwrite", "--verbose", "--all"),
    _GENERAL: ("--plugin-dir", "--help", "--version", "--debug", "--install-completion", "--show-completion"),
}
HEADINGS = tuple(_GROUPS)
_GROUP_OF = {option: heading for heading, options in _GROUPS.items() for option in options}
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
        if record is None:
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
