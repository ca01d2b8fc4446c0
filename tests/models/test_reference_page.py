"""The page on models lists every backend, builtin model and capability."""

from __future__ import annotations

import re
from pathlib import Path

from falter.data.model import Capabilities
from falter.evaluation.models import BACKENDS
from falter.evaluation.models.backends import BUILTINS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "models.md").read_text()


def first_cells(heading: str) -> list[str]:
    """What stands in code in the first column of the table under a heading row."""
    table = PAGE[PAGE.index(heading) :].split("\n\n")[0].splitlines()[2:]
    return [name for row in table for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


def test_the_page_lists_every_backend() -> None:
    assert sorted(spec.partition(":")[0] for spec in first_cells("| Spec |")) == sorted(BACKENDS.names())


def test_the_page_lists_every_builtin_model() -> None:
    assert sorted(first_cells("| Name | What it does |")) == sorted(BUILTINS.names())


def test_the_page_lists_every_capability() -> None:
    assert sorted(first_cells("| Capability |")) == sorted(Capabilities.__struct_fields__)
