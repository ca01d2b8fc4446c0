"""Capabilities declared as attributes of the model itself, which are accepted for one version."""

from __future__ import annotations

import warnings
from typing import Any

from falter.models.capabilities import Capabilities, PromptUsed

__all__ = ["capabilities_from_attributes"]

_RENAMED = {
    "abilities": "tasks",
    "works_blind": "accepts_text_only",
    "rule": "method",
    "prompted": "prompted_tasks",
    "writes": "generates",
    "served": "remote",
    "tokens_counted_by": "token_counter",
    "cacheable": "replays",
    "survey": "preflight",
    "stream": "reply_unordered",
}
_SAME = ("needs_image", "reads_context", "batch_size", "prompt", "seconds_per_item")


def capabilities_from_attributes(thing: Any, name: str) -> Capabilities:
    """Translate the old attributes of a model, with a warning that says what to declare instead."""
    found = {old: getattr(thing, old) for old in (*_RENAMED, *_SAME) if getattr(thing, old, None) is not None}
    if not found:
        return Capabilities()
    warnings.warn(
        f"{name} declares {', '.join(found)} as attributes: declare capabilities = falter.Capabilities(...) instead",
        DeprecationWarning,
        stacklevel=2,
    )
    declared = {_RENAMED.get(old, old): value for old, value in found.items()}
    if "replays" in declared:
        declared["replays"] = not declared["replays"]
    if not isinstance(declared.get("prompt"), PromptUsed):
        declared.pop("prompt", None)
    if declared.get("method") == "":
        del declared["method"]
    return Capabilities(**declared)
