"""What readers of published files share: the file of a folder, usable records, COCO's image names, the licence.

A record that cannot be decoded is counted, and a file without any usable one is an error. A data set is under the
licence that it states itself; what is in a known format may be anybody's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from falter.core.errors import FalterError, InputError, UsageError
from falter.core.files import JsonDecoder, read_json, read_text

T = TypeVar("T")


class UsableRecord(NamedTuple, Generic[T]):
    """A decoded record, the name of its place in the file, and its JSON."""

    name: str
    value: T
    raw: msgspec.Raw


def usable_records(
    decoder: JsonDecoder[T], records: Iterable[tuple[str, msgspec.Raw]], file: Path, problems: Counter[str], what: str
) -> Iterator[UsableRecord[T]]:
    """Decode records, each with its name; malformed ones are counted in ``problems`` as records of ``what``.

    If there are some and none can be decoded, the error of the first is raised at the end.
    """
    first: InputError | None = None
    usable = False
    for name, raw in records:
        try:
            value = decoder.decode(raw, file, record=name)
        except InputError as error:
            first = first or error
            problems[f"the record of {what} is malformed"] += 1
            continue
        usable = True
        yield UsableRecord(name, value, raw)
    if first is not None and not usable:
        raise first


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


_IMAGE_NAME = re.compile(
    r"(?:(?:COCO|VisualDialog|abstract_v[0-9]+)_[A-Za-z0-9]+_|v7w_)?0*([0-9]+)\.(?:jpg|jpeg|png)", re.IGNORECASE
)


def image_number(name: str) -> str | None:
    """The id that a file name holds, or None.

    >>> image_number("COCO_val2014_000000000123.jpg"), image_number("VisualDialog_val2018_000000000007.jpg")
    ('123', '7')
    """
    named = _IMAGE_NAME.fullmatch(name)
    return None if named is None else named[1]


def find_numbered_images(folder: Path | None) -> dict[str, Path]:
    """The files of a folder and of the folders in it, by id."""
    if folder is None:
        return {}
    within = sorted(path for path in folder.iterdir() if path.is_dir())
    found: dict[str, Path] = {}
    for place in (folder, *within):
        for path in sorted(place.iterdir()):
            number = image_number(path.name)
            if number is not None:
                found.setdefault(number, path)
    return found


NOT_STATED = "not stated"

_NAMES = ("LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "LICENCE.txt", "LICENCE.md")
_LONGEST = 200
_MOST_NAMED = 3


class _World(msgspec.Struct):
    licence: str


def find_licence(path: Path | None, given: str = "", stated: str = "") -> str:
    """The licence that was given, or that the data state, or that stands in a file beside them.

    Such a file is a ``world.json`` in the folder or the one above it, or a text called LICENSE in the folder, which is
    named by its first line.
    """
    if given or stated:
        return given or stated
    return next(_beside(path), NOT_STATED) if path is not None else NOT_STATED


def _beside(path: Path) -> Iterator[str]:
    folder = path.absolute().parent
    for place in (folder, folder.parent):
        try:
            yield read_json(place / "world.json", _World).licence
        except (FalterError, OSError):
            continue  # No such file, or an unrelated one of that name.
    for name in _NAMES:
        try:
            lines = read_text(folder / name).splitlines()
        except (FalterError, OSError):
            continue
        yield from (line.strip()[:_LONGEST] for line in lines if line.strip())


def name_licences(names: Sequence[str]) -> str:
    """Several licences in words, such as those that images of a data set are under one by one.

    >>> name_licences(["CC0", "CC0", "MIT"]), name_licences([])
    ('CC0; MIT', '')
    """
    distinct = list(dict.fromkeys(name.strip()[:_LONGEST] for name in names if name.strip()))
    if len(distinct) > _MOST_NAMED:
        return f"{len(distinct)} licences, by image: {'; '.join(distinct[:_MOST_NAMED])} and others"
    return "; ".join(distinct)
