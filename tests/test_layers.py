"""Data flows one way: a layer imports only what stands above it."""

from __future__ import annotations

import ast
from pathlib import Path

import falter

ROOT = Path(falter.__file__).parent
GROUND = ("__init__", "version", "errors", "files", "registry", "bundle", "parallel", "plugins", "tables")
LAYERS = (
    "probes",
    "scene",
    "answers",
    "english",
    "nlp",
    "images",
    "lasso",
    "sources",
    "world",
    "measures",
    "runs",
    "models",
    "engine",
    "authoring",
    "inspection",
    "reporting",
    "exporting",
    "cli",
    "suites",
)
PENDING = {
    ("measures", "runs"),
    ("authoring", "suites"),
    ("inspection", "suites"),
    ("reporting", "suites"),
    ("models", "suites"),
    ("cli", "suites"),
}
"""Imports against the order that are still to go."""
HEAVY = {"sklearn", "scipy", "torch", "transformers", "polars", "playwright"}


def layer_of(module: str) -> int:
    """The ground is -1; a layer is its place in the list."""
    name = module.split(".")[1] if "." in module else "version"
    if name in GROUND:
        return -1
    return LAYERS.index(name)


def imports_of(path: Path, *, top_level_only: bool = False) -> set[str]:
    tree = ast.parse(path.read_text())
    nodes = tree.body if top_level_only else list(ast.walk(tree))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0, f"{path}: relative import"
            if node.module == "falter":
                found |= {f"falter.{alias.name}" for alias in node.names if (ROOT / alias.name).is_dir()}
            else:
                found.add(node.module)
    return found


def modules() -> list[tuple[str, Path]]:
    return [
        (".".join(("falter", *path.relative_to(ROOT).with_suffix("").parts)), path)
        for path in sorted(ROOT.rglob("*.py"))
    ]


def test_a_layer_imports_only_what_stands_above_it() -> None:
    wrong = [
        f"{name} imports {other}"
        for name, path in modules()
        for other in imports_of(path)
        if other.startswith("falter.") and layer_of(other) > layer_of(name)
        if (name.split(".")[1], other.split(".")[1]) not in PENDING
    ]
    assert wrong == []


def test_every_folder_is_a_layer() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= {*LAYERS, *GROUND}


def test_the_command_line_starts_without_heavy_packages() -> None:
    light = [path for name, path in modules() if name.startswith("falter.cli") or name.split(".")[1] in GROUND]
    wrong = [
        f"{path.relative_to(ROOT)} imports {other} at its top"
        for path in light
        for other in imports_of(path, top_level_only=True)
        if other.split(".")[0] in HEAVY
    ]
    assert wrong == []


def test_nothing_prints_but_the_command_line() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for name, path in modules()
        if not name.startswith("falter.cli")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        if "__main__" not in path.read_text()
    ]
    assert wrong == []
