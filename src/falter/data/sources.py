"""Opens a source of images and annotations by its spec: ``NAME:key=path,key=path`` or ``NAME:FOLDER``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from falter.core.errors import UsageError
from falter.core.registry import Registry
from falter.data.images import Source

Opener = Callable[[Mapping[str, str]], Source]
"""Opens a source from its settings; a bare folder has the key ``""``."""

SOURCES: Registry[Opener] = Registry("source", "falter.sources")


def parse_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split the spec of a source into its name and settings.

    >>> parse_spec("gqa:graphs=g.json,images=jpegs")
    ('gqa', {'graphs': 'g.json', 'images': 'jpegs'})
    >>> parse_spec("vqa:data/val")
    ('vqa', {'': 'data/val'})
    """
    name, colon, rest = spec.partition(":")
    if not colon or not rest:
        raise UsageError(f"{spec!r} is not a source: write NAME:FOLDER or NAME:key=path,key=path, e.g. gqa:data/gqa")
    if "=" not in rest or Path(rest).exists():
        return name, {"": rest}
    settings: dict[str, str] = {}
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise UsageError(f"{spec!r}: {part!r} is not key=path")
        settings[key] = value
    return name, settings


def spec_paths(spec: str) -> list[Path]:
    """The files and folders that the spec of a source names."""
    return [Path(value) for value in parse_spec(spec)[1].values() if Path(value).exists()]


def open_source(spec: str) -> Source:
    """Open a source by its spec."""
    name, settings = parse_spec(spec)
    return SOURCES.get(name)(settings)
