"""Image files: found, opened, checked, hashed and blanked; only files of a format that is named here.

Pillow would otherwise try every format that it knows, some of which start other programs (EPS runs Ghostscript). A
broken, changed or enormous file is an error of that image alone.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from falter.core.errors import FalterError, InputError
from falter.core.files import is_regular, read_bytes, sha256_of_bytes

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "PPM")
"""By Pillow's names; the contents of a file decide, not its ending."""

MAX_PIXELS = 50_000_000
"""Larger images are rejected by the size in their header, before a pixel is decoded."""

MAX_BYTES = 200_000_000


class ImageError(FalterError):
    """An image cannot be opened: it is missing, changed, damaged or too large."""


class ImageTooLargeError(ImageError):
    """An image has more bytes or pixels than are decoded."""


class OpenedFile(NamedTuple):
    """The bytes of an image, and Pillow's image, whose pixels are decoded when they are needed."""

    data: bytes
    image: Image


def open_image_file(source: Path | bytes, *, max_pixels: int = MAX_PIXELS, name: str | None = None) -> OpenedFile:
    """Read the header of an image; whatever is wrong with the file raises :class:`ImageError`."""
    from PIL import Image

    name = name or ("image given as bytes" if isinstance(source, bytes) else source.name)
    try:
        data = source if isinstance(source, bytes) else read_bytes(source, max_bytes=MAX_BYTES)
    except InputError as error:
        kind = ImageTooLargeError if "bytes" in error.problem else ImageError
        raise kind(f"{name} {error.problem}") from error
    try:
        with warnings.catch_warnings():
            # About large images, for which our own limit counts, and about truncated EXIF blocks.
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise ImageTooLargeError(f"{name} has too many pixels to decode: {error}") from error
    except Exception as error:  # Pillow's readers raise whatever broken bytes lead them to.
        raise ImageError(f"{name} is not an image that can be read ({_NAMED})") from error
    if image.width * image.height > max_pixels:
        raise ImageTooLargeError(
            f"{name} has {image.width}x{image.height} pixels, more than the {max_pixels:,} that are decoded"
        )
    if not image.width or not image.height:
        raise ImageError(f"{name} is an image without pixels")
    return OpenedFile(data, image)


_NAMED = "JPEG, PNG, WebP, GIF, BMP, TIFF and PPM are"


def load_image(
    path: Path | None,
    *,
    sha256: str | None = None,
    image_id: str | None = None,
    max_pixels: int = MAX_PIXELS,
    shrink_to: tuple[int, int] | None = None,
) -> Image:
    """Load an image as RGB; whatever is wrong with the file raises :class:`ImageError`.

    With ``sha256`` the bytes must have this hash. ``shrink_to`` lets the JPEG decoder skip work where a small image
    is enough; the result is not smaller than that.
    """
    if path is None:
        raise ImageError(f"there is no file for image {image_id}")
    opened = open_image_file(path, max_pixels=max_pixels)
    if sha256 is not None and sha256_of_bytes(opened.data) != sha256:
        raise ImageError(f"{path.name} is not the image the suite was made with (its bytes have changed)")
    try:
        if shrink_to is not None:
            opened.image.draft("RGB", shrink_to)
        return opened.image.convert("RGB")
    except Exception as error:  # Pillow's decoders raise whatever broken bytes lead them to.
        raise ImageError(f"{path.name} is damaged: {error}") from error


def image_size(path: Path) -> tuple[int, int] | None:
    """Width and height by the file's header; None when it cannot be read as an image."""
    try:
        return open_image_file(path).image.size
    except ImageError:
        return None


class ImageFile(NamedTuple):
    """The path of an image and the hash of its bytes; both None where a source has no image files at all."""

    path: Path | None
    sha256: str | None


NO_IMAGE_FILE = ImageFile(None, None)

MAX_CHECKED_PIXELS = 100_000_000
"""Larger images are none for us: nothing here would decode them."""


class HasImagePaths(Protocol):
    """What is needed of a source to find its images; every :class:`Source` has it."""

    def image_ids(self) -> Sequence[str]:
        """All images, in the data set's own order."""
        ...

    def image_path(self, image_id: str) -> Path | None:
        """The file of an image, or None when it is missing."""
        ...


@runtime_checkable
class Source(HasImagePaths, Protocol):
    """A data set on disk: its name, its licence and its images."""

    name: str
    licence: str

    def describe(self) -> dict[str, Any]:
        """The name and the hashes of the files read, for a suite's manifest."""
        ...


def check_image(path: Path) -> ImageFile | None:
    """Check that a file is an image and hash it; None when it cannot be read as an image."""
    try:
        opened = open_image_file(path, max_pixels=MAX_CHECKED_PIXELS)
        opened.image.verify()
    except ImageError:
        return None
    except Exception:  # Pillow's readers raise whatever broken bytes lead them to.
        return None
    return ImageFile(path, sha256_of_bytes(opened.data))


class SourceImages:
    """Looks up the images of a source and remembers the most recent ones."""

    def __init__(self, source: HasImagePaths) -> None:
        self._source = source
        self._known: dict[str, ImageFile | None] = {}
        self._any: bool | None = None

    def get(self, image_id: str) -> ImageFile | None:
        """The file of an image, or None when it is missing or cannot be read as an image."""
        if image_id not in self._known:
            if len(self._known) >= 1024:
                self._known.clear()
            self._known[image_id] = self._check(image_id)
        return self._known[image_id]

    def _check(self, image_id: str) -> ImageFile | None:
        path = self._source.image_path(image_id)
        if path is None:
            return None if self._has_any() else NO_IMAGE_FILE
        return check_image(path)

    def _has_any(self) -> bool:
        if self._any is None:
            self._any = any(self._source.image_path(image_id) is not None for image_id in self._source.image_ids())
        return self._any


_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")


class ImageLocator:
    """Finds and checks the image of an id in a folder.

    Without ``image_names`` a file is named by the id and lies directly in the folder. With it, an image has any of
    the names it gives, most likely first, and lies at any depth; a name with folders is a path within the folder.
    """

    def __init__(self, folder: Path, image_names: Callable[[str], Sequence[str]] | None = None) -> None:
        self._folder = folder
        self._image_names = image_names

    def find(self, image_id: str) -> ImageFile:
        """The checked file of an image; ``NO_IMAGE_FILE`` when it is missing or cannot be read as an image."""
        path = self._by_id(image_id) if self._image_names is None else self._by_name(self._image_names(image_id))
        return NO_IMAGE_FILE if path is None else check_image(path) or NO_IMAGE_FILE

    def _by_id(self, image_id: str) -> Path | None:
        # An id is never made into a path out of the folder.
        if image_id != Path(image_id).name:
            return None
        paths = (self._folder / f"{image_id}{suffix}" for suffix in _SUFFIXES)
        return next((path for path in paths if is_regular(path)), None)

    def _by_name(self, names: Sequence[str]) -> Path | None:
        for name in names:
            path = self._by_path(PurePosixPath(name)) if "/" in name else self._paths.get(name)
            if path is not None:
                return path
        return None

    def _by_path(self, name: PurePosixPath) -> Path | None:
        # Nor is a name.
        path = self._folder / name
        return path if ".." not in name.parts and not name.is_absolute() and is_regular(path) else None

    @cached_property
    def _paths(self) -> dict[str, Path]:
        """Every file under the folder by its name; of files with one name, the first in order of folders."""
        found: dict[str, Path] = {}
        walked: set[str] = set()
        for folder, subfolders, files in os.walk(self._folder, followlinks=True):
            # A link may lead back to a folder above it.
            if (real := os.path.realpath(folder)) in walked:
                subfolders.clear()
                continue
            walked.add(real)
            subfolders.sort()
            for name in files:
                found.setdefault(name, Path(folder, name))
        return found


GRAY = (127, 127, 127)


def blank_image(size: tuple[int, int] = (64, 48)) -> Image:
    """Make a uniform gray image of a width and height."""
    from PIL import Image

    return Image.new("RGB", size, GRAY)


def blank_png(size: tuple[int, int]) -> bytes:
    """Encode a uniform gray image as PNG; equal sizes give equal bytes."""
    buffer = io.BytesIO()
    blank_image(size).save(buffer, "PNG")
    return buffer.getvalue()
