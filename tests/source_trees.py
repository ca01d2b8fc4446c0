"""The package's files as syntax trees, each parsed once for all the tests that look at source."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

__all__ = ["parsed"]


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file; it must not be changed."""
    return ast.parse(path.read_text(encoding="utf-8"))
