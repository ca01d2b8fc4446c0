"""Untrusted text made fit for a terminal or a page: characters that are invisible or change direction are named."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

import msgspec

__all__ = ["escape_invisible", "escape_json"]

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
