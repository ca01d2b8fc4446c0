"""Which options a model reads: one that no model of a command reads would be ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from falter.models.backends import BACKENDS
from falter.models.builtin import BUILTINS, parse_builtin
from falter.models.options import ModelOptions
from falter.models.protocol import Model
from falter.probes import Task
from falter.safe import hide_address

__all__ = ["BACKEND_OPTIONS", "NotRead", "options_not_read", "sources_not_read"]

_WEIGHTS = ("device", "dtype", "revision", "trust_remote_code")
_PROMPT = ("prompt", "system", "few_shot")
_COST = ("prices", "image_tokens")
"""What estimates of any model read."""
BACKEND_OPTIONS: Mapping[str, frozenset[str]] = {
    "builtin": frozenset(),
    "file": frozenset(),
    "python": frozenset(),
    "clip": frozenset(_WEIGHTS),
    "lm": frozenset((*_WEIGHTS, "lm_score", "bos")),
    "hf": frozenset((*_WEIGHTS, "region_features", "answer_by", "match_by", "max_new_tokens")),
    "openai": frozenset(
        ("answer_by", "match_by", "max_new_tokens", "concurrency", "timeout", "model_name", "max_requests", "max_cost")
    ),
}
"""By backend of Falter's own the options that it reads, besides those of prompts and of costs."""
_OF_TASK: Mapping[str, Task] = {"answer_by": "answer", "match_by": "match"}


class NotRead(dict[str, str]):
    """By option, as on the command line, why a model does not read it."""


def options_not_read(
    spec: str, model: Model, options: ModelOptions, *, tasks: Sequence[Task], prompted: bool
) -> NotRead:
    """The options that were chosen and that a model does not read on a suite of these tasks."""
    found = NotRead()
    shown = hide_address(spec or model.name)
    backend = spec.partition(":")[0]
    chosen = [field.name for field in msgspec.structs.fields(options) if getattr(options, field.name) != field.default]
    for name in chosen:
        option = f"--{name.replace('_', '-')}" if name != "bos" else "--no-bos"
        if name in _PROMPT:
            if not prompted:
                found[option] = f"{shown} uses no prompt on this suite"
        elif name in ("max_requests", "max_cost") and not model.capabilities.remote:
            found[option] = f"{shown} calls no server"
        elif name in _OF_TASK and _OF_TASK[name] not in tasks:
            found[option] = f"the suite has nothing for {shown} to {_OF_TASK[name]}"
        elif backend in BACKEND_OPTIONS and name not in (*_COST, *BACKEND_OPTIONS[backend]):
            found[option] = f"{shown} does not read it"
    return found


def sources_not_read(spec: str, *, scenes: bool, train: bool) -> NotRead:
    """Which of ``--scenes`` and ``--train`` was given to a model of Falter's own that does not read it."""
    backend, _, rest = spec.partition(":")
    if backend not in BACKENDS or backend == "python" or backend not in BACKEND_OPTIONS:
        return NotRead()
    needs, own = "", None
    if backend == "builtin":
        name, _, own = parse_builtin(rest)
        needs = BUILTINS.get(name).needs if name in BUILTINS else "--scenes --train"
    found = NotRead()
    for option, given in (("--scenes", scenes), ("--train", train)):
        if given and (option not in needs or (option == "--train" and own is not None)):
            found[option] = f"{hide_address(spec)} does not read it"
    return found
