"""Fingerprints of code: of a function, equal in every process of one Python version, and of a module with its own."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterator
from importlib.machinery import all_suffixes
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from falter.core.files import sha256_of_file

_PLAIN = (str, bytes, int, float, complex, bool, type(None), type(Ellipsis))


def fingerprint_code(function: FunctionType) -> str:
    """Hash what a function does: its code, and plain values and functions in its defaults and its closure.

    File names and line numbers do not count, nor do the objects that global names stand for.
    """
    return hashlib.sha256(repr(_function(function, set())).encode("utf-8", "surrogatepass")).hexdigest()


def _function(function: FunctionType, seen: set[int]) -> tuple[object, ...]:
    if id(function) in seen:
        return ("recursion", function.__qualname__)
    seen.add(id(function))
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append(_value(cell.cell_contents, seen))
        except ValueError:
            cells.append("empty")
    defaults = (function.__defaults__ or (), sorted((function.__kwdefaults__ or {}).items()))
    return ("function", _code(function.__code__), _value(defaults, seen), cells)


def _code(code: CodeType) -> tuple[object, ...]:
    constants = [_value(constant, set()) for constant in code.co_consts]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return ("code", code.co_code.hex(), constants, names, code.co_flags)


def _value(value: Any, seen: set[int]) -> object:
    if isinstance(value, CodeType):
        return _code(value)
    if isinstance(value, FunctionType):
        return _function(value, seen)
    if type(value) in _PLAIN:
        return (type(value).__name__, repr(value))
    if type(value) is tuple:
        return ("tuple", [_value(part, seen) for part in value])
    if type(value) is frozenset:
        return ("frozenset", sorted(repr(_value(part, seen)) for part in value))
    # What can change while the function runs is no part of its identity.
    return ("object", type(value).__module__, type(value).__qualname__)


def names_not_covered(function: FunctionType, known: frozenset[int] = frozenset()) -> list[str]:
    """What a function uses and :func:`fingerprint_code` does not look at: global names and objects in its closure.

    Modules of the standard library and of installed packages are taken to stay as they are.
    """
    known |= {id(function)}
    names = {name for name in _global_names(function.__code__) if _may_change(function.__globals__.get(name))}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        if isinstance(value, FunctionType):
            names.update(names_not_covered(value, known) if id(value) not in known else ())
        elif _may_change(value):
            names.add(name)
    return sorted(names)


def _global_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)


def _may_change(value: Any) -> bool:
    if value is None:
        return False
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    top = sys.modules.get(str(name).partition(".")[0])
    if isinstance(value, ModuleType | FunctionType | type) and top is not None:
        return top.__name__ not in (*sys.stdlib_module_names, "falter") and not _is_installed(top.__file__)
    return True


_INSTALLED = ("site-packages", "dist-packages")


def _is_installed(file: str | None) -> bool:
    return file is not None and any(name in Path(file).parts for name in _INSTALLED)


class ModuleSources(NamedTuple):
    """The files that a module runs from its own folder, with their hashes, and what cannot be told of it."""

    files: dict[str, str]
    """By path from the folder; without the module itself."""
    unknown: str
    """Why more may belong to it; "" where all its imports are written out."""


def read_sources(name: str, file: Path) -> ModuleSources:
    """The modules that a module imports from the folder that it was imported from, and those that these import.

    They are found in the text: ``import`` and ``from``, also relative and within functions, and ``import_module`` with
    a name that is written out. A module of an installed package is taken by itself.
    """
    if _is_installed(str(file)):
        return ModuleSources({}, f"{name} is part of an installed package, whose other files may have changed")
    place = file.parent if file.stem == "__init__" else file
    root = place.parents[name.count(".")]
    found: dict[Path, None] = {}
    dynamic: list[str] = []
    waiting = [file]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        found[current] = None
        if current.suffix != ".py":
            continue
        try:
            tree = ast.parse(current.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            names = _imports(node)
            if names is None:
                dynamic.append(current.name)
                continue
            for level, parts in names:
                waiting += _find_files(root, current.parent, level, parts)
    hashes = {str(path.relative_to(root)): sha256_of_file(path) for path in sorted(found) if path != file}
    unknown = f"{dynamic[0]} imports modules by names that are computed" if dynamic else ""
    return ModuleSources(hashes, unknown)


def _imports(node: ast.AST) -> list[tuple[int, list[str]]] | None:
    """The modules that a statement imports, each with the number of its leading dots; None where that is computed."""
    if isinstance(node, ast.Import):
        return [(0, alias.name.split(".")) for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = node.module.split(".") if node.module else []
        return [(node.level, base + ([] if alias.name == "*" else [alias.name])) for alias in node.names]
    if not isinstance(node, ast.Call):
        return []
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called not in ("import_module", "__import__"):
        return []
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return None
    name = first.value.lstrip(".")
    return [(len(first.value) - len(name), name.split("."))]


def _find_files(root: Path, folder: Path, level: int, parts: list[str]) -> Iterator[Path]:
    """The files that an import runs, packages on the way included; the last part may be a name within a module."""
    if level:
        base = folder
        for _ in range(level - 1):
            base = base.parent
        bases = [base]
    else:
        # A script may have put its own folder on the path.
        bases = [root, folder]
    for base in bases:
        here, files = base, [_module_file(base, "__init__")] if level else []
        for part in parts:
            own = _module_file(here, part) or _module_file(here / part, "__init__")
            files.append(own)
            here = here / part
            if own is None and not here.is_dir():
                break
        existing = [path for path in files if path is not None]
        if existing:
            yield from existing
            return


def _module_file(folder: Path, name: str) -> Path | None:
    return next((path for suffix in all_suffixes() if (path := folder / f"{name}{suffix}").is_file()), None)
