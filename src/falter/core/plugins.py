"""What users add without forking: installed packages by entry points, or a folder of YAML and Python.

A folder given with ``--plugin-dir`` may hold ontology files (``kinds*.yaml``, ``attributes*.yaml``,
``relations*.yaml``), templates (``templates/*.yaml``), and Python files. A Python file that binds ``BUNDLE`` adds that
suite; anything else it registers through the decorator here.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from falter.core.bundle import BUNDLES, SuiteBundle
from falter.core.errors import FalterError, InputError
from falter.core.files import check_regular, sha256_of_bytes, sha256_of_file
from falter.core.registry import Registry

T = TypeVar("T")

_loaded: dict[Path, None] = {}

_READ = ("*.py", "*.yaml", "templates/*.yaml")
"""What of a folder can change what is made."""


def register(registry: Registry[T], name: str) -> Callable[[T], T]:
    """A decorator that puts what it decorates into a registry.

    >>> from falter.core.registry import Registry
    >>> colours: Registry[type] = Registry("colour", "falter.colours", {})
    >>> @register(colours, "red")
    ... class Red: pass
    >>> colours.names()
    ['red']
    """

    def put(thing: T) -> T:
        registry.add(name, thing)
        return thing

    return put


def load_plugins(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Run the Python files of the folders, once, and give the folders for their YAML."""
    resolved = tuple(folder.resolve() for folder in folders)
    for folder in resolved:
        if not folder.is_dir():
            raise InputError(folder, "is not a folder", hint="give --plugin-dir a folder with YAML or Python files")
        if folder not in _loaded:
            for path in sorted(folder.glob("*.py")):
                check_regular(path, hint="a plugin is a file of Python")
                _run(path)
            _loaded[folder] = None
    return resolved


@contextmanager
def forget_plugins() -> Iterator[None]:
    """Forget after the block which folders were loaded and which suites they added, as a test of a plugin needs it."""
    before = dict(_loaded)
    with BUNDLES.restored():
        try:
            yield
        finally:
            _loaded.clear()
            _loaded.update(before)


def plugin_hashes(folders: Sequence[Path]) -> list[str]:
    """Each folder as its name and a hash of what it holds, to be written down beside what was made with it."""
    return [f"{folder.name}:{_content_hash(folder)[:16]}" for folder in folders]


def _content_hash(folder: Path) -> str:
    paths = sorted({path for pattern in _READ for path in folder.glob(pattern) if path.is_file()})
    listed = "".join(f"{sha256_of_file(path)}  {path.relative_to(folder).as_posix()}\n" for path in paths)
    return sha256_of_bytes(listed.encode())


def _run(path: Path) -> None:
    name = f"falter_extension_{sha256_of_bytes(str(path).encode())[:12]}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(path, "cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        bundle = getattr(module, "BUNDLE", None)
        if isinstance(bundle, SuiteBundle):
            BUNDLES.add(bundle.name, bundle)
    except FalterError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(path, f"failed when loaded: {type(error).__name__}: {error}", hint="fix the file") from error
