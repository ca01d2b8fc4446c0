"""Whether a reply is the asked model's, by the name that comes with it."""

from __future__ import annotations

from collections import Counter

from falter.models.openai.endpoint import Endpoint
from falter.models.openai.errors import EndpointRejectedError, RetryableError

__all__ = ["ModelNameCheck"]

_SEEN_AT_FIRST = 2
_SEEN_LATER = 3
_MOST_NAMES = 20
"""A server that makes up a name for every reply is not recorded without end."""


class ModelNameCheck:
    """Looks at the name of the model in every reply, and collects the names that are not the one asked for.

    A name need not be the one that was asked for (aliases, snapshots). The first that comes is taken if it looks like
    the one asked for; any other is taken for a stray until it has come again (before there was any reply) or three
    times (after that), for then it is the server's way. With ``exact``, no other name is ever taken.
    """

    def __init__(self, endpoint: Endpoint, found: set[str], *, exact: bool) -> None:
        self._endpoint = endpoint
        self._exact = exact
        self._found = found
        self._known: set[str] = set()
        self._strays: Counter[str] = Counter()

    def check(self, name: str) -> None:
        """Raise a :class:`RetryableError` for a stray, and what ends the run where its name is not to be taken."""
        if name not in self._known and not self._is_welcome(name):
            self._strays[name] += 1
            if self._strays[name] < (_SEEN_LATER if self._known else _SEEN_AT_FIRST):
                raise RetryableError(
                    f"the server sent a reply of another model, {name or 'unnamed'}", maybe_charged=True
                )
            if self._exact:
                raise self._refusal(name)
        self._known.add(name)
        if name not in {"", self._endpoint.model} and len(self._found) < _MOST_NAMES:
            self._found.add(name)

    def _is_welcome(self, name: str) -> bool:
        asked = self._endpoint.model
        if self._exact:
            return name == asked
        if name in {"", asked}:
            return True
        asked, given = asked.casefold(), name.casefold()
        return not self._known and (asked in given or given in asked)

    def _refusal(self, name: str) -> EndpointRejectedError:
        base, asked = self._endpoint.shown, self._endpoint.model
        if not name:
            return EndpointRejectedError(f"{base} does not say which model replied: leave out --model-name exact")
        return EndpointRejectedError(
            f"{base} replied as {name}, not as {asked}: ask for that model, or accept it with --model-name any"
        )
