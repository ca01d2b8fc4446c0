"""What a user did or gave that Falter cannot go on with: one clear line, and exit code 2."""

from __future__ import annotations

from os import PathLike

__all__ = ["BadInput", "BadUse", "FalterError"]


class FalterError(Exception):
    """Anything that ends a command with one line and exit code 2 instead of a traceback."""


class BadUse(FalterError):
    """The command cannot do what was asked of it: an unknown name, options that exclude each other."""


class BadInput(FalterError):
    """A file holds something other than what it should: names the file, the record and the remedy."""

    def __init__(self, path: str | PathLike[str], problem: str, *, record: str | None = None, remedy: str = "") -> None:
        self.path = str(path)
        self.problem = problem
        self.record = record
        self.remedy = remedy
        where = self.path if record is None else f"{self.path}, {record}"
        super().__init__(f"{where}: {problem}" + (f" ({remedy})" if remedy else ""))

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_bad_input, (self.path, self.problem, self.record, self.remedy))


def _rebuild_bad_input(path: str, problem: str, record: str | None, remedy: str) -> BadInput:
    return BadInput(path, problem, record=record, remedy=remedy)
