"""Where a model is asked, under which name, and with which key."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from falter.errors import UsageError
from falter.models.openai.api_key import ApiKey
from falter.safe import hidden_segments, hide_address

__all__ = ["OFFICIAL", "Endpoint", "parse_endpoint"]

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
