"""Options that have an effect only with others, or none with others: declared at the command, refused by its parser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, TypeVar

from falter.errors import UsageError

__all__ = ["OptionRule", "option_rules", "refuse_idle_options", "rules_of"]

F = TypeVar("F", bound=Callable[..., Any])
Conditions = str | tuple[str, ...]
"""``--blind``: the option is given, or on; ``--as training``: it has this value, or one of this pattern."""


class OptionRule(NamedTuple):
    """When an option has an effect: with one of some others, or with none of them."""

    option: str
    needs: bool
    conditions: tuple[str, ...]


def option_rules(
    *, needs: Mapping[str, Conditions] | None = None, idle_with: Mapping[str, Conditions] | None = None
) -> Callable[[F], F]:
    """Declare of options of a command with which others alone they have an effect, or with which they have none."""
    rules = tuple(
        OptionRule(option, is_need, (given,) if isinstance(given, str) else given)
        for is_need, declared in ((True, needs), (False, idle_with))
        for option, given in (declared or {}).items()
    )

    def declare(command: F) -> F:
        command.option_rules = (*rules_of(command), *rules)  # type: ignore[attr-defined]
        return command

    return declare


def rules_of(command: Any) -> tuple[OptionRule, ...]:
    """The rules that were declared for the function of a command."""
    found: tuple[OptionRule, ...] = getattr(command, "option_rules", ())
    return found


def refuse_idle_options(context: Any) -> None:
    """Stop where the words of a command have an option that would be ignored."""
    parameters = {name: one for one in context.command.params for name in (*one.opts, *one.secondary_opts)}
    for option, needs, conditions in rules_of(context.command.callback):
        parameter = parameters.get(option)
        if parameter is None or context.get_parameter_source(parameter.name).name.startswith("DEFAULT"):
            continue
        met = next(_met(conditions, parameters, context.params), None)
        if needs and met is None:
            raise UsageError(f"{option} has no effect without {' or '.join(conditions)}; add it, or leave {option} out")
        if not needs and met is not None:
            raise UsageError(f"{option} has no effect with {met}; leave one of them out")


def _met(conditions: tuple[str, ...], parameters: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[str]:
    for condition in conditions:
        option, _, pattern = condition.partition(" ")
        if option not in parameters:
            continue
        value = values.get(parameters[option].name)
        several = value if isinstance(value, list | tuple) else [value]
        if any(fnmatchcase(str(one), pattern) for one in several) if pattern else bool(value):
            yield condition
