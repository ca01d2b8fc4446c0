"""What may go wrong with one request, sorted by what helps: asking again, another item, or the user."""

from __future__ import annotations

from falter.errors import FalterError

__all__ = [
    "EndpointRejectedError",
    "EndpointUnreachableError",
    "ItemRejectedError",
    "ParameterRejectedError",
    "RetryableError",
]


class RetryableError(Exception):
    """The request came to nothing, and asking again may help."""

    def __init__(
        self,
        message: str,
        *,
        wait: float | None = None,
        slow_down: bool = False,
        limited: bool = False,
        unreached: bool = False,
        maybe_charged: bool = False,
    ) -> None:
        super().__init__(message)
        self.wait = wait
        """Seconds the server asked to be left alone."""
        self.slow_down = slow_down
        """Whether it is a sign of too much at once."""
        self.limited = limited
        """Whether it is a rate limit: no fault of the request, so that it is not counted against it."""
        self.unreached = unreached
        """Whether no answer of any kind came."""
        self.maybe_charged = maybe_charged
        """Whether the server may have done the work, and be paid for it, all the same."""


class ParameterRejectedError(Exception):
    """The server wants the request put in another way (a parameter by its other name), and can have it so."""


class ItemRejectedError(Exception):
    """This item will never get a reply, however often it is sent; others may."""


class EndpointRejectedError(FalterError):
    """No item will get a reply until the user changes something: the key, the name of the model."""


class EndpointUnreachableError(FalterError):
    """Nobody answers at the endpoint, or nobody does any more."""
