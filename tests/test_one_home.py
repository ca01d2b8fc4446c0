"""A fact that both halves need has one home, from which everything else imports it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import falter

_SOURCE = Path(falter.__file__).parent


def _copies_of_yes_no(tree: ast.AST) -> Iterator[int]:
    """The lines with a tuple, list or set of ``yes`` and ``no``, type annotations apart."""
    nodes = list(ast.walk(tree))
    types = {
        id(node.slice)
        for node in nodes
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"
    }
    for node in nodes:
        if isinstance(node, ast.Tuple | ast.List | ast.Set) and id(node) not in types:
            words = [one.value for one in node.elts if isinstance(one, ast.Constant)]
            if len(words) == len(node.elts) == 2 and set(words) == {"yes", "no"}:
                yield node.lineno


def test_yes_and_no_are_written_down_once() -> None:
    homes = [
        path.relative_to(_SOURCE).as_posix()
        for path in sorted(_SOURCE.rglob("*.py"))
        for _ in _copies_of_yes_no(ast.parse(path.read_text()))
    ]
    assert homes == ["data/items.py"]
