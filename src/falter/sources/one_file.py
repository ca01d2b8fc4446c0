"""Sources of one file: which one a folder has, and where its images are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from falter.errors import InputError, UsageError

__all__ = ["FileAndImages", "find_file_and_images"]


class FileAndImages(NamedTuple):
    """A file, and the folder of images where there is one."""

    file: Path
    images: Path | None


def find_file_and_images(
    name: str, settings: Mapping[str, str], keys: Sequence[str], is_wanted: Callable[[str], bool], example: str
) -> FileAndImages:
    """The file that ``file=FILE`` or a folder gives, and ``images=DIR`` or the folder ``images`` beside the file.

    ``is_wanted`` tells by its name the one file of a folder; ``example`` is what it is called.
    """
    unknown = sorted(set(settings) - {"", *keys})
    if unknown:
        raise UsageError(f"{name} has no setting {unknown[0]!r}: there are {', '.join(keys)}")
    images = Path(settings["images"]) if "images" in settings else None
    if images is not None and not images.is_dir():
        raise InputError(images, "is not a folder of images", hint="give images=DIR, or leave it out")
    file = Path(settings.get("file", settings.get("", "")) or ".")
    if file.is_dir():
        images = images or (file / "images" if (file / "images").is_dir() else None)
        file = _find_file(file, name, is_wanted, example)
    if not file.is_file():
        raise InputError(file, "does not exist", hint=f"give {name}:FOLDER or {name}:file=FILE,images=DIR")
    return FileAndImages(file, images)


def _find_file(folder: Path, name: str, is_wanted: Callable[[str], bool], example: str) -> Path:
    files = [path for path in sorted(folder.glob("*.json")) if is_wanted(path.name)]
    if len(files) != 1:
        found = ", ".join(path.name for path in files) or "none"
        problem = f"should hold one file {example}, found {found}"
        raise InputError(folder, problem, hint=f"name it: {name}:file=FILE,images=DIR")
    return files[0]
