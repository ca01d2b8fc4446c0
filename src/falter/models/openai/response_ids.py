"""Whether a reply is the one to the request it came for, as far as that can be told."""

from __future__ import annotations

import re
import secrets
from collections import Counter

from falter.models.openai.completion import Completion
from falter.models.openai.errors import RetryableError

__all__ = ["ResponseIdCheck"]

_OURS = re.compile(r"falter-[0-9a-f]{8}-\d+")
_SEEN_AT_FIRST = 2
_SEEN_LATER = 3


class ResponseIdCheck:
    """Marks requests, and looks for the marks and for the model's name in what comes back.

    Every request carries an id of its own in ``X-Request-Id``. Servers such as vLLM, and many gateways, give it back
    in the completion's id or in a header: a reply that carries the id of another request is somebody else's.

    The name of the model in a reply need not be the one that was asked for (aliases, snapshots). The first that comes
    is taken if it looks like the one asked for; any other is taken for a stray until it has come again (before there
    was any reply) or three times (after that), for then it is the server's way.
    """

    def __init__(self, model: str) -> None:
        self._mark = secrets.token_hex(4)
        self._asked = 0
        self._model = model
        self._known: set[str] = set()
        self._strays: Counter[str] = Counter()

    def next_id(self) -> str:
        """An id that no other request has."""
        self._asked += 1
        return f"falter-{self._mark}-{self._asked}"

    def check(self, own: str, completion: Completion, header: str) -> None:
        """Raise a :class:`RetryableError` for a reply to something else."""
        for echo in (completion.id, header):
            if (found := _OURS.search(echo)) is not None and found[0] != own:
                raise RetryableError("the server sent the reply to another request", maybe_charged=True)
        name = completion.model
        if name not in self._known and not self._is_welcome(name):
            self._strays[name] += 1
            if self._strays[name] < (_SEEN_LATER if self._known else _SEEN_AT_FIRST):
                raise RetryableError(f"the server sent a reply of another model, {name:.80}", maybe_charged=True)
        self._known.add(name)

    def _is_welcome(self, name: str) -> bool:
        if name in {"", self._model}:
            return True
        asked, given = self._model.casefold(), name.casefold()
        return not self._known and (asked in given or given in asked)
