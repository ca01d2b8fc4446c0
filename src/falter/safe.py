"""Text from data and models, made safe to look at: what is invisible or turns the line around is shown by name."""

from __future__ import annotations

import unicodedata

__all__ = ["escape_invisible"]

_KEPT = frozenset("\n\t\u00ad\u200c\u200d")
"""ChartLine ends and tabs lay text out; the soft hyphen and the joiners belong to words and emoji."""


def escape_invisible(text: str, *, one_line: bool = False) -> str:
    """The text with control, direction and other unseen characters replaced by what names them.

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
