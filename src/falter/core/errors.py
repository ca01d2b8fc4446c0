"""What a user did or gave that Falter cannot go on with: one clear line, and exit code 2."""

from __future__ import annotations

import warnings
from os import PathLike


class FalterError(Exception):
    """Anything that ends a command with one line and exit code 2 instead of a traceback."""

    exit_code = 2

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows instead of a traceback; ``traceback.print_last()`` prints the traceback."""
        from falter.core.untrusted_text import escape_invisible

        return [f"{type(self).__name__}: {escape_invisible(str(self), one_line=True)}"]


class InterruptError(KeyboardInterrupt):
    """An interrupt from the keyboard, with one line that says what is kept and how to go on."""


class FalterWarning(UserWarning):
    """What a user should know about data that were read; the command goes on, and prints it as one line."""


def warn_user(message: str) -> None:
    """Give a :class:`FalterWarning`; the same one is shown once in a process."""
    warnings.warn(message, FalterWarning, stacklevel=2)


class UsageError(FalterError, ValueError):
    """The command cannot do what was asked of it: an unknown name, options that exclude each other."""


class InputError(FalterError):
    """A file holds something other than what it should: names the file, the record and the remedy."""

    def __init__(self, path: str | PathLike[str], problem: str, *, record: str | None = None, hint: str = "") -> None:
        self.path = str(path)
        self.problem = problem
        self.record = record
        self.hint = hint
        where = self.path if record is None else f"{self.path}, {record}"
        super().__init__(f"{where}: {problem}" + (f" ({hint})" if hint else ""))

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_input_error, (self.path, self.problem, self.record, self.hint))


class RowsError(FalterError):
    """Rows of a table that cannot be used: the first of them one by one, and how many there are."""

    def __init__(self, faults: list[InputError], number: int, rows: int) -> None:
        self.faults = faults
        self.number = number
        self.summary = f"{number:,} of {rows:,} rows cannot be used, and nothing was written"
        super().__init__(f"{faults[0]}; {self.summary}" if number > 1 else str(faults[0]))


def _rebuild_input_error(path: str, problem: str, record: str | None, hint: str) -> InputError:
    return InputError(path, problem, record=record, hint=hint)
