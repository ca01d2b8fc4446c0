"""Old names of options, accepted with a warning for one version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from falter.cli.output import note

__all__ = ["replace_old_model_options", "replace_old_options"]

_COMMANDS = ("run", "models")
_MODEL_OPTIONS = {"--decide": "--answer-by", "--features": "--region-features"}
_SWITCHES = {("--bos", "on"): "--bos", ("--bos", "off"): "--no-bos"}
"""Options that took a value and are switches now."""


def replace_old_options(arguments: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """The arguments with old option names replaced; each replacement is noted on standard error.

    >>> replace_old_options(["--size", "3"], {"--count": "--size"})
    ['--size', '3']
    """
    replaced = []
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if name in names:
            note(f"{name} is now {names[name]}; the old name will go with the next version")
        replaced.append(f"{names.get(name, name)}{equals}{value}")
    return replaced


def replace_old_model_options(arguments: Sequence[str]) -> list[str]:
    """The arguments of a whole command line with the old options of models replaced.

    >>> replace_old_model_options(["score", "--bos", "off"])
    ['score', '--bos', 'off']
    """
    if next((one for one in arguments if not one.startswith("-")), "") not in _COMMANDS:
        return list(arguments)
    waiting, replaced = list(arguments), []
    while waiting:
        name, _, value = waiting[0].partition("=")
        following = value or (waiting[1] if len(waiting) > 1 else "")
        if (name, following) in _SWITCHES:
            new = _SWITCHES[name, following]
            note(f"{name} {following} is now {new}; the old form will go with the next version")
            replaced.append(new)
            del waiting[: 1 if value else 2]
        else:
            replaced.append(waiting.pop(0))
    return replace_old_options(replaced, _MODEL_OPTIONS)
