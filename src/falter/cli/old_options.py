"""Old names of options, accepted with a warning for one version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from falter.cli.output import note

__all__ = ["replace_old_options"]


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
