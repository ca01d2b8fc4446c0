"""The ``falter`` program: collects the commands and turns errors into one line and an exit code."""

from __future__ import annotations

import errno
import importlib
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Annotated, Any, TextIO

import typer

from falter.cli.command_groups import PluginGroup, add_plugin_option, plugin_commands
from falter.cli.help_layout import write_list, write_text
from falter.cli.output import fail, note, out, prepare_streams, print_traceback
from falter.core.errors import FalterError, FalterWarning, UsageError
from falter.core.version import __version__

DEBUG = "--debug"
INTERNAL_ERROR = "internal error"
"""How the line of an error begins that should have been found out and explained before."""

COMMANDS: tuple[str, ...] = (
    "examples:add_demo",
    "examples:add_world",
    "generate:add_generate",
    "importing:add_import",
    "suites:add_inspect",
    "suites:add_audit",
    "suites:add_debias",
    "people:add_people",
    "run:add_run",
    "run:add_merge",
    "results:add_score",
    "results:add_compare",
    "gates:add_check",
    "reporting:add_report",
    "reporting:add_plot",
    "reporting:add_view",
    "reporting:add_export",
    "planning:add_plan",
    "listing:add_list",
    "command_groups:add_bundles",
)
"""Functions of modules of ``falter.cli`` that add a command to the program."""

SECTIONS: dict[str, tuple[str, ...]] = {
    "Start": ("demo", "world", "generate", "import"),
    "Run": ("run", "merge"),
    "Results": ("score", "compare", "check", "report", "plot", "view", "export"),
    "Data": ("inspect", "audit", "debias", "people"),
    "Background": ("list", "plan"),
}
"""By heading the commands that ``falter --help`` lists, in its order; those of one suite are named below."""


_BAD_WORDS: type[Exception] = typer.BadParameter.__mro__[1]
"""What the library of the command line raises where a command cannot be read."""

_HELP = """Find where a vision-language model falters.

Exit codes: 0: done, or all requirements met; 1: a run is incomplete or over 1 % of its items failed, a label
disagrees, or a requirement is not met, undecided or has too few answers; 2: bad use or input.
"""


class _Program(PluginGroup):
    """All commands: ours, and those of the bundles that plugins add."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return super().get_command(ctx, cmd_name) or plugin_commands(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                write_list(formatter, [(name, self.get_command(ctx, name).get_short_help_str(1000)) for name in names])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        listed = {name for names in SECTIONS.values() for name in names}
        suites = [name for name in self.list_commands(ctx) if name not in listed]
        if suites:
            formatter.write("\n")
            write_text(formatter, f"Commands of one suite: {', '.join(f'falter {name}' for name in suites)}.")

    def make_context(self, *given: Any, **settings: Any) -> Any:
        with _in_one_line():
            return super().make_context(*given, **settings)

    def invoke(self, ctx: Any) -> Any:
        with _in_one_line():
            try:
                return super().invoke(ctx)
            except SystemExit as end:
                if isinstance(end.__context__, BrokenPipeError):
                    raise  # Rich's, where who reads the output has had enough: falter score run | head
                # Commands end by an error or by typer.Exit: this is the code of a model or a plugin.
                raise FalterError(f"a model or a plugin called sys.exit({end.code!r}); fix it and rerun") from end


@contextmanager
def _in_one_line() -> Iterator[None]:
    """Say what is wrong with the words of a command in one line, as all other errors are told."""
    try:
        yield
    except _BAD_WORDS as found:
        error: Any = found
        context = error.ctx
        # A group without a command shows its help.
        if context is None or type(error).__name__ == "NoArgsIsHelpError":
            raise
        told = error.format_message().strip().rstrip(".")
        told = told.replace(": Input should", ": it should").replace(": Value error, ", ": ")
        told = told.partition(", unable to parse")[0].replace("be a valid integer", "be a whole number")
        raise UsageError(f"{told[:1].lower()}{told[1:]} ({context.command_path} -h shows what it takes)") from error


def _show_version(value: bool) -> None:
    if value:
        out.print(f"falter {__version__}")
        raise typer.Exit


def build_app(first: str = "") -> typer.Typer:
    """The whole command line; where ``first`` is one of its commands, that alone, so that no other is imported."""
    app = typer.Typer(
        name="falter",
        cls=_Program,
        help=_HELP,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root(
        version: Annotated[
            bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
        ] = False,
        debug: Annotated[
            bool, typer.Option(DEBUG, help="Show the traceback of an error. May stand anywhere in a command.")
        ] = False,
    ) -> None:
        pass

    wanted = [command for command in COMMANDS if command.endswith(f":add_{first.replace('-', '_')}")]
    for command in wanted or COMMANDS:
        module, _, function = command.partition(":")
        getattr(importlib.import_module(f"falter.cli.{module}"), function)(app)
    add_plugin_option(app)
    return app


def _show_warnings() -> None:
    """Show Falter's own warnings as one line each; those of other packages name their place too."""

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,  # noqa: ARG001 - where it would go, were it not for the terminal
        line: str | None = None,  # noqa: ARG001
    ) -> None:
        if issubclass(category, FalterWarning):
            note(f"falter: {message}")
        else:
            note(warnings.formatwarning(message, category, filename, lineno, "").strip())

    warnings.showwarning = show


def main() -> None:
    """Run the command line; exit 0 done, 1 incomplete or not met, 2 bad use, bad input or an error in Falter itself.

    With ``--debug`` among the arguments, an error is shown with its traceback.
    """
    arguments = sys.argv[1:]
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    debug = DEBUG in own
    try:
        prepare_streams()
        _show_warnings()
        with out.keep() if "--json" in own else nullcontext():
            words = [argument for argument in own if argument != DEBUG] + arguments[len(own) :]
            build_app(next(iter(words), ""))(words)
    except (KeyboardInterrupt, SystemExit) as end:
        interrupt = _find_interrupt(end)
        if interrupt is None:
            raise
        _interrupted(interrupt)
    except BaseException as error:  # Some extension modules raise what is no Exception.
        if debug:
            print_traceback(error)
        fail(_explain(error), error.exit_code if isinstance(error, FalterError) else 2)


def _explain(error: BaseException) -> str:
    """An error in one line; one that nobody foresaw is called an internal error."""
    if isinstance(error, FalterError):
        return str(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space left on the disk while writing {error.filename or 'a file'}: free some and run again"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {error.strerror}"
    told = f"{type(error).__name__}: {error}"
    return f"{INTERNAL_ERROR}: {told:.300}; please report it, with what the same command prints under {DEBUG}"


def _find_interrupt(end: BaseException) -> KeyboardInterrupt | None:
    """The interrupt from the keyboard that ended a command; Typer turns it into an exit."""
    found: BaseException | None = end
    while found is not None and not isinstance(found, KeyboardInterrupt):
        found = found.__cause__ or found.__context__
    return found


def _interrupted(interrupt: KeyboardInterrupt) -> None:
    """Say what is kept and how to go on, and end at once."""
    kept = str(interrupt) or "nothing is half-written; repeat the command to start again"
    note(f"falter: interrupted; {kept}")
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    if any(not thread.daemon for thread in others):
        # The interpreter would wait for them, however long they take.
        os._exit(130)
    sys.exit(130)
