"""Models: anything that can answer, match, or both. Each name is imported when it is first used."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from falter.data.model import (
        BudgetExceededError,
        Capabilities,
        Model,
        PermanentError,
        Reply,
        Request,
        ScoreKind,
        Status,
        TransientError,
        failed_reply,
        is_transient,
        load_image,
    )
    from falter.data.model_loading import LoadContext
    from falter.data.model_options import ModelOptions
    from falter.data.usage import Usage
    from falter.evaluation.models.backends import BACKENDS, load_model
    from falter.evaluation.models.prices import Price, Prices, read_prices

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
    "falter.evaluation.models.backends": ("BACKENDS", "load_model"),
    "falter.data.model": (
        *("BudgetExceededError", "Capabilities", "Model", "PermanentError", "Reply", "Request", "ScoreKind", "Status"),
        *("TransientError", "failed_reply", "is_transient", "load_image"),
    ),
    "falter.data.model_loading": ("LoadContext",),
    "falter.data.model_options": ("ModelOptions",),
    "falter.evaluation.models.prices": ("Price", "Prices", "read_prices"),
    "falter.data.usage": ("Usage",),
}
"""Public names by module. Loading them lazily keeps the command line light."""


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            globals()[name] = getattr(importlib.import_module(module), name)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
