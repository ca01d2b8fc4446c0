"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import falter

ROOT = Path(falter.__file__).parent


def test_the_examples_in_docstrings() -> None:
    tried, wrong = 0, []
    for path in sorted(ROOT.rglob("*.py")):
        if ">>> " not in path.read_text("utf-8"):
            continue
        name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
        found = doctest.testmod(importlib.import_module(name))
        tried += found.attempted
        wrong += [name] if found.failed else []
    assert not wrong
    assert tried > 50
