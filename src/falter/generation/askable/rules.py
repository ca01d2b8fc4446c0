"""The rules of ``data/*.yaml``: a value or several by name, what it says, where it comes from, and a reason.

Modules read their rules by name when they are imported, so that a name that is missing or misspelled is seen at once.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from falter.core.files import read_yaml

DATA = Path(__file__).parent / "data"
Origin = Literal["paper", "reading", "measurement", "fit", "hand"]
Single = int | float | list[str]


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule; it has a value, or several by the case in which they hold."""

    says: str
    origin: Origin
    reason: str
    value: Single | None = None
    values: dict[str, Single] = msgspec.field(default_factory=dict)
    differs: str = ""
    """Why the values of several cases are not the same."""

    def __post_init__(self) -> None:
        if (self.value is None) == (not self.values):
            raise ValueError("a rule has either a value or values")
        if self.differs and not self.values:
            raise ValueError("only values can differ")


class RuleFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules of one question, such as what counts as a usual look."""

    title: str
    about: str
    rules: dict[str, Rule]


@cache
def rule_files() -> dict[str, RuleFile]:
    """Every file of rules by its name, in the order of the alphabet."""
    hint = "see the page on what may be asked"
    return {
        path.stem: read_yaml(path, RuleFile, what="a file of rules", hint=hint) for path in sorted(DATA.glob("*.yaml"))
    }


@cache
def _rules() -> dict[str, Rule]:
    return {name: rule for file in rule_files().values() for name, rule in file.rules.items()}


def _value(name: str, case: str) -> Single:
    rule = _rules()[name]
    value = rule.values[case] if case else rule.value
    if value is None:
        raise TypeError(f"the rule {name} has values by case: name one of {', '.join(rule.values)}")
    return value


def number(name: str, case: str = "") -> float:
    """The number of a rule."""
    value = _value(name, case)
    if isinstance(value, list):
        raise TypeError(f"the rule {name} has words, not a number")
    return float(value)


def whole(name: str, case: str = "") -> int:
    """The number of a rule that counts something."""
    value = _value(name, case)
    if not isinstance(value, int):
        raise TypeError(f"the rule {name} has no whole number")
    return value


def words(name: str, case: str = "") -> tuple[str, ...]:
    """The words of a rule: kinds, values, relations or families, in the order of the file."""
    value = _value(name, case)
    if not isinstance(value, list):
        raise TypeError(f"the rule {name} has a number, not words")
    return tuple(value)


def group(name: str, case: str = "") -> frozenset[str]:
    """The words of a rule, in no order."""
    return frozenset(words(name, case))


def groups(name: str) -> dict[str, tuple[str, ...]]:
    """Every group of words of a rule by its name."""
    return {case: words(name, case) for case in _rules()[name].values}


def numbers(name: str) -> dict[str, float]:
    """Every number of a rule by its name."""
    return {case: number(name, case) for case in _rules()[name].values}
