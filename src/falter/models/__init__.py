"""Models: anything that can answer, match, or both."""

from falter.models.context import ModelContext
from falter.models.failures import PermanentFailure, TransientFailure, failed_reply, is_transient
from falter.models.options import ModelOptions
from falter.models.pictures import load_picture
from falter.models.protocol import Model, StreamingModel
from falter.models.reply import Reply, Request, ScoreKind, Status, request_of
from falter.models.spec import KINDS, load_model

__all__ = [
    "KINDS",
    "Model",
    "ModelContext",
    "ModelOptions",
    "PermanentFailure",
    "Reply",
    "Request",
    "ScoreKind",
    "Status",
    "StreamingModel",
    "TransientFailure",
    "failed_reply",
    "is_transient",
    "load_model",
    "load_picture",
    "request_of",
]
