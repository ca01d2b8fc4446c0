"""What an extension may import: ``falter`` and ``falter.extend``, and nothing else in examples and documentation."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import falter
from falter import extend
from tests.docs.pages import PAGES, ROOT, fences
from tests.source_trees import parsed

PUBLIC = {"falter", "falter.extend", "falter.lasso"}
"""The front door, what extensions need, and the solver that is useful by itself."""
EXAMPLES = ROOT / "examples"


def imported_modules(code: str) -> set[str]:
    """The modules of Falter that some code imports, also within functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            submodules = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name for name in submodules if is_package(name)} or {node.module}
    return {name for name in found if name.split(".")[0] == "falter"}


def is_package(name: str) -> bool:
    path = Path(falter.__file__).parent.joinpath(*name.split(".")[1:])
    return name.startswith("falter.") and (path.is_dir() or path.with_suffix(".py").is_file())


def codes() -> Iterator[tuple[str, str]]:
    """Every piece of Python that a reader may copy, and where it is."""
    for path in sorted(EXAMPLES.rglob("*.py")):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for path in sorted(EXAMPLES.rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        lines = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        yield str(path.relative_to(ROOT)), "\n".join(lines)
    for page in PAGES:
        for fence in fences(page):
            if fence.language == "python":
                yield f"{page.relative_to(ROOT)}:{fence.first_line}", fence.text


def test_examples_and_pages_import_only_what_is_public() -> None:
    pieces = dict(codes())
    assert {"examples/my_measure/flips.py", "examples/tour.ipynb"} <= pieces.keys()
    private = {where: sorted(imported_modules(code) - PUBLIC) for where, code in pieces.items()}
    assert {where: modules for where, modules in private.items() if modules} == {}


def test_a_private_import_is_seen() -> None:
    code = "import falter\nfrom falter import extend, Item\ndef f():\n    from falter.core import errors\n"
    assert imported_modules(code) == {"falter", "falter.extend", "falter.core.errors"}


def test_type_checkers_see_the_names_that_there_are() -> None:
    path = Path(extend.__file__)
    (block,) = [node for node in parsed(path).body if isinstance(node, ast.If)]
    seen = {
        (alias.name, node.module) for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    listed = [(name, module) for modules in extend.CONTENTS.values() for module in modules for name in modules[module]]
    assert seen == set(listed)
    assert sorted(extend.__all__) == sorted(name for name, _ in listed)


@pytest.mark.parametrize("name", extend.__all__)
def test_every_name_can_be_imported_and_has_a_sentence(name: str) -> None:
    assert getattr(extend, name) is not None
    (sentence,) = [names[name] for modules in extend.CONTENTS.values() for names in modules.values() if name in names]
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_names_that_both_doors_have_are_the_same() -> None:
    shared = set(extend.__all__) & set(falter.__all__)
    assert {"FalterError", "Item", "Suite"} <= shared
    assert [name for name in shared if getattr(extend, name) is not getattr(falter, name)] == []


def test_a_bundle_gives_names_to_plugins_of_its_suite() -> None:
    from falter.suites.carets.perturbations import CARETS_TESTS

    assert extend.CARETS_TESTS is CARETS_TESTS
    with pytest.raises(AttributeError, match="no attribute 'CARETS_TEST'"):
        extend.CARETS_TEST  # noqa: B018
