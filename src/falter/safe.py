"""Untrusted text made fit for a terminal or a page: characters that are invisible or change direction are named."""

from __future__ import annotations

import unicodedata

__all__ = ["escape_invisible"]

_KEPT = frozenset("\n\t\u00ad\u200c\u200d")
"""Line ends and tabs lay text out; the soft hyphen and the joiners belong to words and emoji."""


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
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return f"⟨U+{code:04X}⟩"
    return character
