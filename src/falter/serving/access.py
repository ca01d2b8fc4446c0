"""Who may see a page: whoever has a token."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Protocol

__all__ = ["Access", "SingleToken", "find_by_token", "hash_token", "new_token"]

_LONGEST = 256
"""A longer token is nobody's, and is not hashed."""


class Access(Protocol):
    """Knows whose a token is."""

    def identify(self, token: str) -> str | None:
        """The name of whoever has this token; None for a token that is forged, foreign or revoked."""
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


def find_by_token(token: str, known: Iterable[tuple[str, str]]) -> str | None:
    """The name whose hash is that of the token; every hash is compared, each in constant time."""
    given = hash_token(token[:_LONGEST])
    found = None
    for name, hashed in known:
        if hmac.compare_digest(given, hashed):
            found = name
    return found if len(token) <= _LONGEST else None
