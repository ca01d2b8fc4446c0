"""Models: anything that can answer, match, or both."""

import warnings
from typing import Any

from falter.models.backends import BACKENDS, load_model
from falter.models.capabilities import Capabilities
from falter.models.failures import BudgetExceededError, PermanentError, TransientError, failed_reply, is_transient
from falter.models.load_context import LoadContext
from falter.models.options import ModelOptions
from falter.models.prices import Price, Prices, read_prices
from falter.models.protocol import Model
from falter.models.request import Request
from falter.models.request_image import load_image, load_picture
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
    "failed_reply",
    "is_transient",
    "load_image",
    "load_model",
    "load_picture",
    "read_prices",
]

_OLD_NAMES = {
    "BudgetSpent": "BudgetExceededError",
    "KINDS": "BACKENDS",
    "ModelContext": "LoadContext",
    "PermanentFailure": "PermanentError",
    "TransientFailure": "TransientError",
}
"""Accepted for one version: models outside the package import them."""


def __getattr__(name: str) -> Any:
    if name not in _OLD_NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"falter.models.{name} is now called {_OLD_NAMES[name]}", DeprecationWarning, stacklevel=2)
    return globals()[_OLD_NAMES[name]]
