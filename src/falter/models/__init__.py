"""Models: anything that can answer, match, or both."""

from falter.models.backends import KINDS, load_model
from falter.models.capabilities import Capabilities
from falter.models.failures import BudgetSpent, PermanentFailure, TransientFailure, failed_reply, is_transient
from falter.models.load_context import ModelContext
from falter.models.options import ModelOptions
from falter.models.prices import Price, Prices, read_prices
from falter.models.protocol import Model
from falter.models.request import Request
from falter.models.request_image import load_image, load_picture
from falter.runs.reply import Reply, ScoreKind, Status

__all__ = [
    "KINDS",
    "BudgetSpent",
    "Capabilities",
    "Model",
    "ModelContext",
    "ModelOptions",
    "PermanentFailure",
    "Price",
    "Prices",
    "Reply",
    "Request",
    "ScoreKind",
    "Status",
    "TransientFailure",
    "failed_reply",
    "is_transient",
    "load_image",
    "load_model",
    "load_picture",
    "read_prices",
]
