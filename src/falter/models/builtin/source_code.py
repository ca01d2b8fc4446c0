"""A hash of the code and data files of packages, equal on every machine and Python version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["hash_code"]

_SUFFIXES = (".py", ".yaml", ".json", ".txt")


@lru_cache(maxsize=64)
def hash_code(*names: str) -> str:
    """Hash the source of packages with all that is in them, and of modules; comments count, line ends do not."""
    digest = hashlib.sha256()
    for name in names:
        for path, content in read_code(name):
            digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def read_code(name: str) -> Iterator[tuple[str, bytes]]:
    """The files of a package, or the one of a module, each with its path below the package."""
    package, _, module = name.rpartition(".")
    file = files(package) / f"{module}.py"
    if file.is_file():
        yield name, _content(file)
    else:
        yield from _read_folder(files(name), name)


def _read_folder(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        inner = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _read_folder(entry, inner)
        elif entry.name.endswith(_SUFFIXES):
            yield inner, _content(entry)


def _content(file: Traversable) -> bytes:
    return file.read_bytes().replace(b"\r\n", b"\n")
