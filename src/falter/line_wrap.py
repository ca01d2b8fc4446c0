"""Lines of prose that fit a terminal."""

from __future__ import annotations

import re
import textwrap

__all__ = ["PIPE_WIDTH", "wrap_lines"]

PIPE_WIDTH = 80
"""How wide lines and tables are in a file or a pipe, in columns."""

_LEAST = 20
"""A terminal that is narrower breaks lines by itself."""

_COLUMN = re.compile(r"^\s*\S+(?: \S+)* {2,}(?=\S)")
"""What stands before the second column of a list."""

_COMMAND = "Next: "
"""How a line begins that holds a command to copy: it stays whole."""


def wrap_lines(text: str, width: int) -> str:
    """Break lines that are wider at words; what goes on is indented, below the second column where there is one.

    Words that are wider, such as paths, stay whole.

    >>> print(wrap_lines("a short line\\n  colors: red 3, green 2, blue 1", 24))
    a short line
      colors: red 3, green
        2, blue 1
    >>> print(wrap_lines("lm:ID   causal language models", 24))
    lm:ID   causal language
            models
    """
    if width < _LEAST:
        return text
    return "\n".join(_wrap(line, width) for line in text.split("\n"))


def _wrap(line: str, width: int) -> str:
    if len(line) <= width or line.startswith(_COMMAND):
        return line
    column = _COLUMN.match(line)
    indent = len(line) - len(line.lstrip())
    hanging = len(column[0]) if column and len(column[0]) <= width // 2 else indent + 2 if indent else 0
    wrapped = textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        expand_tabs=False,
    )
    return "\n".join(wrapped)
