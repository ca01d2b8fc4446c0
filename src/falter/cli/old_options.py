"""Old names of commands and options, accepted with a warning for one version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from falter.cli.output import note

__all__ = ["replace_old_names", "replace_old_options"]

_COMMANDS = {"coverage": "overlap"}

_VQA_RULE = {"--rule": "--vqa-rule"}
_MODEL_OPTIONS = {"--decide": "--answer-by", "--features": "--region-features"}
_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "score": _VQA_RULE,
    "compare": _VQA_RULE,
    "check": _VQA_RULE,
    "overlap": _VQA_RULE,
    "world": {"--scenes": "--num-scenes"},
    "demo": {"--scenes": "--num-scenes"},
    "run": {**_MODEL_OPTIONS, "--image": "--image-input", "--extend": "--plugin-dir"},
    "models": _MODEL_OPTIONS,
    "audit": {"--extend": "--plugin-dir"},
}
"""By command the new name of an option. Generators and importers declare those of their options themselves."""

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


def replace_old_names(arguments: Sequence[str]) -> list[str]:
    """The arguments of a whole command line in today's names.

    >>> replace_old_names(["score", "--bos", "off"])
    ['score', '--bos', 'off']
    """
    words = list(arguments)
    if words and words[0] in _COMMANDS:
        new = _COMMANDS[words[0]]
        note(f"falter {words[0]} is now falter {new}; the old name will go with the next version")
        words[0] = new
    command = words[0] if words else ""
    if command in ("run", "models"):
        words = _replace_switches(words)
    return replace_old_options(words, _OPTIONS.get(command, {}))


def _replace_switches(arguments: Sequence[str]) -> list[str]:
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
    return replaced
