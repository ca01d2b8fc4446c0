"""The images of a user's own table: files, bytes or base64, brought into the suite."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from os.path import normpath
from pathlib import Path
from typing import Any

from falter.authoring.table_cells import CellError, text
from falter.files import is_regular, sha256_of_bytes
from falter.images.files import check_image
from falter.images.opening import ImageError, open_image_file
from falter.probes import ImageRef, SuiteWriter
from falter.probes.suite_writer import ImageMode

__all__ = ["TableImages"]

_ENDINGS = ("", ".jpg", ".jpeg", ".png", ".webp")
_FIRST_LETTERS = ("/9j/", "iVBORw0KGgo", "R0lGOD", "UklGR", "SUkqA")
"""How base64 of JPEG, PNG, GIF, WebP and TIFF begins."""
_LONGEST_PATH = 1024
_SUFFIXES = {"JPEG": ".jpg", "PNG": ".png", "WEBP": ".webp", "GIF": ".gif", "BMP": ".bmp", "TIFF": ".tiff"}


class TableImages:
    """Finds each image once; with ``none`` files are neither looked for nor opened."""

    def __init__(self, folder: Path, writer: SuiteWriter, how: ImageMode) -> None:
        # Without "..": where a file lies is told by its path, and the folder may be given as ../images.
        self._folder = folder.resolve()
        self._writer = writer
        self._how = how
        self._known: dict[str, ImageRef] = {}
        self.files = 0

    def place(self, value: Any, role: str = "image") -> ImageRef | None:
        """The image of a cell; None where it is empty, :class:`CellError` where it cannot be used."""
        if value is None:
            return None
        if type(value) is str and value in self._known:
            return self._known[value]
        if isinstance(value, Mapping):
            value = value["bytes"] if value.get("bytes") is not None else value.get("path")
        if isinstance(value, bytes | bytearray | memoryview):
            return self._place_bytes(bytes(value), role)
        if isinstance(value, str) and _is_base64(value):
            return self._place_bytes(_decode(value, role), role)
        path = text(value, role)
        if path is None:
            return None
        if self._how == "none":
            return ImageRef(path)
        if path not in self._known:
            self._known[path] = self._place_file(path, role)
        return self._known[path]

    def _place_file(self, name: str, role: str) -> ImageRef:
        file = self._find(name)
        if file is None:
            raise CellError(
                f"names the {role} {name[:100]!r}, which is not in {self._folder}",
                hint="give the folder of the images with --image-dir, or --images none to go without them",
            )
        checked = check_image(file)
        if checked is None:
            raise CellError(f"names the {role} {name[:100]!r}, which cannot be read as an image")
        self.files += 1
        return ImageRef(
            file.relative_to(self._folder).as_posix(), self._writer.add_image(file, how=self._how), checked.sha256
        )

    def _find(self, name: str) -> Path | None:
        """The file of a name; what a table says never leads out of the folder."""
        for ending in _ENDINGS:
            path = Path(normpath(self._folder / f"{name}{ending}"))
            if path.is_relative_to(self._folder) and is_regular(path):
                return path
        return None

    def _place_bytes(self, data: bytes, role: str) -> ImageRef:
        digest = sha256_of_bytes(data)
        if digest not in self._known:
            try:
                image = open_image_file(data, name=f"the {role}").image
                image.verify()
            except ImageError as error:
                raise CellError(f"has bytes that are no image: {error}") from error
            except Exception as error:  # Pillow's readers raise whatever broken bytes lead them to.
                raise CellError(f"has bytes as {role} that cannot be read as an image") from error
            path = None
            if self._how != "none":
                # What has no file of its own is written into the suite, linked or copied.
                name = f"{digest[:16]}{_SUFFIXES.get(image.format or '', '')}"
                (self._writer.folder / "images").mkdir(exist_ok=True)
                (self._writer.folder / "images" / name).write_bytes(data)
                path = f"images/{name}"
                self.files += 1
            self._known[digest] = ImageRef(digest[:16], path, digest)
        return self._known[digest]


def _is_base64(value: str) -> bool:
    return (
        value.startswith("data:")
        or len(value) > _LONGEST_PATH
        or (len(value) > 64 and value.startswith(_FIRST_LETTERS))
    )


def _decode(value: str, role: str) -> bytes:
    head, comma, rest = value.partition(",")
    if value.startswith("data:"):
        if not comma or not head.endswith(";base64"):
            raise CellError(f"has a data URI as {role} that is not base64")
        value = rest
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise CellError(f"has a {role} that is neither the name of a file nor base64: {error}") from error
