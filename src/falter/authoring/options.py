"""Options that only one suite has: each suite declares its own, and ``falter generate`` offers them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from falter.errors import UsageError
from falter.registry import Registry

__all__ = ["SUITE_OPTIONS", "SuiteOption", "options_of", "refuse_unknown"]


class SuiteOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option of one suite, ``--name`` on the command line and ``Order.settings[name]`` for the maker.

    A flag's value is True or False; an option that may be repeated has a tuple of texts; any other has a text, which
    the suite reads, or None where it was not given.
    """

    name: str
    help: str
    metavar: str = "TEXT"
    flag: bool = False
    repeated: bool = False


SUITE_OPTIONS: Registry[Sequence[SuiteOption]] = Registry(
    "suite with options",
    "falter.suite_options",
    {"basic-questions": "falter.suites.basic_questions.options:OPTIONS"},
)
"""By suite the options it declares, in modules that are light to import: the command line reads them at its start."""


def options_of(suite: str) -> tuple[SuiteOption, ...]:
    """The options that a suite declares; none for most."""
    return tuple(SUITE_OPTIONS.get(suite)) if suite in SUITE_OPTIONS else ()


def refuse_unknown(suite: str, settings: Mapping[str, Any]) -> None:
    """Stop where an option was given that belongs to other suites."""
    known = {option.name for option in options_of(suite)}
    for name in settings:
        if name not in known:
            told = ", ".join(f"--{one}" for one in sorted(known)) or "no options of its own"
            raise UsageError(f"{suite} has no option --{name}: it has {told}")
