"""Keeping the key out of everything that is written or said."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from urllib.parse import quote

from falter.models.openai.redaction import MARK, Redaction

__all__ = ["ApiKey"]

_KEY_LIKE = re.compile(r"\bsk-[\w*.…-]{4,}|(?<=\bBearer )\S+|[\w-]+\*{3,}[\w-]*|\*{3,}[\w-]+", re.IGNORECASE)
"""Parts of a key with the rest in asterisks, as services quote it, or a key of somebody else."""
_SHORTEST = 4
"""A shorter key (a placeholder) cannot be told from ordinary text."""


class ApiKey:
    """A secret that is sent to the server and shown to nobody."""

    __slots__ = ("_forms", "_others", "_redaction", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        self._others: tuple[str, ...] = ()
        self._redaction = Redaction(value)
        forms = {value, quote(value, safe=""), base64.b64encode(value.encode()).decode()}
        self._forms = sorted(forms, key=len, reverse=True) if len(value) >= _SHORTEST else []

    def __repr__(self) -> str:
        return "ApiKey(...)" if self._value else "ApiKey(none)"

    def with_others(self, others: Sequence[str]) -> ApiKey:
        """The same key, with other texts that are hidden in messages: parts of an address."""
        same = ApiKey(self._value)
        same._others = tuple(sorted((one for one in others if len(one) >= _SHORTEST), key=len, reverse=True))
        return same

    def __bool__(self) -> bool:
        return bool(self._value)

    def reveal(self) -> str:
        """The key itself, for the client; a server that wants none is sent a word instead."""
        return self._value or "none"

    @property
    def can_be_sent(self) -> bool:
        """Whether it can stand in a header; an error about one that cannot would quote it in some other form."""
        return not self._value or (self._value.isascii() and self._value.isprintable() and " " not in self._value)

    def is_in(self, text: str) -> bool:
        """Whether the whole key is in a text, as it is or encoded for a URL."""
        return any(form in text for form in self._forms)

    def hide(self, text: str) -> str:
        """The text without the key, any piece of it, and what looks like a part of a key.

        >>> ApiKey("abc123def").hide("Incorrect key abc123def, or sk-ab****yz")
        'Incorrect key [key], or [key]'
        """
        for other in self._others:
            text = text.replace(other, MARK)
        return _KEY_LIKE.sub(MARK, self._redaction(text))

    def remove(self, text: str) -> str:
        """The text of a model without the key and any piece of it; what merely looks like one stays."""
        return self._redaction(text)
