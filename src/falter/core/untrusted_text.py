"""Untrusted text made fit for a terminal or a page: characters that are invisible or change direction are named."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from typing import Any

import msgspec

_KEPT = frozenset("\n\t\u00ad\u200c\u200d")
"""Line ends and tabs lay text out; the soft hyphen and the joiners belong to words and emoji."""

_NAMED = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")

_PLAIN = re.compile(r"[ -~\n\u00a1-\u00ac\u00ae-\u0377\u0391-\u03a1\u0410-\u044f\u2010-\u2015\u2018-\u201f\u2026]*")
"""What needs no closer look: printable ASCII, Western letters, quotes and dashes."""


def escape_invisible(text: str, *, one_line: bool = False) -> str:
    """Replace control, direction and other invisible characters by what names them.

    >>> escape_invisible("a\\x00b\\u202ec")
    'a␀b⟨U+202E⟩c'
    """
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(_shown(character) for character in text.replace("\r\n", "\n"))
    return shown.replace("\n", "␊").replace("\t", "␉") if one_line else shown


def _shown(character: str) -> str:
    if character in _KEPT:
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if unicodedata.category(character) in _NAMED:
        return f"⟨U+{code:04X}⟩"
    return character


_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
"""How a text begins that a spreadsheet takes for a formula: https://owasp.org/www-community/attacks/CSV_Injection."""
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")


def escape_cell(value: Any) -> Any:
    """A value for a cell of a CSV file: a text that a spreadsheet would run gets an apostrophe before it.

    >>> escape_cell("=1+1"), escape_cell("-5"), escape_cell(-5)
    ("'=1+1", '-5', -5)
    """
    if not isinstance(value, str):
        return value
    text = escape_invisible(value)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


_MARKUP = re.compile(r"[\\`*{}\[\]|#~]|(?<!\w)_|_(?!\w)")
"""What has a meaning in Markdown; an underscore has none within a word."""


def escape_markdown(text: str) -> str:
    """Text that stays within its line and is no markup in Markdown.

    >>> print(escape_markdown("<b>|"))
    &lt;b&gt;\\|
    """
    shown = escape_invisible(" ".join(text.split()), one_line=True)
    plain = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\g<0>", plain)


_ADDRESS = re.compile(r"(https?://)([^\s\"'<>]*)", re.IGNORECASE)
_PLAIN_SEGMENTS = frozenset(
    (
        *("api", "apis", "beta", "chat", "compatible-mode", "completions", "deployments", "inference", "llm", "models"),
        *("openai", "paas", "rest", "serve", "server", "serving-endpoints", "v1", "v1beta", "v2", "v3", "v4"),
    )
)
"""Parts of the paths of known services; chosen by hand. Any other may be a key, and a key looks like anything."""


def hide_address(text: str) -> str:
    """A text whose addresses are without user, password, query and those parts of paths that may be keys.

    Hidden parts of paths become a short hash, so that two addresses stay different.

    >>> hide_address("openai:m@https://host/v1"), hide_address("http://u:p@host/KEY/v1?k=1")
    ('openai:m@https://host/v1', 'http://[hidden]@host/[hidden-8d59aca6]/v1?[hidden]')
    """
    return _ADDRESS.sub(_hide_parts, text)


def hidden_segments(address: str) -> list[str]:
    """The parts of an address's path that are hidden where it is shown."""
    path = re.sub(r"https?://[^/]*", "", address, flags=re.IGNORECASE)
    return [part for part in path.split("/") if _is_hidden(part)]


def _is_hidden(segment: str) -> bool:
    return bool(segment) and segment.lower() not in _PLAIN_SEGMENTS


def _hide_parts(match: re.Match[str]) -> str:
    user, _, rest = match[2].rpartition("@")
    place = re.split("[?#]", rest, maxsplit=1)
    host, *segments = place[0].split("/")
    shown = [_hash_segment(host, one) if _is_hidden(one) else one for one in segments]
    query = "?[hidden]" if len(place) > 1 else ""
    return f"{match[1]}{'[hidden]@' if user else ''}{'/'.join((host, *shown))}{query}"


def _hash_segment(host: str, segment: str) -> str:
    return f"[hidden-{hashlib.sha256(f'{host}/{segment}'.encode('utf-8', 'replace')).hexdigest()[:8]}]"


def escape_json(value: Any) -> str:
    """Indented JSON in which invisible characters are written as escapes; whoever reads it gets the same values.

    >>> escape_json({"name": "a\\u202eb"})
    '{\\n  "name": "a\\\\u202eb"\\n}'
    """
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except UnicodeEncodeError:
        # A lone surrogate, as in a file name that is not UTF-8.
        return json.dumps(msgspec.to_builtins(value, str_keys=True), indent=2)
    if _PLAIN.fullmatch(text):
        return text
    return "".join(_escaped(character) for character in text)


def _escaped(character: str) -> str:
    if character == "\n" or unicodedata.category(character) not in _NAMED:
        return character
    return json.dumps(character)[1:-1] if character != "\x7f" else "\\u007f"
