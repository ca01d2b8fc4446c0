"""Where a model is asked, under which name, and with which key, which is kept out of all that is written or said."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from falter.core.errors import UsageError
from falter.core.untrusted_text import hidden_segments, hide_address
from falter.evaluation.models.openai.redaction import MARK, Redaction

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


OFFICIAL = "https://api.openai.com/v1"
KEYS = ("FALTER_OPENAI_API_KEY", "OPENAI_API_KEY")
_SPEC = re.compile(r"(?P<model>.*?)@(?P<base>https?://.*)", re.IGNORECASE | re.DOTALL)
_ADDRESS_OF_ANOTHER_KIND = re.compile(
    r".+@(?:localhost\b|\[[0-9a-f:]+\]|[\w.-]+:\d+|[\w+.-]*:/).*", re.IGNORECASE | re.DOTALL
)
"""What would otherwise be a name, asked at the endpoint of somebody else."""


@dataclass(frozen=True)
class Endpoint:
    """A model of a server; nothing that can be shown of it holds the key."""

    model: str
    base: str = field(repr=False)
    key: ApiKey = field(repr=False)

    @property
    def shown(self) -> str:
        """The address for messages, without what may be a key in its path."""
        return hide_address(self.base)

    @property
    def official(self) -> bool:
        return self.base == OFFICIAL


def parse_endpoint(rest: str, environment: Mapping[str, str] | None = None) -> Endpoint:
    """``MODEL`` or ``MODEL@BASE_URL``, with what is left out taken from the environment.

    >>> parse_endpoint("gpt-4o", {}).base
    'https://api.openai.com/v1'
    >>> parse_endpoint("llava@http://localhost:11434/v1/", {}).base
    'http://localhost:11434/v1'
    """
    known = os.environ if environment is None else environment
    key = ApiKey(next((known[name].strip() for name in KEYS if known.get(name, "").strip()), ""))
    if not key.can_be_sent:
        raise UsageError(f"the key in {' or '.join(KEYS)} contains spaces or characters that no key has: set it again")
    # Nothing below may repeat what was given before it is known that the key does not stand in it.
    if key.is_in(rest):
        raise UsageError(f"the key stands in the model's spec: leave it out, it is read from {KEYS[1]}")
    found = _SPEC.fullmatch(rest)
    model, base = (found["model"], found["base"]) if found else (rest, known.get("OPENAI_BASE_URL", "").strip())
    # No name of a model has "//": openai://user:password@host would be asked at the endpoint of somebody else.
    if not found and ("//" in rest or _ADDRESS_OF_ANOTHER_KIND.fullmatch(rest)):
        raise UsageError(
            "the address of a server stands after the model's name and begins with http:// or https://: "
            "openai:MODEL@BASE_URL"
        )
    if not model or any(character.isspace() for character in model):
        raise UsageError("a model of a server is openai:MODEL or openai:MODEL@BASE_URL, e.g. openai:gpt-4o")
    address = _checked(base, key) if base else OFFICIAL
    return Endpoint(model, address, key.with_others(hidden_segments(address)))


def _checked(base: str, key: ApiKey) -> str:
    if key.is_in(base):
        raise UsageError(f"the key stands in the base URL: leave it out, it is read from {KEYS[1]}")
    try:
        parts = urlsplit(base)
        port = parts.port
    except ValueError:
        raise UsageError("the base URL of the server is not a URL") from None
    # A password with a slash in it reads as a path: no @ is let through, wherever it stands.
    if "@" in base or parts.query or parts.fragment:
        raise UsageError(
            "the base URL of the server holds a user name, a password or a query, which would stand in the run: "
            f"leave them out; a key is read from {KEYS[1]}"
        )
    if parts.scheme.lower() not in {"http", "https"} or not parts.hostname or any(map(str.isspace, base)):
        raise UsageError("the base URL of the server is not like http://localhost:8000/v1")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port is None else f"{host}:{port}"
    return f"{parts.scheme.lower()}://{place}{parts.path.rstrip('/')}"
