"""A server that repeats the key wherever it can and in many disguises, and a search for what got through."""

from __future__ import annotations

import base64
import html
import itertools
import json
import random
import re
import urllib.parse
from collections.abc import Callable, Iterator
from math import gcd
from typing import NamedTuple

from tests.models.openai.faulty import NUMBER, right_answer
from tests.models.openai.server import Asked, Out, completion, listed

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
KEY = "sk-or-v1-" + "".join(random.Random(7).choices(LETTERS + "_-", k=60))

PIECES: dict[str, str] = {
    "whole": KEY,
    "without its beginning": KEY[9:],
    "without its end": KEY[:-9],
    "eight of the middle": KEY[31:39],
    "the last nine": KEY[-9:],
}

DISGUISES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "zero-width": "\u200b".join,
    "joiners": "\u2060".join,
    "soft hyphens": "\u00ad".join,
    "bidi": lambda said: "\u202e".join(said) + "\u202c",
    "variation selectors": "\ufe0f".join,
    "null bytes": "\0".join,
    "bare escapes": "\x1b".join,
    "colors": "\x1b[1;31m".join,
    "eight-bit escapes": "\x9b0m".join,
    "titles": "\x1b]0;t\x07".join,
    "in a title": lambda said: f"\x1b]0;{said}\x07",
    "newlines": "\n".join,
    "spaces": " ".join,
    "hyphens": lambda said: "-".join(said[i : i + 4] for i in range(0, len(said), 4)),
    "percent": lambda said: "".join(f"%{ord(c):02X}" for c in said),
    "percent twice": lambda said: "".join(f"%25{ord(c):02x}" for c in said),
    "zero-width in percent": "%E2%80%8B".join,
    "JSON": lambda said: "".join(f"\\u{ord(c):04x}" for c in said),
    "zero-width in JSON": "\\u200b".join,
    "bytes": lambda said: "".join(f"\\x{ord(c):02x}" for c in said),
    "HTML": lambda said: "".join(f"&#{ord(c)};" for c in said),
    "hexadecimal": lambda said: said.encode().hex(),
    "base64": lambda said: base64.b64encode(said.encode()).decode(),
    "base64 of the header": lambda said: base64.b64encode(f"Bearer {said}".encode()).decode(),
    "base64 for URLs": lambda said: base64.urlsafe_b64encode(f"k={said}".encode()).decode(),
    "full width": lambda said: "".join(chr(ord(c) + 0xFEE0) for c in said),
    "capitals": str.upper,
    "backwards": lambda said: said[::-1],
}


class Quote(NamedTuple):
    """What one question is answered with."""

    place: str
    disguise: str
    piece: str

    @property
    def text(self) -> str:
        return DISGUISES[self.disguise](PIECES[self.piece])


def _error(status: int, body: object, **headers: str) -> Out:
    return Out(json.dumps(body).encode(), status, {"Retry-After": "0"} | headers)


def _message(status: int) -> Callable[[Asked, str], Out]:
    return lambda asked, said: _error(status, {"error": {"message": f"no: {said}.", "code": said}})


def _said(asked: Asked, **changes: object) -> Out:
    return Out(completion(asked, right_answer(asked.text), **changes))


ITEMS: dict[str, Callable[[Asked, str], Out]] = {
    "reply": lambda asked, said: Out(completion(asked, f"{right_answer(asked.text)}: {said}")),
    "parts": lambda asked, said: _said(
        asked,
        message={
            "role": "assistant",
            "content": [{"type": "text", "text": said[i : i + 3]} for i in range(0, len(said), 3)],
        },
    ),
    "refusal": lambda asked, said: _said(asked, message={"role": "assistant", "content": None, "refusal": said}),
    "tool call": lambda asked, said: _said(
        asked,
        message={"role": "assistant", "content": None, "tool_calls": [{"function": {"name": said, "arguments": said}}]},
    ),
    "reason to finish": lambda asked, said: _said(asked, finish_reason=said, id=said, system_fingerprint=said),
    "log-probabilities": lambda asked, said: _said(asked, logprobs=listed({said: -0.1, "yes": -2.0})),
    "role": lambda asked, said: _said(asked, message={"role": said, "content": "yes"}),
    "types": lambda asked, said: _said(asked, usage={said: said}, choices={said: [said]}),
    "stray model": lambda asked, said: _said(asked, model=said),
    "error with status 200": lambda asked, said: Out(json.dumps({"error": {"message": said, "code": 400}}).encode()),
    "stream": lambda asked, said: Out(f"data: {json.dumps({'choices': [{'delta': {'content': said}}]})}\n\n".encode()),
    "error in a stream": lambda asked, said: Out(f"event: error\ndata: {json.dumps(said)}\n\n".encode()),
    "plain text": lambda asked, said: Out(f"about {said}".encode(), 422, {"Content-Type": "text/plain"}),
    "detail": lambda asked, said: _error(422, {"detail": [{"loc": ["body", said], "msg": said, "input": said}]}),
    "long": lambda asked, said: _error(400, {"message": f"{said[:-3]} {'x ' * 30} {said}"}),
    **{str(status): _message(status) for status in (400, 405, 406, 409, 410, 413, 415, 418, 422, 500, 502, 503)},
}
"""Answers that concern one item."""

ENDS: dict[str, Callable[[Asked, str], Out]] = {
    **{str(status): _message(status) for status in (401, 402, 403, 404)},
    "no credit": lambda asked, said: _error(429, {"error": {"message": f"insufficient_quota {said}"}}),
    "wait": lambda asked, said: Out(json.dumps({"error": said}).encode(), 429, {"Retry-After": "86400"}),
    "no such model": lambda asked, said: _error(400, {"message": f"model tiny-vl not found, {said}"}),
    "model": lambda asked, said: _said(asked, model=said),
}
"""Answers that end a run, or name it."""


def quotes(places: dict[str, Callable[[Asked, str], Out]], number: int) -> list[Quote]:
    """So many quotes; the numbers of places, disguises and pieces have no common factor, so that none comes twice."""
    lists = [list(one) for one in (places, DISGUISES, PIECES)]
    assert all(gcd(len(one), len(other)) == 1 for one, other in itertools.combinations(lists, 2))
    return [Quote(*(one[index % len(one)] for one in lists)) for index in range(number)]


def number_of(asked: Asked) -> int:
    return int(NUMBER.findall(asked.text)[0])


def leaks(text: str) -> Iterator[str]:
    """Pieces of eight characters in a text, under each disguise, found in a way that the product does not use."""
    for form in _undone(text):
        for squeezed in (_squeezed(form), _squeezed(re.sub(r"\x1b\[[\d;]*m|\x9b\d*m|\x1b\]0;t\x07", "", form))):
            yield from (piece for piece in _WINDOWS if piece in squeezed)


def _undone(text: str) -> Iterator[str]:
    for _ in range(3):
        yield text
        text = html.unescape(urllib.parse.unquote(text))
        text = re.sub(r"\\u([0-9a-f]{4})|\\x([0-9a-f]{2})", lambda one: chr(int(one[1] or one[2], 16)), text)
    yield text


def _squeezed(text: str) -> str:
    plain = "".join(chr(ord(c) - 0xFEE0) if 0xFF00 < ord(c) < 0xFF5F else c for c in text)
    return "".join(c for c in plain if c.isascii() and c.isalnum()).lower()


def _windows() -> list[str]:
    forms = [KEY[9:], KEY[:8:-1], KEY[9:].encode().hex()]
    forms += [base64.b64encode(b"." * before + KEY.encode()).decode()[4:-4] for before in range(3)]
    squeezed = [_squeezed(form) for form in forms]
    return [
        form[i : i + length]
        for form in squeezed
        for length in (16 if form == squeezed[2] else 8,)
        for i in range(len(form) - length + 1)
    ]


_WINDOWS = _windows()
