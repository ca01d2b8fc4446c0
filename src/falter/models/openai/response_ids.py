"""Whether a reply is the one to the request it came for, as far as that can be told."""

from __future__ import annotations

import re
import secrets

from falter.models.openai.completion import Completion
from falter.models.openai.errors import RetryableError

__all__ = ["ResponseIdCheck"]

_OURS = re.compile(r"falter-[0-9a-f]{8}-\d+")


class ResponseIdCheck:
    """Marks requests, and looks for the marks in what comes back.

    Every request carries an id of its own in ``X-Request-Id``. Servers such as vLLM, and many gateways, give it back
    in the completion's id or in a header: a reply that carries the id of another request is somebody else's.
    """

    def __init__(self) -> None:
        self._mark = secrets.token_hex(4)
        self._asked = 0

    def next_id(self) -> str:
        """An id that no other request has."""
        self._asked += 1
        return f"falter-{self._mark}-{self._asked}"

    def check(self, own: str, completion: Completion, header: str) -> None:
        """Raise a :class:`RetryableError` for a reply to something else."""
        for echo in (completion.id, header):
            if (found := _OURS.search(echo)) is not None and found[0] != own:
                raise RetryableError("the server sent the reply to another request", maybe_charged=True)
