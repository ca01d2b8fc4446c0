"""Data flows one way: a layer imports only what stands above it."""

from __future__ import annotations

import ast
import importlib
from functools import cache
from pathlib import Path

import falter
from falter.core.builtin_parts import BUILTIN_PARTS
from tests.source_trees import parsed

ROOT = Path(falter.__file__).parent
MAY_IMPORT: dict[str, set[str]] = {
    "core": set(),
    "data": {"core"},
    "lasso": {"core"},
    "evaluation": {"core", "data"},
    "generation": {"core", "data"},
    "world": {"core", "data", "generation"},
    "apps": {"core", "data", "evaluation"},
    "api": {"core", "data", "evaluation", "generation", "world", "apps"},
    "cli": {"core", "data", "evaluation", "generation", "world", "apps", "api"},
    "suites": {"core", "data", "evaluation", "generation", "world", "lasso", "api", "cli"},
}
"""By room the others that it may import, also inside functions. The two halves, evaluation and generation, meet nowhere
but in a suite on disk and in registries."""
ENTRIES = 14
"""So many files and folders the package has at its top, at most."""
SUBFOLDERS: dict[str, tuple[str, ...]] = {
    "core": ("files", "."),
    "evaluation": (".", "answers", "measures", "runs", "models", "engine", "reporting", "exporting"),
    "evaluation/answers": (".", "open_answers"),
    "evaluation/measures": ("outcomes", "statistics", "sequential", "."),
    "evaluation/models": (".", "predictions", "weights", "hf", "openai"),
    "generation": (
        *("scene", "english", "cooccurrence", "askable", "nlp", "sources", "baselines", "authoring", "inspection", "."),
    ),
    "generation/english": (".", "rewrites"),
    "generation/nlp": (".", "encoders"),
    "world": ("drawing", "."),
    "apps": ("serving", "viewer", "people", "."),
    "suites": (".", "basic_questions", "benchmarks", "carets", "contrast_sets", "rad", "valse"),
    "suites/basic_questions": ("rankers", "."),
    "suites/benchmarks": (
        *(".", "gqa", "hallusionbench", "naturalbench", "pope", "sugarcrepe", "vqa", "vsr", "winoground"),
    ),
    "suites/carets": ("obfuscation", "questions", "."),
    "suites/rad": ("augmentations", ".", "importers"),
    "suites/valse": ("foiling", "."),
}
"""The order within a folder: its own modules are ``.``, each subfolder is a name."""
HEAVY = {"sklearn", "scipy", "torch", "transformers", "polars", "playwright"}


def room_of(module: str) -> str:
    """The room that a module is in; ``""`` is the front door."""
    name = module.split(".")[1] if "." in module else ""
    return name if name in MAY_IMPORT else ""


def _is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@cache
def imports_of(path: Path, *, top_level_only: bool = False, runtime_only: bool = False) -> frozenset[str]:
    body = [node for node in parsed(path).body if not (runtime_only and _is_for_types(node))]
    nodes = body if top_level_only else [inner for node in body for inner in ast.walk(node)]
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0, f"{path}: relative import"
            if node.module == "falter":
                found |= {f"falter.{alias.name}" for alias in node.names if (ROOT / alias.name).is_dir()}
            elif node.module.startswith("falter."):
                folder = ROOT.joinpath(*node.module.split(".")[1:])
                inner = {alias.name for alias in node.names if (folder / alias.name / "__init__.py").is_file()}
                found |= {f"{node.module}.{name}" for name in inner}
                found |= {node.module} if len(inner) < len(node.names) else set()
            else:
                found.add(node.module)
    return frozenset(found)


@cache
def modules() -> list[tuple[str, Path]]:
    return [
        (".".join(("falter", *path.relative_to(ROOT).with_suffix("").parts)), path)
        for path in sorted(ROOT.rglob("*.py"))
    ]


def test_a_room_imports_only_what_it_may() -> None:
    wrong = [
        f"{name} imports {other}"
        for name, path in modules()
        if room_of(name)  # the front door names what it resolves on first use
        for other in imports_of(path)
        if room_of(other) not in ("", room_of(name), *MAY_IMPORT[room_of(name)])
    ]
    assert wrong == []


def test_the_halves_do_not_name_each_other_in_strings() -> None:
    other = {"evaluation": "falter.generation", "generation": "falter.evaluation"}
    wrong = [
        f"{name} says {node.value!r}"
        for name, path in modules()
        if room_of(name) in other
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node.value.startswith(other[room_of(name)])
    ]
    assert wrong == []


def top_level_names(path: Path) -> set[str]:
    """What a module defines, assigns or imports at its top."""
    return {
        name
        for node in parsed(path).body
        for name in (
            [node.name]
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            else [alias.asname or alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom)
            else [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
            if isinstance(node, ast.Assign | ast.AnnAssign)
            else []
        )
    }


def test_what_falter_registers_is_where_the_table_says() -> None:
    places = {name.removesuffix(".__init__"): path for name, path in modules()}
    wrong = [
        f"{group}: {name} is no {target}"
        for group, parts in BUILTIN_PARTS.items()
        for name, target in parts.items()
        for module, _, attribute in [target.partition(":")]
        if module not in places or attribute not in top_level_names(places[module])
    ]
    assert wrong == []


def test_the_top_of_the_package_fits_on_one_screen() -> None:
    entries = {path.name for path in ROOT.iterdir() if path.name != "__pycache__"}
    assert {path.name for path in ROOT.iterdir() if path.is_dir()} - {"__pycache__"} == set(MAY_IMPORT)
    assert len(entries) <= ENTRIES


def node_of(parts: tuple[str, ...], folder: tuple[str, ...]) -> str:
    """The subfolder of a folder that a module is in, or ``.`` for one of the folder's own modules."""
    inner = parts[len(folder)] if len(parts) > len(folder) else ""
    return inner if inner and ROOT.joinpath(*folder, inner, "__init__.py").is_file() else "."


def imports_within_folders() -> set[tuple[str, str, str]]:
    """Every import between two nodes of one folder, at any depth."""
    found: set[tuple[str, str, str]] = set()
    for name, path in modules():
        own = tuple(name.split(".")[1:])
        for other in imports_of(path):
            target = tuple(other.split(".")[1:]) if other.startswith("falter.") else ()
            for depth in range(1, len(own)):
                folder = own[:depth]
                if target[:depth] != folder:
                    break
                one, two = node_of(own, folder), node_of(target, folder)
                if one != two:
                    found.add(("/".join(folder), one, two))
    return found


def test_a_subfolder_imports_only_what_comes_before_it() -> None:
    # Errors are below the files of core, plugins and tables above them.
    wrong = {
        (folder, one, two)
        for folder, one, two in imports_within_folders()
        if folder != "core" and SUBFOLDERS[folder].index(two) > SUBFOLDERS[folder].index(one)
    }
    assert sorted(wrong) == []


def test_every_subfolder_has_its_place() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).parts[:-1]
        for depth in range(1, len(parts)):
            found.setdefault("/".join(parts[:depth]), {"."}).add(parts[depth])
    assert found == {folder: set(order) for folder, order in SUBFOLDERS.items()}


def test_a_public_class_name_has_one_meaning() -> None:
    places: dict[str, list[str]] = {}
    for name, path in modules():
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name)
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert twice == {}


def test_the_command_line_starts_without_heavy_packages() -> None:
    light = [path for name, path in modules() if name.startswith("falter.cli") or room_of(name) == "core"]
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
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        if "__main__" not in path.read_text()
    ]
    assert wrong == []


def test_the_command_line_calls_the_api_alone() -> None:
    """Nothing of value is in ``cli`` only: it parses, calls ``api`` and prints. Types are named for checking alone."""
    wrong = [
        f"{name} imports {other}"
        for name, path in modules()
        if room_of(name) == "cli"
        for other in imports_of(path, runtime_only=True)
        if room_of(other) not in ("", "cli", "api", "core")
    ]
    assert wrong == []


def test_no_lazy_name_is_hidden_by_a_module_of_its_package() -> None:
    """Importing a module binds it in its package, where a lazy name of the same spelling is then never looked up."""
    hidden = []
    for path in ROOT.rglob("__init__.py"):
        if "lazy_names(" not in path.read_text("utf-8"):
            continue
        package = ".".join(path.parent.relative_to(ROOT.parent).parts)
        imports = [node for node in parsed(path).body if isinstance(node, ast.ImportFrom)]
        bound = {alias.asname or alias.name for node in imports for alias in node.names}
        modules = {entry.stem if entry.is_file() else entry.name for entry in path.parent.iterdir()}
        names = set(importlib.import_module(package).__all__) - bound
        hidden += [f"{package}.{name}" for name in sorted(names & modules)]
    assert hidden == []
