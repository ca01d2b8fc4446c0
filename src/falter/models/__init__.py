"""Models: anything that can answer, match, or both. Each name is imported when it is first used."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from falter.models.backends import BACKENDS, load_model
    from falter.models.capabilities import Capabilities
    from falter.models.failures import BudgetExceededError, PermanentError, TransientError, failed_reply, is_transient
    from falter.models.load_context import LoadContext
    from falter.models.options import ModelOptions
    from falter.models.prices import Price, Prices, read_prices
    from falter.models.protocol import Model
    from falter.models.request import Request
    from falter.models.request_image import load_image
    from falter.models.usage import Usage
    from falter.runs.reply import Reply, ScoreKind, Status

__all__ = [
    "BACKENDS",
    "BudgetExceededError",
    "Capabilities",
    "LoadContext",
    "Model",
    "ModelOptions",
    "PermanentError",
    "Price",
    "Prices",
    "Reply",
    "Request",
    "ScoreKind",
    "Status",
    "TransientError",
    "Usage",
    "failed_reply",
    "is_transient",
    "load_image",
    "load_model",
    "read_prices",
]

_MODULES = {
    "falter.models.backends": ("BACKENDS", "load_model"),
    "falter.models.capabilities": ("Capabilities",),
    "falter.models.failures": (
        *("BudgetExceededError", "PermanentError", "TransientError"),
        *("failed_reply", "is_transient"),
    ),
    "falter.models.load_context": ("LoadContext",),
    "falter.models.options": ("ModelOptions",),
    "falter.models.prices": ("Price", "Prices", "read_prices"),
    "falter.models.protocol": ("Model",),
    "falter.models.request": ("Request",),
    "falter.models.request_image": ("load_image",),
    "falter.models.usage": ("Usage",),
    "falter.runs.reply": ("Reply", "ScoreKind", "Status"),
}
"""Public names by module. Loading them lazily keeps the command line light."""


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            globals()[name] = getattr(importlib.import_module(module), name)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
