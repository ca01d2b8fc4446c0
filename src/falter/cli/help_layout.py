"""How ``--help`` is laid out: lines are broken at blanks alone, and an example stays a command that can be copied."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable
from typing import Any

__all__ = ["say_limits", "write_list", "write_text"]

_EXAMPLE = "Example: "
_WIDEST_NAME = 30
"""Columns of the names of options; a wider one has a line of its own."""

_GAP = 2
_LEAST = 10
_WHOLE: Any = {"break_long_words": False, "break_on_hyphens": False}
"""Options and paths stay whole."""

_NO_BREAK = "\u00a0"

_LIMITS = (
    (r"\s*\[x>=0\]$", ""),
    (r"; x>=0\]$", "]"),
    (r"(?<=[\[ ])(-?[\d.]+)<=x<=(-?[\d.]+)(?=\]$)", r"\1 to \2"),
    (r"(?<=[\[ ])x>=(-?[\d.]+)(?=\]$)", r"at least \1"),
    (r"(?<=[\[ ])x<=(-?[\d.]+)(?=\]$)", r"at most \1"),
)
"""How limits are written by the library of the command line, and by us."""


def say_limits(text: str) -> str:
    """The limits of a number in words; that it is not below 0 goes without saying, and a default is told once.

    >>> say_limits("Pairs per test.  [default: 300; x>=1]")
    'Pairs per test.  [default: 300; at least 1]'
    >>> say_limits("Failed pairs.  [default: 200; x>=0]"), say_limits("A port.  [x>=0]")
    ('Failed pairs.  [default: 200]', 'A port.')
    >>> say_limits("Port to listen on. Default: a free one.  [default: 0; 0<=x<=65535]")
    'Port to listen on. Default: a free one.  [0 to 65535]'
    """
    if "Default: " in text:
        text = re.sub(r"  \[default: [^;\]]*(?:; |\]$)", lambda found: "  [" if found[0].endswith("; ") else "", text)
    for pattern, words in _LIMITS:
        text = re.sub(pattern, words, text)
    return text


def write_text(formatter: Any, text: str) -> None:
    """Write the paragraphs of what a command does."""
    indent = " " * formatter.current_indent
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", inspect.cleandoc(text))]
    written = []
    for paragraph in filter(None, paragraphs):
        if paragraph.startswith(_EXAMPLE):
            written.append("\n".join(indent + line for line in _example(paragraph, formatter.width - len(indent))))
        else:
            written.append(
                textwrap.fill(paragraph, formatter.width, initial_indent=indent, subsequent_indent=indent, **_WHOLE)
            )
    formatter.write("\n\n".join(written) + "\n")


def write_list(formatter: Any, rows: Iterable[tuple[str, str]]) -> None:
    """Write names with what they mean beside them, or below where a name is wide."""
    rows = list(rows)
    indent = " " * formatter.current_indent
    first = min(max(len(name) for name, _ in rows), _WIDEST_NAME) + _GAP
    width = max(formatter.width - len(indent) - first, _LEAST)
    for name, meaning in rows:
        whole = re.sub(r"(?<=  \[)[^\[\]]*\]$", lambda found: found[0].replace(" ", _NO_BREAK), meaning)
        lines = [line.replace(_NO_BREAK, " ") for line in textwrap.wrap(whole, width, **_WHOLE)] or [""]
        beside = len(name) <= first - _GAP
        start = f"{name:<{first}}{lines[0]}" if beside else name
        further = lines[1:] if beside else lines
        for line in (start, *(" " * first + one for one in further)):
            formatter.write(f"{indent}{line.rstrip()}\n")


def _example(paragraph: str, width: int) -> list[str]:
    """An example on one line, or on several that a shell takes for one: an option stays with its value."""
    if len(paragraph) <= width:
        return [paragraph]
    first, *options = re.split(r" (?=--)", paragraph)
    lines = [first]
    for option in options:
        if len(lines[-1]) + len(option) + len("  \\") <= width:
            lines[-1] += f" {option}"
        else:
            lines.append(" " * (len(_EXAMPLE) + 2) + option)
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]
