"""The errors by which a model reports a failure, transient or permanent."""

from __future__ import annotations

from falter.errors import FalterError
from falter.runs.reply import TRANSIENT, Reply, is_transient

__all__ = ["BudgetExceededError", "PermanentError", "TransientError", "failed_reply", "is_transient"]


class TransientError(Exception):
    """Another attempt may help: a timeout, a busy server. The engine waits and retries a few times."""

    def __init__(self, message: str, *, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait
        """Seconds that the server asked to wait, if it said so."""


class PermanentError(Exception):
    """Another attempt will not help: a broken image, a refused request."""


class BudgetExceededError(FalterError):
    """A model may ask no more: what was received stays, and the run stays open.

    Raise it from ``reply`` or, once every pending reply has been yielded, from ``reply_unordered``. The message says
    what was spent, for example ``"500 requests were made, as many as --max-requests allows"``.
    """

    exit_code = 1
    """The run is incomplete; nothing was wrong with what was asked for."""


def failed_reply(item_id: str, error: BaseException | str) -> Reply:
    """A reply with status ``failed``; it says whether a later run should retry."""
    if isinstance(error, TransientError):
        message = f"{TRANSIENT}{error}"
    elif isinstance(error, PermanentError | str):
        message = str(error)
    else:
        message = f"{type(error).__name__}: {error}"
    return Reply(item_id=item_id, status="failed", error=message)
