"""Finding a key, or a piece of one, in a text that a server sent, however it is written there."""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

MARK = "[key]"
_PIECE = 8
"""The shortest piece of a key that is hidden."""
_SAMPLE = 4
_ROUNDS = 3
"""How many escapes may be nested: a percent escape in a JSON escape in an HTML entity."""
_LONGEST = 16_384
"""A longer text that holds a piece is hidden as a whole: no reply of that length is worth the search for its place."""
_PLACEHOLDERS = frozenset(
    ("dummy", "empty", "fake-key", "lm-studio", "no-key", "none", "not-needed", "null", "ollama", "sk-no-key-required")
)
"""What the manuals of local servers give as a key. It is no secret, and its pieces are words."""

_ESCAPE = re.compile(
    r"(?:%[0-9a-f]{2})+|(?:\\x[0-9a-f]{2})+|\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\[\\/\"'bfnrt0]|"
    r"&#\d{1,7};?|&#x[0-9a-f]{1,6};?|&[a-z]{2,32};",
    re.IGNORECASE,
)
_TERMINAL = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|"
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]{0,256}(?:\x07|\x1b\\|\x9c)|\x1b[ -/][0-~]"
)
"""Sequences that a terminal does not show."""
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "0": "\0"}
_VISIBLE = dict.fromkeys((*range(32), 127))
_ALPHANUMERIC = {code: None for code in range(128) if not chr(code).isalnum()}


_Replacement = Callable[[re.Match[str]], str]


class _Character(NamedTuple):
    """A character, and where it comes from in the text as it was sent."""

    value: str
    start: int
    end: int


class _Pieces:
    """Pieces of one length, in small letters."""

    __slots__ = ("_length", "_samples", "known")

    def __init__(self, pieces: Iterable[str], length: int) -> None:
        self.known = frozenset(piece.lower() for piece in pieces)
        self._length = length
        self._samples = frozenset(_windows(self.known, _SAMPLE))

    def is_in(self, text: str) -> bool:
        """Whether a text holds a piece: one of few samples of it would be a part of that piece."""
        step = self._length - _SAMPLE + 1
        return any(
            text[i : i + _SAMPLE] in self._samples
            and any(text[j : j + self._length] in self.known for j in range(max(0, i - step + 1), i + 1))
            for i in range(0, len(text), step)
        )

    def spans(self, text: list[_Character]) -> Iterator[tuple[int, int]]:
        """Where the pieces are in the text as it was sent."""
        joined = "".join(character.value for character in text)
        for index in range(len(joined) - self._length + 1):
            if joined[index : index + self._length] in self.known:
                yield text[index].start, text[index + self._length - 1].end


class Redaction:
    """Replaces a key by a mark.

    Found are pieces of eight characters or more in any case, also with invisible characters, escape sequences or
    separators in between, under escapes of URLs, JSON and HTML, backwards, in hexadecimal digits and in base64. The
    cost is linear in the text. A key of fewer than eight characters is found as a whole only.
    """

    __slots__ = ("_hexadecimal", "_plain", "_separated", "_whole")

    def __init__(self, key: str) -> None:
        if key.lower() in _PLACEHOLDERS:
            key = ""
        self._whole = key if 4 <= len(key) < _PIECE else ""
        key = key if len(key) >= _PIECE else ""
        self._plain = _Pieces(_windows((key, key[::-1]), _PIECE), _PIECE)
        # Where separators are ignored, pieces that may be words are left out: "for the local" is no piece of a key.
        forms = (_only_alphanumeric(form) for form in (key, key[::-1], *_base64_forms(key)))
        self._separated = _Pieces((one for one in _windows(forms, _PIECE) if not _may_be_words(one)), _PIECE)
        self._hexadecimal = _Pieces(_windows((key.encode().hex(),), 2 * _PIECE), 2 * _PIECE)

    def __call__(self, text: str) -> str:
        """The text with a mark in the place of the key."""
        if self._whole:
            return text.replace(self._whole, MARK)
        if not self._plain.known or not any(self._is_in(form) for form in _forms(text)):
            return text
        if len(text) > _LONGEST:
            return MARK
        return _replace(text, self._spans(text))

    def _is_in(self, text: str) -> bool:
        folded = _fold(text)
        joined = folded.translate(_ALPHANUMERIC)
        return self._plain.is_in(folded) or self._separated.is_in(joined) or self._hexadecimal.is_in(joined)

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        sent = [_Character(value, index, index + 1) for index, value in enumerate(text)]
        for form in _traced_forms(sent):
            folded = _traced_fold(form)
            joined = [character for character in folded if character.value.isalnum()]
            yield from self._plain.spans(folded)
            yield from self._separated.spans(joined)
            yield from self._hexadecimal.spans(joined)


def _windows(forms: Iterable[str], length: int) -> Iterator[str]:
    return (form[i : i + length] for form in forms for i in range(len(form) - length + 1))


def _only_alphanumeric(text: str) -> str:
    return text.translate(_ALPHANUMERIC)


def _may_be_words(piece: str) -> bool:
    return piece.isalpha() and (piece.islower() or piece.isupper() or piece.istitle())


def _base64_forms(key: str) -> Iterator[str]:
    """The digits of base64 that a key determines after 0, 1 or 2 other bytes, whatever comes after it."""
    for before in range(3 if key else 0):
        data = bytes(before) + key.encode()
        digits = base64.b64encode(data).decode().rstrip("=")
        yield digits[-(-8 * before // 6) : 8 * len(data) // 6]


def _forms(text: str) -> Iterator[str]:
    """The text as it is and with its escapes undone, each with and without what a terminal does not show."""
    for _ in range(_ROUNDS + 1):
        yield text
        if "\x1b" in text or not text.isascii():
            yield _TERMINAL.sub("", text)
        undone = _ESCAPE.sub(_undo, text)
        if undone == text:
            return
        text = undone


def _traced_forms(text: list[_Character]) -> Iterator[list[_Character]]:
    for _ in range(_ROUNDS + 1):
        yield text
        yield _traced_substitution(text, _TERMINAL, lambda _: "")
        undone = _traced_substitution(text, _ESCAPE, _undo)
        if undone == text:
            return
        text = undone


def _traced_substitution(
    text: list[_Character], pattern: re.Pattern[str], replacement: _Replacement
) -> list[_Character]:
    result: list[_Character] = []
    end = 0
    for match in pattern.finditer("".join(character.value for character in text)):
        result += text[end : match.start()]
        end = match.end()
        span = text[match.start()].start, text[end - 1].end
        result += [_Character(value, *span) for value in replacement(match)]
    return result + text[end:]


def _undo(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == "&":
        return html.unescape(found)
    if found[0] == "%" or found[1] in "xX":
        return bytes.fromhex(re.sub(r"[%\\xX]", "", found)).decode("utf-8", "ignore")
    if found[1] in "uU":
        code = int(found[2:].strip("{}"), 16)
        return chr(code) if code <= 0x10FFFF else ""
    return _CONTROLS.get(found[1].lower(), found[1])


def _fold(text: str) -> str:
    """Small ASCII letters; accents, invisible characters and all that is not ASCII are dropped."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return text.translate(_VISIBLE).lower()


def _traced_fold(text: list[_Character]) -> list[_Character]:
    return [_Character(value, character.start, character.end) for character in text for value in _fold(character.value)]


def _replace(text: str, spans: Iterable[tuple[int, int]]) -> str:
    result: list[str] = []
    kept = 0
    for start, end in sorted(spans):
        if start > kept or not result:
            result += (text[kept:start], MARK)
        kept = max(kept, end)
    return "".join(result) + text[kept:]
