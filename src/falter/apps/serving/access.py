"""Who may see a page: whoever has a token; and whether the packages are installed that serve pages."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Protocol

from falter.core.errors import FalterError

_LONGEST = 256
"""A longer token is nobody's, and is not hashed."""


class BusyError(FalterError):
    """What a request needs is held by somebody else: nothing was changed, and asking again will help."""


class Access(Protocol):
    """Knows whose a token is."""

    def identify(self, token: str) -> str | None:
        """The name of whoever has this token; None for a token that is forged, foreign or revoked.

        Called in a thread; it may wait for a while, and raise :class:`BusyError`.
        """
        ...


class SingleToken:
    """One token for one person: whoever started the server. It is drawn where none is given."""

    def __init__(self, token: str | None = None, *, who: str = "owner") -> None:
        self.token = token or new_token()
        self._known = [(who, hash_token(self.token))]

    def identify(self, token: str) -> str | None:
        return find_by_token(token, self._known)


def new_token() -> str:
    """A token that cannot be guessed: 192 random bits."""
    return secrets.token_urlsafe(24)


def hash_token(token: str) -> str:
    """What is kept of a token; the token itself is in its link alone."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def private_path(token: str) -> str:
    """The path under which the pages of one token are. Who does not know the token cannot guess it.

    >>> private_path("token") == private_path("token"), private_path("token")[:2], len(private_path("token"))
    (True, '/~', 26)
    """
    return f"/~{hashlib.sha256(b'falter path' + token.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def find_by_token(token: str, known: Iterable[tuple[str, str]]) -> str | None:
    """The name whose hash is that of the token; every hash is compared, each in constant time."""
    given = hash_token(token[:_LONGEST])
    found = None
    for name, hashed in known:
        if hmac.compare_digest(given, hashed):
            found = name
    return found if len(token) <= _LONGEST else None
