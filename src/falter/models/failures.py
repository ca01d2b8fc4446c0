"""How a model says that it has no reply: for now, or for good."""

from __future__ import annotations

from falter.errors import FalterError
from falter.runs.reply import Reply

__all__ = ["BudgetSpent", "PermanentFailure", "TransientFailure", "failed_reply", "is_transient"]

_TRANSIENT = "transient: "


class TransientFailure(Exception):
    """Asking again may help: a timeout, a busy server. The engine waits and asks again, a few times."""

    def __init__(self, message: str, *, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait
        """Seconds the other side asked to be left alone, where it said so."""


class PermanentFailure(Exception):
    """Asking again will not help: a broken picture, a refused request."""


class BudgetSpent(FalterError):
    """A model may ask no more: what was received stays, and the run stays open.

    Raise it from ``reply`` or, once every reply that is under way has been given out, from ``stream``. The message
    says what was spent, for example ``"500 requests were made, as many as --max-requests allows"``.
    """


def failed_reply(item_id: str, error: BaseException | str) -> Reply:
    """The reply that stands for a failure; it says whether a later run should ask again."""
    if isinstance(error, TransientFailure):
        message = f"{_TRANSIENT}{error}"
    elif isinstance(error, PermanentFailure | str):
        message = str(error)
    else:
        message = f"{type(error).__name__}: {error}"
    return Reply(item_id=item_id, status="failed", error=message)


def is_transient(reply: Reply) -> bool:
    """Whether a reply is a failure that may have passed by now."""
    return reply.status == "failed" and reply.error is not None and reply.error.startswith(_TRANSIENT)
